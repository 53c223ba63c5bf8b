import { endsWithAbbreviation, isSentenceContinued } from '../../text/sentences.ts';

const segmenter = new Intl.Segmenter('en', { granularity: 'sentence' });

/** Inline code, in which no sentence ends. */
const CODE = /(?<!`)(`+)(?!`)[^]{0,500}?[^`]\1(?!`)/g;

/** The end of a question. */
const ASKS = /[?？]["'”’»)\]*_]*\s*$/u;

/**
 * The sentences of a paragraph, trimmed. Unicode's breaks at abbreviations and ordinals, before lower case and in code are undone. A question stays
 * together with the sentence after it: what a text asks answers nothing without what it says to that.
 */
export function sentencesOf(paragraph: string): string[] {
  const sentences: string[][] = [];
  const prose = paragraph.replace(CODE, (code) => 'X'.repeat(code.length));
  for (const { segment, index } of segmenter.segment(prose)) {
    const last = sentences.at(-1);
    const written = paragraph.slice(index, index + segment.length);
    if (
      last &&
      (ASKS.test(last.at(-1)!) ||
        endsWithAbbreviation(last.at(-1)!) ||
        isSentenceContinued(prose, index) ||
        /^[\p{Ll},;)\]]/u.test(segment))
    )
      last.push(written);
    else sentences.push([written]);
  }
  return sentences.map((parts) => parts.join('').trim()).filter((sentence) => sentence !== '');
}
