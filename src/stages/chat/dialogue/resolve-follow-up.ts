import { conjunctionIn, asksForMore } from '../../../languages/question.ts';
import { ownTerms, terms } from '../../../text/terms.ts';
import { isFunctionWord, languageOf } from '../../../languages/detect.ts';
import type { FollowUpWords, Language } from '../../../languages/language.ts';
import { alternatives, languageOrEnglish, wholeWord, wordList } from '../../../languages/languages.ts';
import { OTHER_FOLLOW_UPS } from '../../../languages/other-languages.ts';

// «When should I use one?» after «What is a partial index?»: «When should I use a partial index?». English: elsewhere a pronoun tells too little.

/** Questions that only ask about a subject: «What is X?», «What does X do in Y?». */
const ABOUT = [
  /^what(?:['’]s| is| are| was| were) (?<thing>[^?,]{2,80})\?*$/iu,
  /^what (?:does|do) (?<thing>[^?,]{2,60}?) (?:do|mean|stand for)(?<where> (?:in|on|for|with|at) [^?,]{2,40})?\?*$/iu,
];

/** Questions about an action: «How do I V?», «Can I V?». */
const DOING =
  /^(?:(?:how|where|when) (?:do|can|could|should|would|may|must) (?:i|we|you|one)|how to|(?:can|could|may|should|must) (?:i|we|you|one)) (?<doing>\p{L}[^?]{2,100})\?*$/iu;

/** The object of an action: «the filter» in «change the filter». */
const OBJECT = /^\p{L}+ (?<thing>(?:an?|the|my|our|your|this|that) [^,]+)/iu;

/** Words before a pronoun that is a subject or refers to nothing: «does it take», «is it possible». */
const BEFORE_A_SUBJECT =
  /^(?:is|are|was|were|does|do|did|can|could|will|would|should|must|may|might|has|have|had|if|when|that|why|how|and|but|or)$/iu;

const POINTING = /(?<![\p{L}\p{N}])(?<before>[\p{L}'’]{1,40} )?(?<word>it|they|them|one|ones)(?![\p{L}\p{N}'’-])/iu;

const DOES_SO = /(?<!\p{L})do (?:that|this|it|so)(?!\p{L})/iu;

/** The antecedent of a pronoun: for a subject the topic of the question before, for an object also the object of its action. */
function antecedentOf(before: string, stem: string): string | undefined {
  const about = ABOUT.map((pattern) => pattern.exec(stem)?.groups).find(Boolean);
  if (about) return `${about.thing}${about.where ?? ''}`;
  const doing = DOING.exec(stem)?.groups?.doing;
  return before !== '' && !BEFORE_A_SUBJECT.test(before) ? OBJECT.exec(doing ?? '')?.groups?.thing : undefined;
}

/** Replaces the pronoun of a question by its antecedent in the question before; undefined if there is none for certain. */
export function resolvePronoun(question: string, stem: string): string | undefined {
  if (conjunctionIn(question)) return undefined;
  const previous = stem.trim();
  const doing = DOING.exec(previous)?.groups?.doing;
  if (DOES_SO.test(question)) return doing && question.replace(DOES_SO, () => doing);
  const { before = '', word } = POINTING.exec(question)?.groups ?? {};
  if (word === undefined) return undefined;
  const antecedent = antecedentOf(before.trim(), previous);
  if (antecedent === undefined || (/^ones?$/i.test(word) && /^(?:the|my|our|your|this|that) /i.test(antecedent))) return undefined;
  return question.replace(POINTING, () => `${before}${antecedent}`);
}

// What a follow-up names in the place of what was named before: «and the Gold plan?» after «How much is the Plus plan?».

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

function replaceableNumbers(words: readonly string[], number: string): number[] {
  const alike = [...words.keys()].filter((i) => kindOf(words[i]!) === kindOf(number));
  const twins = alike.filter((i) => shapeOf(words[i]!) === shapeOf(number));
  return twins.length > 0 ? twins : alike;
}

/** A word by its index. */
type Among = readonly [words: readonly string[], at: number];

const termAt = ([words, at]: Among, step: -1 | 1): string | undefined => terms(words[at + step] ?? '')[0];

/** The label before a number: «Skua» in «the Skua 27». */
function labelOf(among: Among, language: string): string | undefined {
  const label = termAt(among, -1);
  return label !== undefined && !isFunctionWord(label, language) ? label : undefined;
}

/** Whether a number may replace another: after a label («series 7») only with the same label, before a count («3 years») only with the same count. */
function isAlike(asked: Among, before: Among, language: string): boolean {
  if (kindOf(asked[0][asked[1]]!) !== 'number') return true;
  const label = labelOf(asked, language);
  if (label !== undefined) return termAt(before, -1) === label;
  const counted = termAt(asked, 1);
  return counted === undefined || termAt(before, 1) === counted;
}

/** Replaces numbers of the earlier question by those of the follow-up («and E05?» after E24). `isWhole` tells whether each replaced exactly one. */
function replaceNumbers(before: readonly string[], asked: readonly string[], language: string): { words: string[]; isWhole: boolean } {
  const numbers = [...asked.entries()].filter(([, word]) => kindOf(word) !== undefined);
  let words = [...before];
  let isWhole = numbers.length > 0;
  for (const [at, number] of numbers) {
    const places = replaceableNumbers(words, number).filter((place) => isAlike([asked, at], [words, place], language));
    const only = numbers.length === 1 && places.length === 1 ? places[0] : undefined;
    if (only === undefined) {
      words = words.filter((_, i) => !places.includes(i));
      isWhole = false;
    } else words[only] = replaceWord(words[only]!, bare(number));
  }
  return { words, isWhole };
}

/** The index of the first modifier of a noun: «Gold» in «the Gold plan». */
function modifierStart(words: readonly string[], head: number, isSmall: (word: string) => boolean): number {
  let at = head;
  while (at > 0 && !isSmall(words[at - 1]!) && bare(words[at - 1]!) === words[at - 1]) at--;
  return at;
}

/** Replaces a noun phrase by one with the same noun: «the Gold plan» for «the Plus plan». */
function replaceNoun(before: readonly string[], asked: readonly string[], isSmall: (word: string) => boolean): string[] | undefined {
  const head = terms(asked.at(-1) ?? '').join(' ');
  const places = [...before.keys()].filter((i) => head !== '' && terms(before[i]!).join(' ') === head);
  const place = places[0];
  if (place === undefined || places.length > 1) return undefined;
  const own = asked.slice(modifierStart(asked, asked.length - 1, isSmall), -1);
  const first = modifierStart(before, place, isSmall);
  if (own.length === 0 || first === place || own.length < asked.filter((word) => !isSmall(word)).length - 1) return undefined;
  return [...before.slice(0, first), ...own, ...before.slice(place)];
}

const CAPITALIZED = /^\p{Ll}?\p{Lu}/u;

const isName = (words: readonly string[], i: number): boolean =>
  i > 0 && CAPITALIZED.test(words[i] ?? '') && !/^I\b/.test(words[i]!) && !/[.!?:]$/.test(words[i - 1]!);

/** Whether a word is a number that may be part of a name: «the Skua 27». */
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

/** Replaces a name after the same words, if any: «to Norway» for «to Spain», «the Duo» for «the Solo», «Leeds» for «Hamburg». */
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
const FEWEST_TERMS = 2;

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

/** Whether a question has only question words: «until when?», «Von wem?». */
const onlyAsks = (question: string): boolean =>
  wordsOf(question)
    .map(bare)
    .every((word) => word === '' || BEFORE_A_NAME.test(word) || ASKING.exec(word)?.[0] === word);

/** A pronoun at the end: «When should I use one?». */
const POINTING_ONE = new RegExp(String.raw`(?<!\p{L})(?:${listed(({ pointingEnds }) => pointingEnds)})\s*[?.!]*$`, 'iu');

const pointsBack = (question: string): boolean => POINTING_BACK.test(question) || POINTING_ONE.test(question);
const refersBack = (question: string): boolean => REFERRING_BACK.test(question) || POINTING_ONE.test(question);

/** Verbs; a question without one is incomplete: «In which cities?». */
const VERB = wholeWord(listed(({ verbs }) => verbs));

/** Words that name no subject: «How much would I get?». */
const NAMES_NOTHING = new Set(terms(wordList(({ followUps }) => followUps.vague).join(' ')));

/** Removes what joins a question to the last one: «And how do I route a track?» becomes «how do I route a track?». */
export const withoutConjunction = (question: string): string => question.replace(GOING_ON, '');

/** Whether a question that looks like a follow-up may stand alone: it has a verb, a subject and no reference («What is chokidar?»). */
export function mayStandAlone(question: string): boolean {
  const goesOn = GOING_ON.test(question);
  const rest = withoutConjunction(question);
  const named = ownTerms(rest).filter((term) => !NAMES_NOTHING.has(term));
  return VERB.test(rest) && !refersBack(rest) && !onlyAsks(rest) && named.length >= (goesOn ? FEWEST_TERMS : 1);
}

const isFollowUp = (question: string): boolean =>
  GOING_ON.test(question) || pointsBack(question) || ownTerms(question).length < FEWEST_TERMS || onlyAsks(question);

interface DialogueState {
  /** The last question that stood alone, with later replacements. */
  stem: string;
  /** The last thing asked about it since. */
  asked: string;
  /** The last addition that replaced nothing: «and to Norway?». */
  added: string;
}

/** Whether a follow-up only names another subject: «and the Gold plan?». */
const namesAnother = (question: string): boolean => {
  const rest = withoutConjunction(question);
  return !ASKS_ON.test(question) && !ASKING.test(rest) && !POINTING_BACK.test(rest);
};

function applyFollowUp(state: DialogueState, question: string): DialogueState {
  const words = wordsOf(withoutConjunction(question).replace(/(?<![\s?？!.…])[\s?？!.…]+$/u, ''));
  const before = wordsOf(state.stem);
  const language = languageOf(state.stem) ?? 'en';
  const { words: stem, isWhole } = replaceNumbers(before, words, language);
  if (!namesAnother(question)) return { stem: stem.join(' '), asked: question, added: '' };
  const isSmall = (word: string) => isFunctionWord(bare(word).toLowerCase(), language);
  const known = new Set(terms(state.stem));
  const isAllThere = words.every((word) => isSmall(word) || kindOf(word) !== undefined || terms(word).every((term) => known.has(term)));
  if (isWhole && isAllThere) return { ...state, stem: stem.join(' ') };
  const replaced = replaceNoun(before, words, isSmall) ?? replaceName(before, words, language);
  return replaced ? { ...state, stem: replaced.join(' ') } : { ...state, stem: stem.join(' '), added: question };
}

const textOf = ({ stem, asked, added }: DialogueState): string => [stem, asked, added].filter(Boolean).join(' ');

/**
 * Rewrites a follow-up to stand alone, and tells whether the earlier questions gave it a subject. It fills in what a pronoun stands for, or combines
 * the last question that stood alone, with replacements, and the follow-up. Other questions are unchanged. `before`: earlier questions, oldest first.
 */
export function resolveFollowUp(query: string, before: readonly string[]): { text: string; hasSubject: boolean } {
  if (!isFollowUp(query)) return { text: query, hasSubject: true };
  const telling = before.filter((question) => !asksForMore(question));
  const from = telling.findLastIndex((question) => !isFollowUp(question) || mayStandAlone(question));
  const [first, ...rest] = telling.slice(Math.max(0, from));
  if (first === undefined) return { text: query, hasSubject: false };
  const state = rest.reduce(applyFollowUp, { stem: first, asked: '', added: '' });
  const carried = () => resolvePronoun(query, state.stem) ?? textOf(applyFollowUp(state, query));
  const text = asksForMore(query) ? `${textOf(state)} ${query}` : carried();
  return { text, hasSubject: from >= 0 };
}
