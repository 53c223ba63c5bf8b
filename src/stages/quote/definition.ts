import { ownTerms } from '../../text/terms.ts';
import { withoutMarks } from '../chunk/embed-text.ts';
import type { QuoteBlock } from './quote-blocks.ts';

/** How is asked what something is. English and German. */
const ASKS =
  /^\P{L}*(?:(?:and|so|und)\s+)?(?:what(?:['’]s|\s+(?:is|are|was|were|does|do))|was\s+(?:ist|sind|bedeutet|heißt|macht)(?:\s+(?:eine?|der|die|das))?)\s+(?<what>\S.*)$/iu;

/** What follows it. */
const BEHIND = /(?<!\s)(?:\s+(?:mean|stand for|do|good for|used for|for|exactly)){1,3}$/iu;
const MARKS = /(?<![\s?？])[\s?？]+$/u;

/** What is asked about something, and not what it is: «What is the difference between …», «What is the default of …». */
const ASKS_ABOUT = /^(?:the )?(?:\p{L}+ )?(?:difference|default|maximum|minimum|max|min|limit|size|number|port|value|purpose)\b/iu;

/** Headings of sections that introduce what the title above names. */
const INTRODUCES =
  /^[\P{L}]*(?:introduction|intro|overview|description|about|summary|synopsis|preface|einleitung|einführung|überblick|beschreibung)\W*$/iu;

/** Words that a title has beside what it names, at most: «The SQLite Query Planner», badges. */
const MOST_BESIDE = 2;

const telling = (text: string): Set<string> => new Set(ownTerms(text).filter((term) => /\p{L}/u.test(term)));

/** The terms of what a question asks the meaning of: `chokidar` of «What is chokidar?»; undefined where it asks something else. */
export function askedMeaningOf(question: string): ReadonlySet<string> | undefined {
  const what = ASKS.exec(question.replace(MARKS, ''))?.groups?.what?.replace(BEHIND, '');
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
