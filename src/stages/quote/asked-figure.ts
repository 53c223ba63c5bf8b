import { alternatives, LANGUAGES, wholeWord } from '../../languages/languages.ts';
import { writtenCounts, writtenNumbers } from '../../languages/number-words.ts';

const ASKS_FIGURE = wholeWord(alternatives(({ questions }) => questions.figures));
const ASKS_TIME = wholeWord(alternatives(({ questions }) => questions.times));
const FIGURE_WORDS = wholeWord(alternatives(({ questions }) => questions.figureWords));
const UNITS = alternatives(({ questions }) => questions.timeUnits);
const UNIT = new RegExp(`^(?:${UNITS})$`, 'iu');
const MONTHS = LANGUAGES.map(({ months }) => months.replaceAll(' ', '|')).join('|');

/** A clock time, a period, a month or a year. */
const TIME = new RegExp(
  String.raw`(?<![\d:])\d{1,2}:\d\d(?!\d)|\d[\s\u00a0-]*(?:\p{L}+\s)?(?:${UNITS}|[ap]\.?m)(?![\p{L}\p{N}])|(?<![\p{L}\p{N}])(?:${MONTHS}|1\d{3}|20\d\d)(?![\p{L}\p{N}])`,
  'iu',
);

const hasFigure = (text: string): boolean => /\d/.test(text) || FIGURE_WORDS.test(text) || writtenNumbers(text).length > 0;
const hasTime = (text: string): boolean => TIME.test(text) || writtenCounts(text).some(({ of }) => UNIT.test(of));

/** Creates the check whether a text has a time; undefined for a question that asks for none. */
export const createTimeCheck = (question: string): ((text: string) => boolean) | undefined =>
  ASKS_TIME.test(question) ? hasTime : undefined;

/** Creates the check whether a text has what a question asks for; undefined for a question that asks for no number, time or price. */
export function createFigureCheck(question: string): ((text: string) => boolean) | undefined {
  if (ASKS_TIME.test(question)) return hasTime;
  return ASKS_FIGURE.test(question) ? hasFigure : undefined;
}
