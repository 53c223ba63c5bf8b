import { ownTerms, terms } from '../../../text/terms.ts';
import { isFunctionWord, languageOf } from '../../../languages/detect.ts';
import type { FollowUpWords, Language } from '../../../languages/language.ts';
import { alternatives, languageOrEnglish, wholeWord, wordList } from '../../../languages/languages.ts';
import { OTHER_FOLLOW_UPS } from '../../../languages/other-languages.ts';
import { onlyAsksOn } from '../fallback.ts';
import { spelledOut } from './spell-out.ts';

// What a follow-up names in the place of what was named before: «and the Gold plan?» after «How much is the Plus plan?».

/** What all languages list for this, as alternatives of an expression. */
const listed = (pick: (words: Partial<FollowUpWords>) => string | undefined): string =>
  alternatives(({ followUps }) => pick(followUps), pick(OTHER_FOLLOW_UPS) ?? '');

/** Words before a place or a time, which another one takes the place of. */
const BEFORE_A_NAME = new RegExp(`^(?:${listed(({ prepositions }) => prepositions)})$`, 'iu');

/** The articles of all languages in which capitals tell names. */
const ARTICLES = alternatives(({ capitalNouns, followUps }) => (capitalNouns ? undefined : followUps.articles), OTHER_FOLLOW_UPS.articles);

/** The articles that may stand before a name in a question of this language. */
const articleIn = ({ capitalNouns, followUps }: Language): RegExp =>
  new RegExp(`^(?:${capitalNouns ? followUps.articles : ARTICLES})$`, 'iu');

/** A word without the marks around it. */
export const bare = (word: string): string => word.replace(/^[^\p{L}\p{N}]+|(?<=[\p{L}\p{N}])[^\p{L}\p{N}]+$/gu, '');

/** A word in the place of another one, which leaves its marks: `E24,` and `E05` make `E05,`. */
const inPlaceOf = (old: string, word: string): string => (bare(old) ? old.replace(bare(old), () => word) : old);

/** What kind of number a word holds: a year, another number or version, or a code of letters and digits. */
function kindOf(word: string): 'year' | 'number' | 'code' | undefined {
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
function renumbered(before: readonly string[], asked: readonly string[], language: string): { words: string[]; isWhole: boolean } {
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
function sameNoun(before: readonly string[], asked: readonly string[], isSmall: (word: string) => boolean): string[] | undefined {
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
function sameName(before: readonly string[], asked: readonly string[], language: string): string[] | undefined {
  const isNumbered = asked.length > 1 && isNumber(asked.at(-1)!);
  const spoken = languageOrEnglish(language);
  const isVague = spoken.capitalNouns && !isNumbered;
  const lead = leadOf(asked, isVague ? undefined : articleIn(spoken));
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

/** A question with fewer words of its own than this can hardly stand alone. */
const FEWEST_TERMS = 2;

/** Words that point back at what was said (also "What then?"), and beginnings that go on with it. */
const POINTING_BACK = wholeWord([listed(({ pronouns }) => pronouns), listed(({ pointers }) => pointers)].join('|'));
const CONJUNCTIONS = listed(({ conjunctions }) => conjunctions);
const ASKING_ON = listed(({ askingOn }) => askingOn);
/** Beginnings; of those that no blank ends, `那` begins names, too: alone it goes on where `呢` ends the question. */
const GOING_ON = new RegExp(
  String.raw`^\s*(?:(?:${CONJUNCTIONS}|${ASKING_ON})(?![\p{L}\p{N}])|那(?:[么麼]|(?!\p{L})|(?=[^?？]*呢\P{L}*$))|では|じゃあ)[\s,，、]*`,
  'iu',
);
const ASKS_ON = new RegExp(String.raw`^\s*(?:${ASKING_ON})`, 'iu');

/** Words that make a question a sentence of its own: how it asks, and the verbs that it begins with. */
const ASKING = wholeWord(listed(({ asking }) => asking));

const wordsOf = (text: string): string[] => text.split(' ').filter(Boolean);

/** Whether a question says nothing but how it asks: «until when?», «Von wem?». */
const onlyAsks = (question: string): boolean =>
  wordsOf(question)
    .map(bare)
    .every((word) => word === '' || BEFORE_A_NAME.test(word) || ASKING.exec(word)?.[0] === word);

/** «When should I use one?»: it stands for what was named before. */
const POINTING_ONE = new RegExp(String.raw`(?<!\p{L})(?:${listed(({ pointingEnds }) => pointingEnds)})\s*[?.!]*$`, 'iu');

const pointsBack = (question: string): boolean => POINTING_BACK.test(question) || POINTING_ONE.test(question);

/** Verbs without which a question is a part of one: «In which cities?». */
const VERB = wholeWord(listed(({ verbs }) => verbs));

/** Words that name no thing of their own: «How much would I get?». */
const NAMES_NOTHING = new Set(terms(wordList(({ followUps }) => followUps.vague).join(' ')));

/**
 * Whether a question that is taken for a follow-up may be none: nothing in it points back, and it asks with a verb about a thing of its own: «What is
 * chokidar?»; one that goes on asks about two: «And how many tables can be in one join?».
 */
export function mayStandAlone(question: string): boolean {
  const goesOn = GOING_ON.test(question);
  const rest = question.replace(GOING_ON, '');
  const named = ownTerms(rest).filter((term) => !NAMES_NOTHING.has(term));
  return VERB.test(rest) && !pointsBack(rest) && !onlyAsks(rest) && named.length >= (goesOn ? FEWEST_TERMS : 1);
}

/** Whether a question can hardly be understood without those before it. */
const followsUp = (question: string): boolean =>
  GOING_ON.test(question) || pointsBack(question) || ownTerms(question).length < FEWEST_TERMS || onlyAsks(question);

/** What a conversation is about after some of its questions. */
interface Thread {
  /** The last question that stood alone, with what has taken the place of its words. */
  stem: string;
  /** What was asked about the same since. */
  asked: string;
  /** What was put in last, where it has taken nothing's place: «and to Norway?». */
  added: string;
}

/** Whether a follow-up only names something else to ask the same about: «and the Gold plan?». */
const namesAnother = (question: string): boolean => {
  const rest = question.replace(GOING_ON, '');
  return !ASKS_ON.test(question) && !ASKING.test(rest) && !POINTING_BACK.test(rest);
};

/** The thread after a follow-up. */
function followed(thread: Thread, question: string): Thread {
  const words = wordsOf(question.replace(GOING_ON, '').replace(/(?<![\s?？!.…])[\s?？!.…]+$/u, ''));
  const before = wordsOf(thread.stem);
  const language = languageOf(thread.stem) ?? 'en';
  const { words: stem, isWhole } = renumbered(before, words, language);
  if (!namesAnother(question)) return { stem: stem.join(' '), asked: question, added: '' };
  const isSmall = (word: string) => isFunctionWord(bare(word).toLowerCase(), language);
  const known = new Set(terms(thread.stem));
  const isAllThere = words.every((word) => isSmall(word) || kindOf(word) !== undefined || terms(word).every((term) => known.has(term)));
  if (isWhole && isAllThere) return { ...thread, stem: stem.join(' ') };
  const replaced = sameNoun(before, words, isSmall) ?? sameName(before, words, language);
  return replaced ? { ...thread, stem: replaced.join(' ') } : { ...thread, stem: stem.join(' '), added: question };
}

const textOf = ({ stem, asked, added }: Thread): string => [stem, asked, added].filter(Boolean).join(' ');

/**
 * A question that can be understood without the others, and whether a subject was found in them: with what its pronoun stands for, or behind the last one that stood alone, with what was named since in the place of what it named, what was asked about it last,
 * and the question. One that stands alone is left as it is. `before` are the questions before it, oldest first.
 */
export function resolveFollowUp(query: string, before: readonly string[]): { text: string; hasSubject: boolean } {
  if (!followsUp(query)) return { text: query, hasSubject: true };
  const telling = before.filter((question) => !onlyAsksOn(question));
  const from = telling.findLastIndex((question) => !followsUp(question));
  const [first, ...rest] = telling.slice(Math.max(0, from));
  if (first === undefined) return { text: query, hasSubject: false };
  const thread = rest.reduce(followed, { stem: first, asked: '', added: '' });
  const carried = () => spelledOut(query, thread.stem) ?? textOf(followed(thread, query));
  const text = onlyAsksOn(query) ? `${textOf(thread)} ${query}` : carried();
  return { text, hasSubject: from >= 0 };
}
