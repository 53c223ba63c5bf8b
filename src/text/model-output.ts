/** Matches citations in an answer: `[1]`, `[1, 3]`, `[1; 3]` or `[2-4]`, and captures their list. Escaped brackets (`\[1\]`) do not count. */
export const CITATIONS = /(?<!\\)\[([\d\s,;–-]{1,50})\]/g;

/** Maximum digits of a source number: longer ones are years or something else in brackets. */
const MAX_DIGITS = 3;

/** A range of citations may end at this number although there are fewer sources, or at twice their number if that is more. */
const MIN_RANGE_LIMIT = 30;

/** An entry of the list: a number or a range. */
const PART = new RegExp(String.raw`^\s*(\d{1,${MAX_DIGITS}})\s*(?:[-–]\s*(\d{1,${MAX_DIGITS}})\s*)?$`);

/**
 * Parses the list of a citation in an answer with `count` sources; undefined if it is none: a range far beyond them (`[1-50]`), a year, an
 * interval (`[0, 1]`). No source has the number 0, so it stands alone or not at all.
 */
export function numbersCited(list: string, count: number): number[] | undefined {
  const numbers: number[] = [];
  for (const part of list.split(/[,;]/)) {
    const [, first, last = first] = PART.exec(part) ?? [];
    if (first === undefined || last === undefined) return undefined;
    if (first !== last && Number(last) > Math.max(MIN_RANGE_LIMIT, 2 * count)) return undefined;
    for (let number = Number(first); number <= Number(last); number++) numbers.push(number);
  }
  return numbers.length === 0 || (numbers.length > 1 && numbers.includes(0)) ? undefined : numbers;
}

/**
 * Blocks that models write beside an answer, by their opening and closing marks: reasoning, calls of tools, and the channels of gpt-oss, of which only
 * `final` is the answer. A block begins at the start of a line. Without a closing mark it reaches to the end of the text.
 */
const BLOCKS: readonly (readonly [opening: string, closing: string | undefined])[] = [
  ['<think>', '</think>'],
  ['<thinking>', '</thinking>'],
  ['<reasoning>', '</reasoning>'],
  ['<thought>', '</thought>'],
  ['<seed:think>', '</seed:think>'],
  ['[THINK]', '[/THINK]'],
  ['◁think▷', '◁/think▷'],
  ['<|channel|>', 'final<|message|>'],
  ['<|start|>', 'final<|message|>'],
  ['<tool_call>', '</tool_call>'],
  ['<|tool_call|>', '<|/tool_call|>'],
  ['[TOOL_CALLS]', undefined],
  ['<|python_tag|>', undefined],
];

/** Closing marks whose opening mark may be part of the prompt: what precedes one at the end of a line is reasoning. */
const LONE_CLOSINGS = BLOCKS.slice(0, 7).map(([, closing]) => closing!);

/** Tokens that end a text; what follows one is not part of the answer. */
const END_TOKENS = ['<|im_end|>', '<|endoftext|>', '<|eot_id|>', '<|return|>', '<|end|>', '<|im_start|>', '<end_of_turn>'];

/** An end token that is also a tag of HTML: it counts only at the end of the text. */
const AMBIGUOUS_END = '</s>';

const MARKS = [...LONE_CLOSINGS, ...END_TOKENS, AMBIGUOUS_END];

/** Matches a mark that no backtick precedes. */
const MARK_OUTSIDE_CODE = new RegExp(`(?<!\`)(?:${MARKS.map((mark) => mark.replaceAll(/[[\]|]/g, (sign) => `\\${sign}`)).join('|')})`, 'g');

/** The opening line of a fence around a whole answer. */
const WRAPPER = /^```(?:markdown|md)[ \t]*\n/;

const FENCE_LINE = /^[ \t]*(?:```|~~~)/;

/** A piece of a cleaned answer: text, or `DISCARD`. */
export type CleanPiece = string | typeof DISCARD;

/** Says that the text so far is not part of the answer: it was reasoning whose opening mark was missing. */
export const DISCARD = Symbol('discard');

const endsWithPrefixOf = (text: string, marks: readonly string[]): number => {
  const start = Math.max(0, text.length - Math.max(...marks.map(({ length }) => length)) + 1);
  for (let at = start; at < text.length; at++) if (marks.some((mark) => mark.startsWith(text.slice(at)))) return text.length - at;
  return 0;
};

/**
 * Removes what a model writes beside its answer while it is generated: reasoning, calls of tools, end tokens, and a fence of Markdown around the whole
 * answer. It holds back only what may become a mark. Marks in code stay.
 */
export class OutputCleaner {
  #buffer = '';
  /** Closing mark of the current block; null: the block has none. */
  #closing: string | null | undefined;
  #isLineStart = true;
  /** The last character that was shown. */
  #last = '';
  #isInFence = false;
  #isWrapped = false;
  #hasShown = false;
  #isOver = false;
  /** Whether white space is dropped, because a mark precedes it. */
  #skipsSpace = false;
  /** Everything, while the text may be reasoning without an opening mark. */
  #suspect: string | undefined;
  /** Whether reasoning without an opening mark was removed. */
  hasLoneClosing = false;

  /** `expectsReasoning`: earlier answers of the model began with reasoning without an opening mark, so that the text is held back up to the closing mark. */
  constructor({ expectsReasoning = false }: { expectsReasoning?: boolean } = {}) {
    if (expectsReasoning) this.#suspect = '';
  }

  push(piece: string): CleanPiece[] {
    if (this.#suspect !== undefined) return this.#pushSuspect(piece);
    this.#buffer += piece;
    return this.#drain(false);
  }

  end(): CleanPiece[] {
    if (this.#suspect !== undefined) {
      this.#buffer = this.#suspect;
      this.#suspect = undefined;
    }
    return this.#drain(true);
  }

  #pushSuspect(piece: string): CleanPiece[] {
    this.#suspect += piece;
    const text = this.#suspect!;
    const cut = Math.max(...LONE_CLOSINGS.map((mark) => (text.includes(mark) ? text.lastIndexOf(mark) + mark.length : 0)));
    if (cut === 0) return [];
    this.#suspect = undefined;
    this.hasLoneClosing = true;
    this.#buffer = text.slice(cut);
    return this.#drain(false);
  }

  #drain(isEnd: boolean): CleanPiece[] {
    const pieces: CleanPiece[] = [];
    for (let length = Infinity; !this.#isOver && this.#buffer.length < length;) {
      if (this.#skipsSpace && this.#closing === undefined) this.#buffer = this.#buffer.trimStart();
      length = this.#buffer.length;
      if (length === 0) break;
      this.#skipsSpace &&= this.#closing !== undefined;
      const piece = this.#closing === undefined ? this.#nextPiece(isEnd) : this.#skipBlock();
      if (piece) pieces.push(piece);
      if (this.#closing === null) this.#isOver = true;
    }
    return pieces;
  }

  /** Drops the text of a block, up to its closing mark. */
  #skipBlock(): undefined {
    const closing = this.#closing!;
    const end = this.#buffer.indexOf(closing);
    if (end >= 0) {
      this.#buffer = this.#buffer.slice(end + closing.length);
      this.#skipsSpace = true;
      this.#closing = undefined;
      this.#isLineStart = true;
    } else this.#buffer = this.#buffer.slice(1 - closing.length);
  }

  /** Takes the next text that may be shown from the buffer; undefined if none may be, or if a block begins. */
  #nextPiece(isEnd: boolean): CleanPiece | undefined {
    if (this.#isLineStart && this.#startLine(isEnd)) return undefined;
    const newline = this.#buffer.indexOf('\n');
    const line = newline < 0 ? this.#buffer : this.#buffer.slice(0, newline + 1);
    return this.#isInFence ? this.#show(line.length) : this.#readLine(line, isEnd);
  }

  /** Reads what only the start of a line can be: a block, a fence. Whether to wait for more, or a block began. */
  #startLine(isEnd: boolean): boolean {
    const text = this.#hasShown ? this.#buffer : this.#buffer.trimStart();
    if (!this.#isInFence) {
      const block = BLOCKS.find(([opening]) => text.startsWith(opening));
      if (block) {
        this.#buffer = text.slice(block[0].length);
        this.#closing = block[1] ?? null;
        return true;
      }
      if (!isEnd && BLOCKS.some(([opening]) => opening.startsWith(text))) return true;
    }
    if (!this.#hasShown && WRAPPER.test(text)) {
      this.#buffer = text.replace(WRAPPER, '');
      this.#isWrapped = true;
      return true;
    }
    if (!isEnd && /^[ \t]*[`~]/.test(text) && !text.includes('\n')) return true; // a fence is known by its whole line
    if (FENCE_LINE.test(text)) {
      if (this.#isWrapped && !this.#isInFence && /^```\s*$/.test(text.split('\n', 1)[0]!)) return this.#closeWrapper(text, isEnd);
      this.#isInFence = !this.#isInFence;
      this.#isLineStart = false;
    }
    return false;
  }

  /** Drops the end of the fence around the answer. */
  #closeWrapper(text: string, isEnd: boolean): boolean {
    const behind = text.replace(/^```[ \t]*\n?/, '');
    if (behind.trim() === '' && !isEnd) return true;
    this.#buffer = behind;
    this.#isWrapped = false;
    return true;
  }

  #readLine(line: string, isEnd: boolean): CleanPiece | undefined {
    const first = line.matchAll(MARK_OUTSIDE_CODE).find(({ index }) => index > 0 || this.#last !== '`');
    if (!first) {
      const held = isEnd || line.endsWith('\n') ? 0 : endsWithPrefixOf(line, MARKS);
      return this.#show(line.length - held);
    }
    const { 0: mark, index: at } = first;
    if (at > 0 && !LONE_CLOSINGS.includes(mark)) return this.#show(at);
    return this.#readMark(mark, { at, isEnd });
  }

  #readMark(mark: string, { at, isEnd }: { at: number; isEnd: boolean }): CleanPiece | undefined {
    const behind = this.#buffer.slice(at + mark.length);
    if (END_TOKENS.includes(mark)) {
      this.#isOver = true;
      return undefined;
    }
    if (behind.trim() === '' && !isEnd && !(LONE_CLOSINGS.includes(mark) && behind.includes('\n')))
      return at > 0 ? this.#show(at) : undefined;
    if (mark === AMBIGUOUS_END) {
      if (behind.trim() !== '') return this.#show(mark.length);
      this.#buffer = '';
      return undefined;
    }
    if (!/^[ \t]*(?:\n|$)/.test(behind)) return this.#show(at + mark.length);
    this.#buffer = behind;
    this.#skipsSpace = true;
    this.#isLineStart = true;
    this.#hasShown = false;
    this.hasLoneClosing = true;
    return DISCARD;
  }

  #show(length: number): string | undefined {
    const text = this.#buffer.slice(0, length);
    this.#buffer = this.#buffer.slice(length);
    if (text !== '') [this.#isLineStart, this.#last] = [text.endsWith('\n'), text.at(-1)!];
    this.#hasShown ||= text.trim() !== '';
    return text || undefined;
  }
}

/** Cleans a whole text that a model wrote, as `OutputCleaner` does. */
export function cleanOutput(text: string): string {
  const cleaner = new OutputCleaner();
  const pieces = [...cleaner.push(text), ...cleaner.end()];
  return pieces.slice(pieces.lastIndexOf(DISCARD) + 1).join('');
}
