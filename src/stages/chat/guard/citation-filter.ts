import { numbersCited } from '../../../text/model-output.ts';
import { NO_ANSWER_MARKER } from '../../../ports/models.ts';
import { closesFence, isFenceAt, marksAt, mayCloseFence, MORE, spanAt } from '../../../text/markdown/partial-markdown.ts';

/** Joins the shown parts of an answer. White space is held back until the next part is known, and dropped with a removed part. */
class WhitespaceBuffer {
  started = false;
  #blanks = '';
  /** White space before a removed part. */
  #before = '';

  /** Shows a part without leading white space of the answer and, for now, without trailing white space. */
  show(text: string): string {
    return text.replace(/\s+|\S+/g, (run) => (run.trim() === '' ? this.#wait(run) : this.#put(run)));
  }

  takeOut(): string {
    this.#before = this.#before.includes('\n') ? this.#before : this.#blanks || this.#before;
    this.#blanks = '';
    return '';
  }

  #wait(blanks: string): string {
    this.#blanks += blanks;
    return '';
  }

  #put(text: string): string {
    const closing = /^[.,;:!?)\]]/.test(text) && this.#blanks === '';
    const gap = this.#before.includes('\n') && !this.#blanks.includes('\n') ? this.#before : this.#blanks || (closing ? '' : this.#before);
    const shown = this.started ? gap + text : text;
    [this.#blanks, this.#before, this.started] = ['', '', true];
    return shown;
  }
}

/** Characters of the current line to keep. */
const LONGEST_LINE = 200;

/** Maximum length of a citation in brackets: twelve two-digit numbers. */
const LONGEST = 48;

/** The beginning of a citation, with emphasis marks before it. */
const OPENED = /^([*_]{0,3})[[【［]/;

/** The content of a citation. Some models add a name after `†`. */
const LISTED = new RegExp(String.raw`^(?:[[［](?:\^?[\d,; –-]{0,${LONGEST}})|【[\d,; –†:\p{L}-]{0,${LONGEST}})`, 'u');
const CLOSING = /^[\]】］]/;

/** The continuation of a sentence. */
const GOES_ON = /^(?:\p{Ll}|[,;:/&+=-])/u;

/** The end of an indexed expression. */
const INDEXED = /(?:[\w)"']|\D\])$/;

/** The beginning of markup. */
const BEGINNING = /[*_[【［\\`~]/;

/** How to proceed: `length` characters are shown as `shown`. */
interface Step {
  length: number;
  shown: string;
  /** Whether something is removed after `shown`. */
  takesOut?: boolean;
}

const text = (shown: string): Step => ({ length: shown.length, shown });

/** The numbers of a citation in any notation: `【1†source】`, `[^1]`. */
const listOf = (group: string): string =>
  group
    .slice(1, -1)
    .replace(/^\^/, '')
    .replace(/[†:].*$/, '');

/**
 * Removes citations of numbers beyond the sources from an answer while it is generated, and white space at both ends. Code and escaped brackets
 * stay. What is shown does not depend on how the answer is split into pieces.
 */
export class CitationFilter {
  readonly cited = new Set<number>();
  /** Numbers without a source, which were removed. */
  readonly unknown = new Set<number>();
  /** Whether the answer began with the marker of no answer. */
  beganDeclining = false;
  #namesNone = false;
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

  /** Whether the marker follows a statement: for `all` of the answer if it cites nothing, else for a `part`. */
  get declines(): 'all' | 'part' | undefined {
    if (!this.#namesNone) return undefined;
    return this.cited.size === 0 ? 'all' : 'part';
  }

  /** Returns what may be shown now. */
  push(piece: string): string {
    this.#rest += piece;
    let out = '';
    while (this.#rest !== '') {
      const step = this.#fence ? this.#inFence(this.#rest) : this.#next(this.#rest);
      if (step === MORE) break;
      this.#pass(this.#rest.slice(0, step.length));
      this.#rest = this.#rest.slice(step.length);
      out += this.#parts.show(step.shown);
      if (step.takesOut) this.#parts.takeOut();
    }
    return out;
  }

  /** Returns what was held back. */
  end(): string {
    this.#isEnd = true;
    return this.push('');
  }

  #pass(read: string): void {
    const line = read.includes('\n') ? read.slice(read.lastIndexOf('\n') + 1) : this.#line + read;
    this.#line = line.slice(0, LONGEST_LINE);
    this.#last = `${this.#last}${read}`.slice(-2);
  }

  #next(rest: string): Step | typeof MORE {
    const plain = rest.search(BEGINNING);
    if (plain !== 0) return text(plain < 0 ? rest : rest.slice(0, plain));
    if (rest.startsWith('\\')) return this.#escaped(rest);
    if (/^[`~]/.test(rest)) return this.#code(rest);
    const [, marks] = OPENED.exec(rest) ?? [];
    if (marks !== undefined) return this.#group(rest, marks);
    const [emphasis = ''] = /^[*_]{1,3}/.exec(rest) ?? [];
    return emphasis === rest && !this.#isEnd ? MORE : text(emphasis);
  }

  #escaped(rest: string): Step | typeof MORE {
    if (rest.length === 1 && !this.#isEnd) return MORE;
    return text(/^\\[!-/:-@[-`{-~]/.test(rest) ? rest.slice(0, 2) : '\\');
  }

  #code(rest: string): Step | typeof MORE {
    const isFence = isFenceAt(rest, this.#line, this.#isEnd);
    if (isFence === MORE) return MORE;
    const marks = marksAt(rest);
    if (isFence) this.#fence = marks;
    if (isFence || rest.startsWith('~')) return text(marks);
    const length = spanAt(rest, this.#isEnd);
    if (length === MORE) return MORE;
    const span = rest.slice(0, length);
    if (this.#parts.started || span.replaceAll('`', '') !== NO_ANSWER_MARKER) return text(length === 0 ? marks : span);
    const behind = rest.slice(length).replace(/^[ \t]+/, '');
    if (behind === '' && !this.#isEnd) return MORE;
    // what a sentence goes on with is its subject: `[0]` is the first element
    if (GOES_ON.test(behind)) return text(span);
    this.#decline();
    return { length, shown: '' };
  }

  #inFence(rest: string): Step | typeof MORE {
    const end = rest.indexOf('\n');
    const line = end < 0 ? rest : rest.slice(0, end);
    // what was read of a line is not the end of code
    if (this.#line === '') {
      if (end < 0 && !this.#isEnd && mayCloseFence(line)) return MORE;
      if (closesFence(line, this.#fence)) this.#fence = '';
    }
    return text(end < 0 ? rest : rest.slice(0, end + 1));
  }

  #decline(): void {
    if (this.#parts.started) this.#namesNone = true;
    else this.beganDeclining = true;
  }

  /** Reads brackets after emphasis marks. */
  #group(rest: string, marks: string): Step | typeof MORE {
    const [opened = ''] = LISTED.exec(rest.slice(marks.length)) ?? [];
    const end = marks.length + opened.length;
    if (end === rest.length && !this.#isEnd) return MORE;
    const list = CLOSING.test(rest.slice(end)) ? listOf(`${opened}]`) : '';
    const numbers = this.#isIndex(list, marks) ? undefined : numbersCited(list, this.#count);
    if (!numbers) return text(rest.slice(0, marks.length + 1));
    const known = numbers.filter((number) => number >= 1 && number <= this.#count);
    const gone = known.length > 0 ? undefined : this.#takenOut(rest, end + 1, marks);
    if (gone === MORE) return MORE;
    if (numbers[0] === 0) this.#decline();
    else for (const number of numbers) (known.includes(number) ? this.cited : this.unknown).add(number);
    return gone ?? { length: end + 1, shown: `${marks}[${known.length === numbers.length ? list : known.join(', ')}]` };
  }

  /** `x[0]`, `x()[0]`, `x["y"][0]` are indices, not `NO_ANSWER_MARKER`. */
  #isIndex(list: string, marks: string): boolean {
    return list === '0' && marks === '' && INDEXED.test(this.#last);
  }

  /** Removes a citation that ends at `end` with the emphasis marks around it. Marks that continue after it stay. */
  #takenOut(rest: string, end: number, marks: string): Step | typeof MORE {
    const closing = [...marks].toReversed().join('');
    const behind = rest.slice(end);
    if (behind.startsWith(closing)) return { length: end + closing.length, shown: '', takesOut: true };
    const [blanks = ''] = /^[ \t]*/.exec(behind) ?? [];
    if (!this.#isEnd && (closing.startsWith(behind) || blanks === behind)) return MORE;
    return { length: end + blanks.length, shown: marks, takesOut: true };
  }
}
