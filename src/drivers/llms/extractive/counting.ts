import { NUMBER_WORDS } from '../../../base/number-words.ts';
import { terms } from '../../../base/terms.ts';

/** What «how many» counts, up to the verb; what is counted in other words as often as not (people, times, years) is left out. */
const HOW_MANY =
  /\bhow many\s+((?:(?!(?:did|do|does|were|was|are|is|have|has|had|can|could|will|would|may|must|should|in|of|on|at|to|from|for|with|by|the|there)\b)[\p{L}\p{N}'’-]+\s*){1,4})/iu;
const OTHERWISE = new Set(terms('people person persons individuals times years percent percentage total more other different'));
const NUMBER = new RegExp(
  String.raw`^(?:\p{N}.*|${NUMBER_WORDS}|dozens?|half|third|quarter|several|many|few|no|none|all|both|each|single|only)(?:-\p{L}+)?$`,
  'iu',
);
/** Words between a number and what it counts, and after it. */
const [BEFORE, AFTER] = [4, 2];

/** Whether a question asks how many there are of something, and a text gives no number of it. English. */
export function isUncounted(question: string, text: string): boolean {
  const asked = HOW_MANY.exec(question)?.[1];
  const counted = new Set(asked ? terms(asked) : []);
  if (counted.size === 0 || [...counted].some((term) => OTHERWISE.has(term))) return false;
  const words = text.match(/[\p{L}\p{N}]+(?:[-.,'’][\p{L}\p{N}]+)*/gu) ?? [];
  const isCounted = (word: string | undefined) => word !== undefined && terms(word).some((term) => counted.has(term));
  return !words.some(
    (word, i) => NUMBER.test(word) && [...words.slice(Math.max(0, i - AFTER), i), ...words.slice(i, i + 1 + BEFORE)].some(isCounted),
  );
}
