import { CITATIONS, numbersCited } from '../../../text/model-output.ts';
import { endsWithAbbreviation, isSentenceContinued } from '../../../text/sentences.ts';
import type { Unsupported } from '../../../schema/answers.ts';
import { beginsAsRefusal } from './refusal.ts';
import type { SupportFinder } from './support.ts';

/** Marks that may end a sentence, with closing quotes and emphasis, and the end of a line. */
const END = /\n|[.!?…]{1,8}["'”’»)*_]{0,8}(?=\s|$)|[。！？｡]{1,8}["'”’」』）】》]{0,8}/g;

/** Citations behind the marks that end a sentence. */
const CITATIONS_BEHIND = new RegExp(String.raw`^(?:[ \t]*${CITATIONS.source})*`);

/** The possible beginning of a citation. */
const PARTIAL_CITATION = /^\s*\[[\d,;\s–-]{0,50}$/;

/** Plain marks at the end of a sentence, before which a citation is put. */
const FINAL_MARKS = '.!?。！？｡';

/** Marks and white space at the end of a sentence that are held back. */
const HELD_MARKS = `${FINAL_MARKS}…"'”’»)*_」』）】》 \t\r\n`;

/** Lines in which a citation would break something, or that state nothing: tables and headings, questions and what introduces a list. */
const UNCITED = /^\s*(?:\||#{1,6}\s)|[:：?？]["'”’»)*_]{0,8}$/;

/** The end of a question, to which the next sentence belongs. */
const QUESTION_END = /[?？]["'”’»)*_]{0,8}$/;

const FENCE = /^\s*(?:```|~~~)/;

/** Minimum letters of a sentence whose repetition counts, and how often it may be said. */
const MIN_REPEATED = 16;
const MAX_REPEATED = 2;

/** The words of a sentence, without citations and marks around it. */
function wordsOf(sentence: string): string {
  const text = sentence
    .replace(CITATIONS, ' ')
    .replace(/\[[^\][]{0,60}$/, ' ')
    .replace(/\s+/g, ' ')
    .replace(/^[\s*_#>-]+/, '');
  return text.slice(0, endOf(text, ' *_.!?…'));
}

/** Whether a text says anything beside citations and marks. */
export const hasWords = (text: string): boolean => /[\p{L}\p{N}]/u.test(wordsOf(text));

/** A possible end of a sentence: a whole one, or how much of an unfinished one may be shown. */
type Place = { end: number } | { safe: number };

/**
 * Reads the sentences of an answer while it is generated, puts the number of the source that supports a sentence behind it if it has no citation, and stops at a
 * sentence that is repeated. It holds back marks and white space at the end of a sentence, and marks without words. The output does not depend on how the
 * answer is split into pieces.
 */
export class CitedSentences {
  readonly unsupported: Unsupported[] = [];
  /** Number of sentences that sources support. */
  supported = 0;
  /** Whether a sentence was said over and over; the rest is dropped. */
  isRepeating = false;
  /** The unfinished sentence, and how much of it was shown. */
  #pending = '';
  #shown = 0;
  /** How much of it has no end of a sentence. */
  #scanned = 0;
  /** The open block of code. */
  #code: string | undefined;
  /** A source that supports a block of code. */
  #codeSource: number | undefined;
  #hasShown = false;
  readonly #said = new Map<string, number>();
  readonly #cited: Set<number>;
  readonly #count: number;
  readonly #support: SupportFinder;

  /** `cited`: gets the citations that are added; `count`: number of sources. */
  constructor({ cited, count, support }: { cited: Set<number>; count: number; support: SupportFinder }) {
    this.#cited = cited;
    this.#count = count;
    this.#support = support;
  }

  /** Returns what may be shown now; `isEnd`: all of it. */
  async push(text: string, isEnd = false): Promise<string> {
    if (this.isRepeating) return '';
    this.#pending += text;
    let out = '';
    for (;;) {
      const boundary = this.#nextPlace(isEnd);
      if ('safe' in boundary) return out + this.#showUpTo(boundary.safe) + (isEnd ? this.#citeCode() : '');
      out += await this.#finish(this.#pending.slice(0, boundary.end));
      if (this.isRepeating) return out;
      this.#pending = this.#pending.slice(boundary.end);
      [this.#shown, this.#scanned] = [0, 0];
    }
  }

  /** Finds the end of the pending sentence. */
  #nextPlace(isEnd: boolean): Place {
    const text = this.#pending;
    const from = text.search(/\S/);
    if (from < 0) return { safe: 0 };
    const isCode = this.#code !== undefined || FENCE.test(text);
    END.lastIndex = Math.max(from, this.#scanned);
    for (let match = END.exec(text); match; match = END.exec(text)) {
      const { 0: marks, index } = match;
      if (marks === '\n') return { end: index };
      if (isCode) continue;
      const end = index + marks.length;
      const behind = text.slice(end);
      const [citations = ''] = CITATIONS_BEHIND.exec(behind) ?? [];
      const next = nextWord(behind.slice(citations.length), FINAL_MARKS.indexOf(marks[0]!) > 2);
      if (next === undefined && !isEnd) return { safe: index };
      if (!this.#continues(end, next ?? behind)) return { end: end + citations.length };
      this.#scanned = end;
    }
    if (isEnd) return { end: text.trimEnd().length };
    const held = endOf(text, HELD_MARKS);
    this.#scanned = Math.max(this.#scanned, held);
    return { safe: isCode ? text.length : held };
  }

  /** Whether the sentence goes on behind `end`, as after an abbreviation, the number of a list, or within code. */
  #continues(end: number, next: string): boolean {
    if (next.includes('\n') || next.trim() === '') return false;
    const sentence = this.#pending.slice(0, end);
    const isWithinCode = sentence.split('`').length % 2 === 0;
    const isListNumber = /^\s*[*_]*\d+[.)]$/.test(sentence);
    return (
      isWithinCode ||
      isListNumber ||
      QUESTION_END.test(sentence) ||
      endsWithAbbreviation(sentence) ||
      (/[.…]$/.test(sentence) && /^\s*[\p{Ll},;]/u.test(next)) ||
      isSentenceContinued(sentence + next, end)
    );
  }

  /** Shows the pending sentence up to `end`, unless it has no words yet or may become a repetition. */
  #showUpTo(end: number): string {
    if (end <= this.#shown) return '';
    const text = this.#pending.slice(0, end);
    if (!this.#hasShown && !hasWords(text)) return '';
    const isRepeated = (start: string) => this.#said.entries().some(([said, times]) => times >= MAX_REPEATED && said.startsWith(start));
    return this.#shown === 0 && this.#code === undefined && isRepeated(wordsOf(text)) ? '' : this.#emit(text);
  }

  #emit(text: string): string {
    const shown = text.slice(this.#shown);
    this.#shown = text.length;
    this.#hasShown ||= shown !== '';
    return shown;
  }

  /** Ends a sentence: checks it, and returns what is left to show of it. */
  async #finish(sentence: string): Promise<string> {
    const isFence = FENCE.test(sentence);
    if (isFence || this.#code !== undefined) {
      await this.#readCode(sentence, isFence);
      return this.#emit(sentence);
    }
    if (!this.#hasShown && !hasWords(sentence)) return '';
    this.#noteRepetition(sentence);
    return this.isRepeating ? '' : this.#emit(await this.#cite(sentence));
  }

  /** Reads a line of a block of code; its last line compares the block with the sources. */
  async #readCode(line: string, isFence: boolean): Promise<void> {
    const block = `${this.#code ?? ''}${line}`;
    if (!isFence || this.#code === undefined) {
      this.#code = block;
      return;
    }
    this.#code = undefined;
    const { isSupported, best } = await this.#support(block.trim(), []);
    if (isSupported) this.#codeSource ??= best;
    this.#note(isSupported, { sentence: block.trim(), citations: [] });
  }

  #note(isSupported: boolean | undefined, statement: Unsupported): void {
    if (isSupported) this.supported++;
    if (isSupported === false) this.unsupported.push(statement);
  }

  #noteRepetition(sentence: string): void {
    const words = wordsOf(sentence);
    if (words.length < MIN_REPEATED || UNCITED.test(sentence)) return;
    const times = (this.#said.get(words) ?? 0) + 1;
    this.#said.set(words, times);
    this.isRepeating = times > MAX_REPEATED;
  }

  /** Compares a sentence with the sources, and adds the citation that it lacks. */
  async #cite(sentence: string): Promise<string> {
    const text = sentence.trim();
    if (UNCITED.test(text) || beginsAsRefusal(text)) return sentence;
    const citations = this.#citationsIn(text);
    const { isSupported, best } = await this.#support(text, citations);
    this.#note(isSupported, { sentence: text, citations });
    if (!isSupported || best === undefined || citations.length > 0) return sentence;
    this.#cited.add(best);
    const at = endOf(sentence, FINAL_MARKS);
    return `${sentence.slice(0, at)} [${best}]${sentence.slice(at)}`;
  }

  /** The citation of code in an answer without any other. */
  #citeCode(): string {
    if (this.#codeSource === undefined || this.#cited.size > 0) return '';
    this.#cited.add(this.#codeSource);
    return `\n[${this.#codeSource}]`;
  }

  #citationsIn(text: string): number[] {
    const numbers = Array.from(text.matchAll(CITATIONS)).flatMap(([, list]) => numbersCited(list!, this.#count) ?? []);
    return [...new Set(numbers)].filter((number) => number >= 1 && number <= this.#count);
  }
}

/** Where the text ends without the marks at its end. */
function endOf(text: string, marks: string): number {
  let at = text.length;
  while (at > 0 && marks.includes(text[at - 1]!)) at--;
  return at;
}

/** The first word of a text, or a line end; undefined while it is unfinished. Text without spaces is read by letters. */
function nextWord(text: string, isUnspaced: boolean): string | undefined {
  if (PARTIAL_CITATION.test(text)) return undefined;
  return (isUnspaced ? /^\s*?(?:\n|\S)/ : /^\s*?(?:\n|\S+(?=\s))/).exec(text)?.[0];
}
