import { alternatives, LANGUAGES } from '../../languages/languages.ts';
import { ownTerms } from '../../text/terms.ts';
import { withoutMarks } from '../chunk/embed-text.ts';
import type { QuoteBlock } from './quote-blocks.ts';

const MARKS = /(?<![\s?？])[\s?？]+$/u;

/** Questions about a property and not about the thing: «What is the difference between …», «What is the default of …». */
const ASKS_ABOUT = new RegExp(
  String.raw`^(?:(?:${alternatives(({ followUps }) => followUps.articles)}) )?(?:\p{L}+ )?(?:${alternatives(({ questions }) => questions.aspects)})(?!\p{L})`,
  'iu',
);

/** Headings of introductory sections. */
const INTRODUCES = new RegExp(String.raw`^[\P{L}]*(?:${alternatives(({ questions }) => questions.introductions)})\W*$`, 'iu');

/** Maximum words in a title besides the name: «The SQLite Query Planner», badges. */
const MOST_BESIDE = 2;

const telling = (text: string): Set<string> => new Set(ownTerms(text).filter((term) => /\p{L}/u.test(term)));

/** The terms of the thing to be defined: `chokidar` in «What is chokidar?»; undefined for other questions. */
export function definedTerms(question: string): ReadonlySet<string> | undefined {
  const asked = question.replace(MARKS, '');
  const what = LANGUAGES.map(({ questions }) => questions.meaning.exec(asked)?.groups?.what).find((found) => found !== undefined);
  if (what === undefined || ASKS_ABOUT.test(what)) return undefined;
  const wanted = telling(what);
  return wanted.size > 0 ? wanted : undefined;
}

/** Whether a title names the thing and little else. */
function names(title: string, wanted: ReadonlySet<string>): boolean {
  const held = telling(withoutMarks(title));
  return wanted.isSubsetOf(held) && held.size <= wanted.size + MOST_BESIDE;
}

/** Whether a block introduces the thing: the first of a section or page that is named after it. */
export function introduces({ isFirst, path }: QuoteBlock, wanted: ReadonlySet<string>): boolean {
  const [last = '', above] = path.toReversed();
  return isFirst && (names(last, wanted) || (above !== undefined && INTRODUCES.test(last) && names(above, wanted)));
}
