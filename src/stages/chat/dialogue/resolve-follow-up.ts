import { asksForMore } from '../../../languages/question.ts';
import { ownTerms, terms } from '../../../text/terms.ts';
import { isFunctionWord, languageOf } from '../../../languages/detect.ts';
import type { FollowUpWords, Language } from '../../../languages/language.ts';
import { alternatives, languageOrEnglish, wholeWord, wordList } from '../../../languages/languages.ts';
import { OTHER_FOLLOW_UPS } from '../../../languages/other-languages.ts';

// What a follow-up names in the place of what was named before: "and the Gold plan?" after "How much is the Plus plan?".

/** The words of all languages as alternatives of a regular expression. */
const listed = (pick: (words: Partial<FollowUpWords>) => string | undefined): string =>
  alternatives(({ followUps }) => pick(followUps), pick(OTHER_FOLLOW_UPS) ?? '');

/** Prepositions before names of places and times. */
const BEFORE_A_NAME = new RegExp(`^(?:${listed(({ prepositions }) => prepositions)})$`, 'iu');

/** The articles of all languages in which only names are capitalized. */
const ARTICLES = alternatives(({ capitalNouns, followUps }) => (capitalNouns ? undefined : followUps.articles), OTHER_FOLLOW_UPS.articles);

/** Articles before a name, in this language. */
const articleIn = ({ capitalNouns, followUps }: Language): RegExp =>
  new RegExp(`^(?:${capitalNouns ? followUps.articles : ARTICLES})$`, 'iu');

/** A word without punctuation around it. */
const bare = (word: string): string => word.replace(/^[^\p{L}\p{N}]+|(?<=[\p{L}\p{N}])[^\p{L}\p{N}]+$/gu, '');

/** Replaces a word and keeps its punctuation: `E24,` and `E05` make `E05,`. */
const replaceWord = (old: string, word: string): string => (bare(old) ? old.replace(bare(old), () => word) : old);

/** The kind of number in a word: a year, another number or version, or a code of letters and digits. */
function kindOf(word: string): 'year' | 'number' | 'code' | undefined {
  const plain = bare(word);
  if (!/\p{N}/u.test(plain)) return undefined;
  if (/\p{L}/u.test(plain)) return 'code';
  return /^(?:19|20)\d\d$/.test(plain) ? 'year' : 'number';
}

/** The shape of a number with its sign: `HP-40` and `HX-100` are `a-0`, `E24` is `a0`, `§5` is `§0`. */
const shapeOf = (word: string): string => `${/^[§#\p{S}]*/u.exec(word)![0]}${bare(word)}`.replace(/\p{L}+/gu, 'a').replace(/\p{N}+/gu, '0');

/** Replaces a number of the earlier question by the only one of the follow-up: "and E05?" after E24. Undefined unless one of its kind is meant. */
function replaceNumber(before: readonly string[], asked: readonly string[]): string[] | undefined {
  const [number, second] = asked.filter((word) => kindOf(word) !== undefined);
  if (number === undefined || second !== undefined) return undefined;
  const sameKind = [...before.keys()].filter((i) => kindOf(before[i]!) === kindOf(number));
  const sameShape = sameKind.filter((i) => shapeOf(before[i]!) === shapeOf(number));
  const [place, another] = sameShape.length > 0 ? sameShape : sameKind;
  return place === undefined || another !== undefined ? undefined : before.with(place, replaceWord(before[place]!, bare(number)));
}

const CAPITALIZED = /^\p{Ll}?\p{Lu}/u;

const isName = (words: readonly string[], i: number): boolean =>
  i > 0 && CAPITALIZED.test(words[i] ?? '') && !/^I\b/.test(words[i]!) && !/[.!?:]$/.test(words[i - 1]!);

/** Whether a word is a number that may be part of a name: "the Skua 27". */
const isNumber = (word: string): boolean => ['number', 'code'].includes(kindOf(word) ?? '');

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

function leadOf([first = '', second = '']: readonly string[], article: RegExp | undefined): number {
  if (article?.test(first)) return 1;
  return BEFORE_A_NAME.test(first) ? 1 + Number(article?.test(second) ?? false) : 0;
}

/** Replaces a name after the same words, if any: "to Norway" for "to Spain", "the Duo" for "the Solo", "Leeds" for "Hamburg". */
function replaceName(before: readonly string[], asked: readonly string[], language: string): string[] | undefined {
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
  return [...before.slice(0, run[0]), ...names.slice(0, -1), replaceWord(before[run[1]]!, names.at(-1)!), ...before.slice(run[1] + 1)];
}

/** Minimum number of content words of a question that stands alone. */
const MIN_TERMS = 2;

/** Words that refer to what was said before, such as "What then?". */
const REFERRING = [listed(({ pronouns }) => pronouns), listed(({ pointers }) => pointers)].join('|');
const ADVERBS = listed(({ adverbs }) => adverbs);
const POINTING_BACK = wholeWord(`${REFERRING}|${ADVERBS}`);
const REFERRING_BACK = wholeWord(REFERRING);
const CONJUNCTIONS = listed(({ conjunctions }) => conjunctions);
const ASKING_ON = listed(({ askingOn }) => askingOn);
/** Beginnings of follow-ups. `那` also begins names: alone it counts only if the question ends with `呢`. */
const GOING_ON = new RegExp(
  String.raw`^\s*(?:(?:${CONJUNCTIONS}|${ASKING_ON})(?![\p{L}\p{N}])|那(?:[么麼]|(?!\p{L})|(?=[^?？]*呢\P{L}*$))|では|じゃあ)[\s,，、]*`,
  'iu',
);
const ASKS_ON = new RegExp(String.raw`^\s*(?:${ASKING_ON})`, 'iu');

/** Question words and verbs that begin a full question. */
const ASKING = wholeWord(listed(({ asking }) => asking));

const wordsOf = (text: string): string[] => text.split(' ').filter(Boolean);

/** Whether a question has only question words: "until when?", "Von wem?". */
const onlyAsks = (question: string): boolean =>
  wordsOf(question)
    .map(bare)
    .every((word) => word === '' || BEFORE_A_NAME.test(word) || ASKING.exec(word)?.[0] === word);

/** Verbs; a question without one is incomplete: "In which cities?". */
const VERB = wholeWord(listed(({ verbs }) => verbs));

const VAGUE = new Set(terms(wordList(({ followUps }) => followUps.vague).join(' ')));

/** Removes what joins a question to the last one: "And how do I route a track?" becomes "how do I route a track?". */
export const withoutConjunction = (question: string): string => question.replace(GOING_ON, '');

/** Whether a question that looks like a follow-up may stand alone: it has a verb, a subject and no reference ("What is chokidar?"). */
export function mayStandAlone(question: string): boolean {
  const goesOn = GOING_ON.test(question);
  const rest = withoutConjunction(question);
  const named = ownTerms(rest).filter((term) => !VAGUE.has(term));
  return VERB.test(rest) && !REFERRING_BACK.test(rest) && !onlyAsks(rest) && named.length >= (goesOn ? MIN_TERMS : 1);
}

const isFollowUp = (question: string): boolean =>
  GOING_ON.test(question) ||
  POINTING_BACK.test(question) ||
  ownTerms(question).length < MIN_TERMS ||
  onlyAsks(question) ||
  asksForMore(question);

interface DialogueState {
  /** The last question that stood alone, with later replacements. */
  stem: string;
  /** The last thing asked about it since. */
  asked: string;
  /** The last addition that replaced nothing: "and to Norway?". */
  added: string;
}

/** Whether a follow-up only names another subject: "and the Gold plan?". */
const namesAnother = (question: string): boolean => {
  const rest = withoutConjunction(question);
  return !ASKS_ON.test(question) && !ASKING.test(rest) && !POINTING_BACK.test(rest);
};

function applyFollowUp(state: DialogueState, question: string): DialogueState {
  if (!namesAnother(question)) return { ...state, asked: question, added: '' };
  const words = wordsOf(withoutConjunction(question).replace(/(?<![\s?？!.…])[\s?？!.…]+$/u, ''));
  const before = wordsOf(state.stem);
  const language = languageOf(state.stem) ?? 'en';
  const known = new Set(terms(state.stem));
  const isNew = (word: string) => !isFunctionWord(bare(word).toLowerCase(), language) && !terms(word).every((term) => known.has(term));
  const onlyNumbers = words.every((word) => kindOf(word) !== undefined || !isNew(word));
  // "the Gold" of "the Gold plan" after "the Plus plan"
  const name = words.slice(0, words.findLastIndex((word) => kindOf(word) !== undefined || isNew(word)) + 1);
  const stem = (onlyNumbers ? replaceNumber(before, words) : undefined) ?? replaceName(before, name, language);
  return stem ? { ...state, stem: stem.join(' ') } : { ...state, added: question };
}

const textOf = ({ stem, asked, added }: DialogueState): string => [stem, asked, added].filter(Boolean).join(' ');

/**
 * Rewrites a follow-up to stand alone, and tells whether the earlier questions gave it a subject: the last question that stood alone, with its number or
 * name replaced by that of the follow-up, or followed by it. Other questions are unchanged. `before`: earlier questions, oldest first.
 */
export function resolveFollowUp(query: string, before: readonly string[]): { text: string; hasSubject: boolean } {
  if (!isFollowUp(query)) return { text: query, hasSubject: true };
  const telling = before.filter((question) => !asksForMore(question));
  const from = telling.findLastIndex((question) => !isFollowUp(question) || mayStandAlone(question));
  const [first, ...rest] = telling.slice(Math.max(0, from));
  if (first === undefined) return { text: query, hasSubject: false };
  const state = rest.reduce(applyFollowUp, { stem: first, asked: '', added: '' });
  const text = asksForMore(query) ? `${textOf(state)} ${query}` : textOf(applyFollowUp(state, query));
  return { text, hasSubject: from >= 0 };
}
