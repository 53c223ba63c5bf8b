// What a follow-up names in the place of what was named before: «and the Gold plan?» after «How much is the Plus plan?».
import { terms } from '../../base/terms.ts';
import { isFunctionWord } from '../../base/language.ts';

/** Words before a place or a time, which another one takes the place of. */
export const BEFORE_A_NAME =
  /^(?:to|in|at|from|for|on|by|with|of|nach|für|aus|von|bei|mit|im|am|à|en|au|pour|de|a|para|di|da|per|em|no|na|naar|voor|van|bij|until|till|since|ab|bis|seit|depuis|avec|desde|hasta|con|com|sinds|tot|met)$/iu;

const ARTICLE = /^(?:the|le|la|el|il|lo|o|het)$/iu;
const GERMAN_ARTICLE = /^(?:der|die|das|den|dem|des)$/iu;

/** A word without the marks around it. */
export const bare = (word: string): string => word.replace(/^[^\p{L}\p{N}]+|(?<=[\p{L}\p{N}])[^\p{L}\p{N}]+$/gu, '');

/** A word in the place of another one, which leaves its marks: `E24,` and `E05` make `E05,`. */
const inPlaceOf = (old: string, word: string): string => (bare(old) ? old.replace(bare(old), () => word) : old);

/** What kind of number a word holds: a year, another number or version, or a code of letters and digits. */
export function kindOf(word: string): 'year' | 'number' | 'code' | undefined {
  const plain = bare(word);
  if (!/\p{N}/u.test(plain)) return undefined;
  if (/\p{L}/u.test(plain)) return 'code';
  return /^(?:19|20)\d\d$/.test(plain) ? 'year' : 'number';
}

/** How a number looks, with the sign that it has: `HP-40` and `HX-100` are `a-0`, `E24` is `a0`, `§5` is `§0`. */
const shapeOf = (word: string): string => `${/^[§#\p{S}]*/u.exec(word)![0]}${bare(word)}`.replace(/\p{L}+/gu, 'a').replace(/\p{N}+/gu, '0');

/** The places of the words that a number takes the place of: those that look like it, else those of its kind. */
function rivals(words: readonly string[], number: string): number[] {
  const alike = [...words.keys()].filter((i) => kindOf(words[i]!) === kindOf(number));
  const twins = alike.filter((i) => shapeOf(words[i]!) === shapeOf(number));
  return twins.length > 0 ? twins : alike;
}

/** A word among others. */
type Among = readonly [words: readonly string[], at: number];

const termAt = ([words, at]: Among, step: -1 | 1): string | undefined => terms(words[at + step] ?? '')[0];

/** The word before a number that says of what it is one: of «the Skua 27» the name. */
function labelOf(among: Among, language: string): string | undefined {
  const label = termAt(among, -1);
  return label !== undefined && !isFunctionWord(label, language) ? label : undefined;
}

/**
 * Whether a number may take the place of another: a plain one behind a label («series 7») only of one behind the same, since behind another it is none of
 * its kind («the Fulmar 38», «the Skua 27»); one that counts something («3 years») only of one that counts the same.
 */
function isAlike(asked: Among, before: Among, language: string): boolean {
  if (kindOf(asked[0][asked[1]]!) !== 'number') return true;
  const label = labelOf(asked, language);
  if (label !== undefined) return termAt(before, -1) === label;
  const counted = termAt(asked, 1);
  return counted === undefined || termAt(before, 1) === counted;
}

/** Who asks «and E05?» after E24 asks no longer for E24: the words with each number in the place of the one that it replaces, and whether all found theirs. */
export function renumbered(before: readonly string[], asked: readonly string[], language: string): { words: string[]; isWhole: boolean } {
  const numbers = [...asked.entries()].filter(([, word]) => kindOf(word) !== undefined);
  let words = [...before];
  let isWhole = numbers.length > 0;
  for (const [at, number] of numbers) {
    const places = rivals(words, number).filter((place) => isAlike([asked, at], [words, place], language));
    const only = numbers.length === 1 && places.length === 1 ? places[0] : undefined;
    if (only === undefined) {
      words = words.filter((_, i) => !places.includes(i));
      isWhole = false;
    } else words[only] = inPlaceOf(words[only]!, bare(number));
  }
  return { words, isWhole };
}

/** Where the words that say more of a noun begin: «Gold» of «the Gold plan». */
function start(words: readonly string[], head: number, isSmall: (word: string) => boolean): number {
  let at = head;
  while (at > 0 && !isSmall(words[at - 1]!) && bare(words[at - 1]!) === words[at - 1]) at--;
  return at;
}

/** «the Gold plan» in the place of «the Plus plan»: both end with the same word. */
export function sameNoun(before: readonly string[], asked: readonly string[], isSmall: (word: string) => boolean): string[] | undefined {
  const head = terms(asked.at(-1) ?? '').join(' ');
  const places = [...before.keys()].filter((i) => head !== '' && terms(before[i]!).join(' ') === head);
  const place = places[0];
  if (place === undefined || places.length > 1) return undefined;
  const own = asked.slice(start(asked, asked.length - 1, isSmall), -1);
  const first = start(before, place, isSmall);
  if (own.length === 0 || first === place || own.length < asked.filter((word) => !isSmall(word)).length - 1) return undefined;
  return [...before.slice(0, first), ...own, ...before.slice(place)];
}

const CAPITALIZED = /^\p{Ll}?\p{Lu}/u;

/** Whether a word is a name: it begins with a capital, and no sentence begins with it. */
const isName = (words: readonly string[], i: number): boolean =>
  i > 0 && CAPITALIZED.test(words[i] ?? '') && !/^I\b/.test(words[i]!) && !/[.!?:]$/.test(words[i - 1]!);

/** Whether a word is a number that may belong to the name before it: of «the Skua 27». */
const isNumber = (word: string): boolean => ['number', 'code'].includes(kindOf(word) ?? '');

/** Where names of one or more words begin, and end. */
function namesIn(words: readonly string[]): [first: number, last: number][] {
  const runs: [number, number][] = [];
  for (const [i, word] of words.entries()) {
    const run = runs.at(-1);
    const goesOn = run?.[1] === i - 1 && bare(words[i - 1]!) === words[i - 1];
    if (goesOn && (isName(words, i) || isNumber(word))) run[1] = i;
    else if (isName(words, i)) runs.push([i, i]);
  }
  return runs;
}

/** How many words lead in to a name: «to», «the», «of the». */
function leadOf([first = '', second = '']: readonly string[], article: RegExp | undefined): number {
  if (article?.test(first)) return 1;
  return BEFORE_A_NAME.test(first) ? 1 + Number(article?.test(second) ?? false) : 0;
}

/**
 * «to Norway» in the place of «to Spain», «the Duo» in that of «the Solo», «Leeds» in that of «Hamburg», «the Fulmar 38» in that of «the Skua 27»: names,
 * behind the same words where there are any.
 */
export function sameName(before: readonly string[], asked: readonly string[], language: string): string[] | undefined {
  const isNumbered = asked.length > 1 && isNumber(asked.at(-1)!);
  // German writes every noun like a name
  const isVague = language === 'de' && !isNumbered;
  const lead = leadOf(asked, isVague ? undefined : language === 'de' ? GERMAN_ARTICLE : ARTICLE);
  const names = asked.slice(lead);
  const areNames = names.every((word, i) => CAPITALIZED.test(word) || (i > 0 && isNumber(word)));
  if (names.length === 0 || !areNames || (lead === 0 && isVague)) return undefined;
  const led = asked.slice(0, lead).join(' ').toLowerCase();
  const all = namesIn(before).filter(
    ([first]) =>
      before
        .slice(first - lead, first)
        .join(' ')
        .toLowerCase() === led,
  );
  const alike = isNumbered ? all.filter(([, last]) => isNumber(before[last]!)) : [];
  const [run, other] = alike.length > 0 ? alike : all;
  if (!run || other) return undefined;
  return [...before.slice(0, run[0]), ...names.slice(0, -1), inPlaceOf(before[run[1]]!, names.at(-1)!), ...before.slice(run[1] + 1)];
}
