import { numbersCited } from '../../../text/model-output.ts';
import { NO_ANSWER_MARKER } from '../../../ports/models.ts';
import { closesFence, isFenceAt, marksAt, mayCloseFence, NEED_MORE, spanAt } from '../../../text/markdown/partial-markdown.ts';

/** Joins the shown parts of an answer. White space is held back until the next part is known, and dropped next to a removed part. */
class WhitespaceBuffer {
  started = false;
  #blanks = '';
  /** White space before a removed part. */
  #before = '';

  /** Shows a part without leading white space of the answer and, for now, without trailing white space. */
  show(text: string): string {
    return text.replace(/\s+|\S+/g, (run) => (run.trim() === '' ? this.#holdBlanks(run) : this.#showWithGap(run)));
  }

  noteRemoval(): string {
    this.#before = this.#before.includes('\n') ? this.#before : this.#blanks || this.#before;
    this.#blanks = '';
    return '';
  }

  #holdBlanks(blanks: string): string {
    this.#blanks += blanks;
    return '';
  }

  #showWithGap(text: string): string {
    const closing = /^[.,;:!?)\]]/.test(text) && this.#blanks === '';
    const gap = this.#before.includes('\n') && !this.#blanks.includes('\n') ? this.#before : this.#blanks || (closing ? '' : this.#before);
    const shown = this.started ? gap + text : text;
    [this.#blanks, this.#before, this.started] = ['', '', true];
    return shown;
  }
}

/** Maximum characters of the current line that are kept. */
const MAX_LINE_LENGTH = 200;

/** Maximum length of a citation in brackets: twelve two-digit numbers. */
const MAX_LIST_LENGTH = 48;

/** The beginning of a citation, with emphasis marks before it. */
const OPENING = /^([*_]{0,3})[[【［]/;

/** Words that some models put before the number. */
const SOURCE_WORD = /^(?:sources?|citations?|docs?|documents?|ref|reference)[ :]+ */i;

/** The content of a citation. Some models add a name after `†`. */
const CITATION_LIST = new RegExp(
  String.raw`^(?:[[［](?:(?:\^|[A-Za-z]{1,9}[ :]*)?[\d,; –-]{0,${MAX_LIST_LENGTH}})|【[\d,; –†:.\p{L}-]{0,${MAX_LIST_LENGTH}})`,
  'u',
);
const CLOSING = /^[\]】］]/;

/** The continuation of a sentence. */
const CONTINUATION = /^(?:\p{Ll}|[,;:/&+=-])/u;

/** The end of an indexed expression. */
const INDEXED = /(?:[\w)"']|\D\])$/;

/** The beginning of markup. */
const MARKUP_START = /[*_[【［\\`~]/;

/** A step: `length` characters are shown as `shown`. */
interface Step {
  length: number;
  shown: string;
  /** Whether something is removed after `shown`. */
  removes?: boolean;
}

const plainStep = (shown: string): Step => ({ length: shown.length, shown });

/** The numbers of a citation in any notation: `【1†source】`, `[^1]`. */
const numberList = (group: string): string =>
  group
    .slice(1, -1)
    .replace(/^\^/, '')
    .replace(SOURCE_WORD, '')
    .replace(/[†:].*$/, '');

/**
 * Removes citations of unknown sources from an answer while it is generated, and white space at both ends. Code and escaped brackets stay. The
 * output does not depend on how the answer is split into pieces.
 */
export class CitationFilter {
  readonly cited = new Set<number>();
  /** Numbers without a source, which were removed. */
  readonly unknown = new Set<number>();
  /** Whether the answer began with `NO_ANSWER_MARKER`. */
  beganDeclining = false;
  #hasTrailingMarker = false;
  #rest = '';
  /** The beginning of the current line. */
  #line = '';
  /** The last two characters that were read. */
  #last = '';
  /** The opening marks of the current code block. */
  #fence = '';
  #isEnd = false;
  readonly #parts = new WhitespaceBuffer();
  readonly #count: number;

  /** `count`: number of sources. */
  constructor(count: number) {
    this.#count = count;
  }

  /** Whether the marker follows a statement: it declines `all` of an answer without citations, else a `part`. */
  get declines(): 'all' | 'part' | undefined {
    if (!this.#hasTrailingMarker) return undefined;
    return this.cited.size === 0 ? 'all' : 'part';
  }

  /** Returns what may be shown now. */
  push(piece: string): string {
    this.#rest += piece;
    let out = '';
    while (this.#rest !== '') {
      const step = this.#fence ? this.#readFencedLine(this.#rest) : this.#nextStep(this.#rest);
      if (step === NEED_MORE) break;
      this.#advance(this.#rest.slice(0, step.length));
      this.#rest = this.#rest.slice(step.length);
      out += this.#parts.show(step.shown);
      if (step.removes) this.#parts.noteRemoval();
    }
    return out;
  }

  /** Returns what was held back. */
  end(): string {
    this.#isEnd = true;
    return this.push('');
  }

  #advance(read: string): void {
    const line = read.includes('\n') ? read.slice(read.lastIndexOf('\n') + 1) : this.#line + read;
    this.#line = line.slice(0, MAX_LINE_LENGTH);
    this.#last = `${this.#last}${read}`.slice(-2);
  }

  #nextStep(rest: string): Step | typeof NEED_MORE {
    const plain = rest.search(MARKUP_START);
    if (plain !== 0) return plainStep(plain < 0 ? rest : rest.slice(0, plain));
    if (rest.startsWith('\\')) return this.#readEscape(rest);
    if (/^[`~]/.test(rest)) return this.#readCode(rest);
    const [, marks] = OPENING.exec(rest) ?? [];
    if (marks !== undefined) return this.#readGroup(rest, marks);
    const [emphasis = ''] = /^[*_]{1,3}/.exec(rest) ?? [];
    return emphasis === rest && !this.#isEnd ? NEED_MORE : plainStep(emphasis);
  }

  #readEscape(rest: string): Step | typeof NEED_MORE {
    if (rest.length === 1 && !this.#isEnd) return NEED_MORE;
    return plainStep(/^\\[!-/:-@[-`{-~]/.test(rest) ? rest.slice(0, 2) : '\\');
  }

  #readCode(rest: string): Step | typeof NEED_MORE {
    const isFence = isFenceAt(rest, this.#line, this.#isEnd);
    if (isFence === NEED_MORE) return NEED_MORE;
    const marks = marksAt(rest);
    if (isFence) this.#fence = marks;
    if (isFence || rest.startsWith('~')) return plainStep(marks);
    const length = spanAt(rest, this.#isEnd);
    if (length === NEED_MORE) return NEED_MORE;
    const span = rest.slice(0, length);
    if (this.#parts.started || span.replaceAll('`', '') !== NO_ANSWER_MARKER) return plainStep(length === 0 ? marks : span);
    const behind = rest.slice(length).replace(/^[ \t]+/, '');
    if (behind === '' && !this.#isEnd) return NEED_MORE;
    // a sentence that continues is about the number: `[0]` is the first element
    if (CONTINUATION.test(behind)) return plainStep(span);
    this.#decline();
    return { length, shown: '' };
  }

  #readFencedLine(rest: string): Step | typeof NEED_MORE {
    const end = rest.indexOf('\n');
    const line = end < 0 ? rest : rest.slice(0, end);
    // only a whole line can close a fence
    if (this.#line === '') {
      if (end < 0 && !this.#isEnd && mayCloseFence(line)) return NEED_MORE;
      if (closesFence(line, this.#fence)) this.#fence = '';
    }
    return plainStep(end < 0 ? rest : rest.slice(0, end + 1));
  }

  #decline(): void {
    if (this.#parts.started) this.#hasTrailingMarker = true;
    else this.beganDeclining = true;
  }

  /** Reads brackets after emphasis marks. */
  #readGroup(rest: string, marks: string): Step | typeof NEED_MORE {
    const [opened = ''] = CITATION_LIST.exec(rest.slice(marks.length)) ?? [];
    const end = marks.length + opened.length;
    if (end === rest.length && !this.#isEnd) return NEED_MORE;
    const list = CLOSING.test(rest.slice(end)) ? numberList(`${opened}]`) : '';
    const numbers = this.#isIndex(list, marks) ? undefined : numbersCited(list, this.#count);
    if (!numbers) return plainStep(rest.slice(0, marks.length + 1));
    const known = numbers.filter((number) => number >= 1 && number <= this.#count);
    const gone = known.length > 0 ? undefined : this.#removeCitation(rest, end + 1, marks);
    if (gone === NEED_MORE) return NEED_MORE;
    if (numbers[0] === 0) this.#decline();
    else for (const number of numbers) (known.includes(number) ? this.cited : this.unknown).add(number);
    return gone ?? { length: end + 1, shown: `${marks}[${known.length === numbers.length ? list : known.join(', ')}]` };
  }

  /** `x[0]`, `x()[0]`, `x["y"][0]` are indices, not `NO_ANSWER_MARKER`. */
  #isIndex(list: string, marks: string): boolean {
    return list === '0' && marks === '' && INDEXED.test(this.#last);
  }

  /** Removes a citation that ends at `end`, with the emphasis marks around it, unless the emphasis continues. */
  #removeCitation(rest: string, end: number, marks: string): Step | typeof NEED_MORE {
    const closing = [...marks].toReversed().join('');
    const behind = rest.slice(end);
    if (behind.startsWith(closing)) return { length: end + closing.length, shown: '', removes: true };
    const [blanks = ''] = /^[ \t]*/.exec(behind) ?? [];
    if (!this.#isEnd && (closing.startsWith(behind) || blanks === behind)) return NEED_MORE;
    return { length: end + blanks.length, shown: marks, removes: true };
  }
}
