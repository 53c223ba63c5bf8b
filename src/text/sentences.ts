import { alternatives, wordList } from '../languages/languages.ts';
import { isSpace, skipSpace } from '@citekb/documents/markdown';

/** Characters that are examined on either side of a full stop. */
const REACH = 48;

const wordPattern = (words: readonly string[]): string => `(?:${words.join('|')})(?![\\p{L}\\p{N}])`;

/** Words before ordinals, rarely before a number that ends a sentence: "am 30. September". The English "I am 12." ends one. */
const ORDINAL = new RegExp(
  String.raw`(?<![\p{L}\p{N}])(?<!\bI[^\S\n])(?:${wordList(({ sentences }) => sentences.ordinals?.before).join('|')})[^\S\n]+\d{1,2}\.$`,
  'iu',
);

/** Words that begin sentences and never follow an ordinal: "von 8 bis 12. Die Werkstatt …". */
const OPENER = new RegExp(`^${wordPattern(wordList(({ sentences }) => sentences.openers))}`, 'u');

const NUMBER = /(?<![\p{L}\p{N}.,])\d{1,2}\.$/u;

/** Words that follow ordinals, unless English follows them: "There were 12. August was hot." */
const COUNTED = new RegExp(
  String.raw`^${wordPattern(
    wordList(({ months, sentences: { ordinals } }) => ordinals && `${months.replaceAll('|', ' ')} ${ordinals.counted}`),
  )}(?!\s+(?:is|was|are|were|has|had|will|the|your|up|of|and)\b)`,
  'u',
);

/** Abbreviations that never end a sentence. */
const ABBREVIATION = new RegExp(String.raw`(?<![\p{L}\p{N}])(?:${alternatives(({ sentences }) => sentences.continued?.always)})\.$`, 'u');

/** The first letter of an abbreviation with blanks: the `z.` of "z. B." */
const FIRST_LETTER = /(?<![\p{L}\p{N}.])\p{Ll}\.$/u;
const NEXT_LETTER = /^\p{L}\.(?![\p{L}\p{N}])/u;

/** Abbreviations before a number only: "Tel. 0431", "§ 5 Abs. 2", "Hafenstr. 12", "max. 8 Personen". */
const BEFORE_NUMBER = new RegExp(String.raw`(?:${alternatives(({ sentences }) => sentences.continued?.beforeNumber)})\.$`, 'u');
const NUMBERED = /^(?:\+\d|\(?\d|§|Nr\.)/;

/**
 * Whether a sentence continues after a full stop although a capital letter or a digit follows, as in German after an ordinal ("bis zum 30. September",
 * "im 2. Stock") or an abbreviation ("z. B.", "Abs. 2"). `end` is an index after the full stop, before or after the blanks that follow it. No
 * sentence continues after an empty line.
 */
export function isSentenceContinued(text: string, end: number): boolean {
  const before = text.slice(Math.max(0, end - REACH), end).trimEnd();
  const behind = text.slice(end, end + REACH);
  if (!before.endsWith('.') || /^\s*\n\s*\n/.test(behind)) return false;
  const next = behind.trimStart();
  if (NUMBER.test(before) && COUNTED.test(next)) return true;
  if (ORDINAL.test(before)) return /^\p{Lu}[\p{L}-]{2}/u.test(next) && !OPENER.test(next);
  return (
    ABBREVIATION.test(before) ||
    (FIRST_LETTER.test(before) && NEXT_LETTER.test(next)) ||
    (BEFORE_NUMBER.test(before) && NUMBERED.test(next))
  );
}

/** Possible ends of sentences with closing quotes and brackets; bounded, so that rows of dots take linear time. Only Latin marks need a space after them. */
const SENTENCE_END = /[.!?…]{1,8}["'”’»)\]*_]{0,8}(?=\s)|[。！？｡]{1,8}["'”’」』）】》]{0,8}|[؟۔।॥።]/g;

const ABBREVIATIONS = wordList(({ sentences }) => sentences.abbreviations);

/** Abbreviations after which a text is not cut, in lower case. */
const UNCUT_ABBREVIATIONS = new Set(
  [...ABBREVIATIONS, ...wordList(({ sentences }) => sentences.softAbbreviations)].map((word) => word.toLowerCase()),
);

/** A full stop after an initial, a title or an abbreviation, which does not end a sentence. */
const ABBREVIATED = new RegExp(
  String.raw`(?:^|[\s("«“])(?:\p{Lu}|(?:\p{L}\.)+\p{L}|${ABBREVIATIONS.map((word) => word.replaceAll('.', '\\.')).join('|')})\.\s*$`,
  'u',
);

/** Whether a text ends with an initial or an abbreviation that does not end a sentence. */
export const endsWithAbbreviation = (text: string): boolean => ABBREVIATED.test(text);

/** Finds the end (exclusive) of the last sentence between `from` and `to`; -1 if none ends there. */
export function lastSentenceEnd(text: string, from: number, to: number): number {
  let best = -1;
  for (const end of sentenceEnds(text, from, to)) best = end;
  return best;
}

/** Finds the beginning of the first sentence after `from` and before `to`; -1 if none begins there. */
export function firstSentenceStart(text: string, from: number, to: number): number {
  for (const end of sentenceEnds(text, from, to)) {
    const start = skipSpace(text, end, to);
    return start < to ? start : -1;
  }
  return -1;
}

function* sentenceEnds(text: string, from: number, to: number): Generator<number, void, void> {
  // one more character for the white space after a sentence that ends at `to`
  const window = text.slice(from, to + 1);
  for (const { 0: marks, index } of window.matchAll(SENTENCE_END)) {
    const end = from + index + marks.length;
    if (end <= to && !(marks.startsWith('.') && isWithinSentence(text, from + index, end))) yield end;
  }
}

/** Whether the full stop at `dot` belongs to an abbreviation, an initial, an ordinal or a list number, or lower case follows. */
function isWithinSentence(text: string, dot: number, end: number): boolean {
  const next = text.charAt(skipSpace(text, end, Math.min(text.length, end + 40)));
  if (next !== next.toUpperCase() || isSentenceContinued(text, end)) return true;
  let start = dot;
  while (start > 0 && dot - start < 12 && !isSpace(text.charCodeAt(start - 1)) && text[start - 1] !== '(') start -= 1;
  const word = text.slice(start, dot);
  if (/^\d+$/.test(word)) return start === 0 || text[start - 1] === '\n';
  return /^\p{Lu}$/u.test(word) || UNCUT_ABBREVIATIONS.has(word.toLowerCase());
}

/** Splits text into sentences by Unicode's rules, which break at some abbreviations and ordinals. */
export const sentenceSegmenter = new Intl.Segmenter('en', { granularity: 'sentence' });

/** Inline code, in which no sentence ends. */
const CODE = /(?<!`)(`+)(?!`)[^]{0,500}?[^`]\1(?!`)/g;

/** The end of a question. */
const QUESTION_END = /[?？]["'”’»)\]*_]*\s*$/u;

/**
 * Splits a paragraph into trimmed sentences. Unicode's breaks at abbreviations and ordinals, before lower case and in code are undone. A question
 * stays with the sentence after it, since a question in a text says nothing without its answer.
 */
export function sentencesOf(paragraph: string): string[] {
  const sentences: string[][] = [];
  const prose = paragraph.replace(CODE, (code) => 'X'.repeat(code.length));
  for (const { segment, index } of sentenceSegmenter.segment(prose)) {
    const last = sentences.at(-1);
    const written = paragraph.slice(index, index + segment.length);
    if (
      last &&
      (QUESTION_END.test(last.at(-1)!) ||
        endsWithAbbreviation(last.at(-1)!) ||
        isSentenceContinued(prose, index) ||
        /^[\p{Ll},;)\]]/u.test(segment))
    )
      last.push(written);
    else sentences.push([written]);
  }
  return sentences.map((parts) => parts.join('').trim()).filter((sentence) => sentence !== '');
}
