import { alternatives, LANGUAGES, wholeWord } from '../../languages/languages.ts';
import { writtenCounts, writtenNumbers } from '../../languages/number-words.ts';
import { ownTerms } from '../../text/terms.ts';
import { withoutMarks } from '../../text/markdown/plain-text.ts';
import type { QuoteBlock } from './quote-blocks.ts';

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

/** Creates the check whether a text has the figure that a question asks for: a number, time or price; undefined for other questions. */
export function createFigureCheck(question: string): ((text: string) => boolean) | undefined {
  if (ASKS_TIME.test(question)) return hasTime;
  return ASKS_FIGURE.test(question) ? hasFigure : undefined;
}

const TRAILING_MARKS = /(?<![\s?？])[\s?？]+$/u;

/** Matches what a question asks about if that is a property instead of a thing: "the difference between …", "the default of …". */
const ASKS_PROPERTY = new RegExp(
  String.raw`^(?:(?:${alternatives(({ followUps }) => followUps.articles)}) )?(?:\p{L}+ )?(?:${alternatives(({ questions }) => questions.aspects)})(?!\p{L})`,
  'iu',
);

/** Headings of introductory sections. */
const INTRODUCTION_HEADING = new RegExp(String.raw`^[\P{L}]*(?:${alternatives(({ questions }) => questions.introductions)})\W*$`, 'iu');

/** Maximum words of a title besides the name: "The SQLite Query Planner", badges. */
const MAX_EXTRA_WORDS = 2;

const letterTerms = (text: string): Set<string> => new Set(ownTerms(text).filter((term) => /\p{L}/u.test(term)));

/** Extracts the terms of the thing that a question asks to define: `chokidar` of "What is chokidar?"; undefined for other questions. */
export function definedTerms(question: string): ReadonlySet<string> | undefined {
  const asked = question.replace(TRAILING_MARKS, '');
  const what = LANGUAGES.map(({ questions }) => questions.meaning.exec(asked)?.groups?.what).find((found) => found !== undefined);
  if (what === undefined || ASKS_PROPERTY.test(what)) return undefined;
  const wanted = letterTerms(what);
  return wanted.size > 0 ? wanted : undefined;
}

/** Whether a title names the thing and little else. */
function isNamedAfter(title: string, wanted: ReadonlySet<string>): boolean {
  const titleTerms = letterTerms(withoutMarks(title));
  return wanted.isSubsetOf(titleTerms) && titleTerms.size <= wanted.size + MAX_EXTRA_WORDS;
}

/** Whether a block introduces the thing: it is the first of a section or page that is named after the thing. */
export function introduces({ isFirst, path }: QuoteBlock, wanted: ReadonlySet<string>): boolean {
  const [last = '', above] = path.toReversed();
  return isFirst && (isNamedAfter(last, wanted) || (above !== undefined && INTRODUCTION_HEADING.test(last) && isNamedAfter(above, wanted)));
}

/** The context after the second of two compared things, `in Postgres` of "json and jsonb in Postgres", or closing marks. */
const TRAILING_LOCATIVE = new RegExp(
  String.raw`(?<!\s)\s+(?:${alternatives(({ questions }) => questions.locatives)})\s.*$|(?<![?？.!])[?？.!]+$`,
  'giu',
);

const subjectTermsOf = (thing: string): Set<string> => new Set(ownTerms(thing.replace(TRAILING_LOCATIVE, '')));

/** The terms that distinguish two compared things: none and `full` for VACUUM and VACUUM FULL; undefined if nothing is compared. */
export function comparedSubjects(question: string): readonly [ReadonlySet<string>, ReadonlySet<string>] | undefined {
  const asked = question.trim().replace(/(?<![?？.!\s])[?？.!\s]+$/u, '');
  const patterns = LANGUAGES.flatMap(({ questions }) => questions.compares);
  const { one, other, from } = patterns.map((pattern) => pattern.exec(asked)?.groups).find(Boolean) ?? {};
  if (one === undefined) return undefined;
  const [first, second] = [subjectTermsOf(one), subjectTermsOf(other ?? from ?? '')];
  return [first.difference(second), second.difference(first)];
}
