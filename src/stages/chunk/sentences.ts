import { goesOn } from '../../base/sentence-ends.ts';
import { isSpace, skipSpace } from './whitespace.ts';

/** What may end a sentence, with the quotes and brackets that close with it; bounded, so that a row of dots is no trap. Scripts without spaces between sentences need none behind it. */
const SENTENCE_END = /[.!?…]{1,8}["'”’»)\]*_]{0,8}(?=\s)|[。！？｡]{1,8}["'”’」』）】》]{0,8}|[؟۔।॥።]/g;

/** Words before a full stop that end no sentence, in the languages that manuals are most often written in. */
const ABBREVIATIONS = new Set(
  'e.g i.e cf vs ca approx dr mr mrs ms prof st no nr fig figs vol ed eds pp p al inc ltd bzw usw z.b d.h vgl abb bspw evtl ggf inkl max min tel art sec ch p.ex env m mme etc'.split(
    ' ',
  ),
);

/** Where the last sentence within `from` to `to` ends (exclusive); -1 where none does. */
export function lastSentenceEnd(text: string, from: number, to: number): number {
  let best = -1;
  for (const end of sentenceEnds(text, from, to)) best = end;
  return best;
}

/** Where the first sentence that begins after `from` begins, before `to`; -1 where none does. */
export function firstSentenceStart(text: string, from: number, to: number): number {
  for (const end of sentenceEnds(text, from, to)) {
    const start = skipSpace(text, end, to);
    return start < to ? start : -1;
  }
  return -1;
}

function* sentenceEnds(text: string, from: number, to: number): Generator<number, void, void> {
  // one character more, for the white space behind a sentence that ends at `to`
  const window = text.slice(from, to + 1);
  for (const { 0: marks, index } of window.matchAll(SENTENCE_END)) {
    const end = from + index + marks.length;
    if (end <= to && !(marks.startsWith('.') && isWithinSentence(text, from + index, end))) yield end;
  }
}

/** Whether the full stop at `dot` belongs to an abbreviation, an initial, an ordinal or the number of a list, or the sentence goes on in lower case. */
function isWithinSentence(text: string, dot: number, end: number): boolean {
  const next = text.charAt(skipSpace(text, end, Math.min(text.length, end + 40)));
  if (next !== next.toUpperCase() || goesOn(text, end)) return true;
  let start = dot;
  while (start > 0 && dot - start < 12 && !isSpace(text.charCodeAt(start - 1)) && text[start - 1] !== '(') start -= 1;
  const word = text.slice(start, dot);
  if (/^\d+$/.test(word)) return start === 0 || text[start - 1] === '\n';
  return /^\p{Lu}$/u.test(word) || ABBREVIATIONS.has(word.toLowerCase());
}
