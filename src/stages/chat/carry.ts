import { ownTerms, terms } from '../../base/terms.ts';
import { bare, BEFORE_A_NAME, kindOf, renumbered, sameName, sameNoun } from './in-place.ts';
import { onlyAsksOn } from './instead.ts';
import { spelledOut } from './spell-out.ts';
import { isFunctionWord, languageOf } from '../../base/language.ts';

/** A question with fewer words of its own than this can hardly stand alone. */
const FEWEST_TERMS = 2;

/** Words that point back at what was said (also "What then?"), and beginnings that go on with it: English, German, French, Spanish, Italian, Portuguese, Dutch. */
const POINTING_BACK = new RegExp(
  String.raw`(?<![\p{L}\p{N}])(?:it|its|they|them|their|theirs|this|that|these|those|there|then|meanwhile|instead|otherwise|he|him|his|she|her|hers|er|sie|es|ihn|ihm|ihre|deren|dessen|dies|diese|dieser|dieses|dort|dann|davon|dafür|damit|dabei|daran|darauf|dazu|stattdessen|sonst|il|elle|ils|elles|cela|ça|celui|celle|leur|alors|sinon|ella|ello|ellos|ellas|eso|esto|ese|esa|su|sus|entonces|allí|esso|essa|questo|questa|quello|quella|allora|ele|ela|eles|elas|isso|isto|hij|zij|hem|haar|hun|deze|dan|daar|daarna)(?![\p{L}\p{N}])`,
  'iu',
);
/** Beginnings; of those that no blank ends, `那` begins names, too: alone it goes on where `呢` ends the question. */
const GOING_ON =
  /^\s*(?:(?:and|or|but|so|then|also|what about|how about|why|since when|und|oder|aber|et|ou|mais|y|pero|e|ma|mas|en|maar|и|а|но|그럼|그리고)(?![\p{L}\p{N}])|那(?:[么麼]|(?!\p{L})|(?=[^?？]*呢\P{L}*$))|では|じゃあ)[\s,，、]*/iu;

/** Words that make a question a sentence of its own: how it asks, and the verbs that it begins with. The same languages. */
const ASKING = new RegExp(
  String.raw`(?<![\p{L}\p{N}])(?:what|which|who|whom|whose|when|where|why|how|is|are|was|were|do|does|did|can|could|may|must|should|will|would|has|have|if|welche[rsnm]?|wer|wen|wem|wann|wo|warum|wieso|wie|wieviel|ist|sind|kann|können|muss|müssen|darf|soll|hat|haben|gibt|wird|wenn|quelle?s?|qui|quoi|quand|où|pourquoi|comment|combien|est|sont|peut|dois|faut|si|qué|quién|cuál|cuándo|dónde|cómo|cuánt[oa]s?|es|son|puedo|puede|che|chi|quale|quando|dove|perché|come|quant[oaie]|è|sono|posso|può|que|quem|qual|onde|como|quanto|é|são|pode|wat|welke?|wie|wanneer|waar|waarom|hoe|hoeveel|zijn|kan|moet)(?![\p{L}\p{N}])`,
  'iu',
);

const wordsOf = (text: string): string[] => text.split(' ').filter(Boolean);

/** Whether a question says nothing but how it asks: «until when?», «Von wem?». */
const onlyAsks = (question: string): boolean =>
  wordsOf(question)
    .map(bare)
    .every((word) => word === '' || BEFORE_A_NAME.test(word) || ASKING.exec(word)?.[0] === word);

/** «When should I use one?»: it stands for what was named before. */
const POINTING_ONE = /(?<!\p{L})(?:use|need|get|have|want|make|create|is|are) (?:one|ones)\s*[?.!]*$/iu;

const pointsBack = (question: string): boolean => POINTING_BACK.test(question) || POINTING_ONE.test(question);

/** Verbs without which a question is a part of one: «In which cities?». English, German, French, Spanish, Italian, Portuguese, Dutch. */
const VERB =
  /(?<!\p{L})(?:is|are|was|were|do|does|did|can|could|may|must|should|will|would|has|have|means?|ist|sind|war|waren|kann|können|muss|bedeutet|heißt|est|sont|signifie|es|son|significa|è|sono|é|são|zijn|betekent)(?!\p{L})/iu;

/** Words that name no thing of their own: «How much would I get?». */
const NAMES_NOTHING = new Set(terms('get take need cost use work go make have want help happen much many long often high big'));

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
  return !/^\s*(?:why|since when)/iu.test(question) && !ASKING.test(rest) && !POINTING_BACK.test(rest);
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
export function carriedOver(query: string, before: readonly string[]): { text: string; hasSubject: boolean } {
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
