import { CITATIONS } from '../../../text/model-output.ts';
import { sentenceSegmenter } from '../../../text/sentences.ts';
import { alternatives, LANGUAGES, phrasePattern } from '../../../languages/languages.ts';
import { OTHER_PHRASES } from '../../../languages/other-languages.ts';

const compilePatterns = () => ({
  /** Statements that the sources do not answer. */
  refusals: [...LANGUAGES.flatMap(({ models }) => models.refusals), ...OTHER_PHRASES.refusals].map(phrasePattern),
  /** Conjunctions that introduce an answer after a refusal. */
  contrast: phrasePattern(
    `[;:]|‹(?:${alternatives(({ models }) => models.contrasts, OTHER_PHRASES.contrasts)})›|但|不过|しかし|ですが|ますが|하지만|지만`,
  ),
  polite: phrasePattern(
    `^(?:‹(?:${alternatives(({ models }) => models.politeness, OTHER_PHRASES.politeness)})›|抱歉|对不起|很遗憾|请|申し訳|すみません|恐れ入|죄송)(?!…‹note)`,
  ),
});

let compiled: ReturnType<typeof compilePatterns> | undefined;
/** Compiled for the first answer of a model: it takes 15 ms, and most runs of kb read none. */
const patterns = () => (compiled ??= compilePatterns());

/** Maximum length of a refusal, in characters. */
const MAX_LENGTH = 400;

/** The sentences, normalized: lower case, straight apostrophes, no emphasis. */
const sentencesOf = (text: string): string[] =>
  Array.from(sentenceSegmenter.segment(text), ({ segment }) => normalizeSentence(segment).trim()).filter(Boolean);

const normalizeSentence = (text: string): string =>
  text
    .normalize('NFC')
    .toLowerCase()
    .replace(/[’‘`´]/g, "'")
    .replace(/[*_]/g, '')
    .replace(/\s+/g, ' ');

/** The text of a sentence after its refusal: "…, but hotels are"; undefined if it has none. */
function textAfterRefusal(sentence: string): string | undefined {
  const found = patterns()
    .refusals.map((pattern) => pattern.exec(sentence))
    .filter((match) => match !== null);
  const first = found.toSorted((a, b) => a.index + a[0].length - (b.index + b[0].length))[0];
  return first && sentence.slice(first.index + first[0].length);
}

function isRefusing(sentence: string): boolean {
  const rest = textAfterRefusal(sentence);
  return rest !== undefined && !patterns().contrast.test(rest);
}

const isPolite = (sentence: string): boolean => sentence.length <= 200 && (patterns().polite.test(sentence) || /[?？]$/.test(sentence));

/** Whether a sentence has numbers that the question lacks, and so answers something. */
const addsNumber = (sentence: string, query: string): boolean =>
  (sentence.match(/\p{N}+/gu) ?? []).some((number) => !query.includes(number));

const cites = (text: string): boolean => text.search(CITATIONS) >= 0;

/** Whether an answer only says, in one of a dozen languages, that the sources do not answer: it is short and cites nothing. In doubt, false. */
export function isRefusal(answer: string, query: string): boolean {
  const sentences = sentencesOf(answer);
  const harmless = (sentence: string) => (isRefusing(sentence) || isPolite(sentence)) && !addsNumber(sentence, normalizeSentence(query));
  return answer.length <= MAX_LENGTH && !cites(answer) && sentences.every(harmless) && sentences.some(isRefusing);
}

/** Whether an answer begins with a refusal, and so answers only a part of the question. */
export function beginsAsRefusal(answer: string): boolean {
  const [first = ''] = sentencesOf(answer.replace(CITATIONS, ''));
  return textAfterRefusal(first) !== undefined;
}

/** Whether the beginning of an answer without citations is short enough to become a refusal. */
export const mayBeRefusal = (beginning: string): boolean => beginning.length <= MAX_LENGTH;
