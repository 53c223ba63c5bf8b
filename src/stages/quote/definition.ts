import { alternatives, LANGUAGES } from '../../languages/languages.ts';
import { ownTerms } from '../../text/terms.ts';
import { withoutMarks } from '../chunk/embed-text.ts';
import type { QuoteBlock } from './quote-blocks.ts';

const MARKS = /(?<![\s?？])[\s?？]+$/u;

/** What is asked about something, and not what it is: «What is the difference between …», «What is the default of …». */
const ASKS_ABOUT = new RegExp(
  String.raw`^(?:(?:${alternatives(({ followUps }) => followUps.articles)}) )?(?:\p{L}+ )?(?:${alternatives(({ questions }) => questions.aspects)})(?!\p{L})`,
  'iu',
);

/** Headings of sections that introduce what the title above names. */
const INTRODUCES = new RegExp(String.raw`^[\P{L}]*(?:${alternatives(({ questions }) => questions.introductions)})\W*$`, 'iu');

/** Words that a title has beside what it names, at most: «The SQLite Query Planner», badges. */
const MOST_BESIDE = 2;

const telling = (text: string): Set<string> => new Set(ownTerms(text).filter((term) => /\p{L}/u.test(term)));

/** The terms of what a question asks the meaning of: `chokidar` of «What is chokidar?»; undefined where it asks something else. */
export function definedTerms(question: string): ReadonlySet<string> | undefined {
  const asked = question.replace(MARKS, '');
  const what = LANGUAGES.map(({ questions }) => questions.meaning.exec(asked)?.groups?.what).find((found) => found !== undefined);
  if (what === undefined || ASKS_ABOUT.test(what)) return undefined;
  const wanted = telling(what);
  return wanted.size > 0 ? wanted : undefined;
}

/** Whether a title names this and little else. */
function names(title: string, wanted: ReadonlySet<string>): boolean {
  const held = telling(withoutMarks(title));
  return wanted.isSubsetOf(held) && held.size <= wanted.size + MOST_BESIDE;
}

/** Whether a block introduces what is asked about: the first of a section, or of the introduction of a page, that is named after it. */
export function introduces({ isFirst, path }: QuoteBlock, wanted: ReadonlySet<string>): boolean {
  const [last = '', above] = path.toReversed();
  return isFirst && (names(last, wanted) || (above !== undefined && INTRODUCES.test(last) && names(above, wanted)));
}
