import { numbersCited } from '../../../text/citations.ts';
import { NO_ANSWER } from '../../../ports/models.ts';
import { closesFence, isFenceAt, marksAt, mayCloseFence, spanAt } from '../../../text/markdown/code-spans.ts';
import { MORE } from '../../../text/markdown/links.ts';

/** Puts the shown parts of an answer together: a blank waits until it is known what follows, and goes with a part that is taken out. */
class Joiner {
  /** Whether anything was shown. */
  started = false;
  #blanks = '';
  /** Blanks in front of what was taken out. */
  #before = '';

  /** The part as it is shown now; blanks at its end, and all before the first part, are not. */
  show(text: string): string {
    return text.replace(/\s+|\S+/g, (run) => (run.trim() === '' ? this.#wait(run) : this.#put(run)));
  }

  /** Takes a part out, with the blanks before it. */
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

/** Looks at an answer while it is written: what it cites, and what it cites that is not there. */
export interface CitationFilter {
  /** What of the answer so far may be shown now. However the answer is cut into pieces, the same comes out. */
  push(piece: string): string;
  /** What was held back until the end. */
  end(): string;
  /** Numbers of sources that the answer cites. */
  readonly cited: ReadonlySet<number>;
  /** Numbers that cite nothing; they were taken out. */
  readonly unknown: ReadonlySet<number>;
  /** The answer began with the number of no source: it says that the sources do not answer. */
  readonly beganDeclining: boolean;
  /** Where the number of no source stands behind what it says: `all` of it, as far as nothing else is cited, or a `part`. */
  readonly declines: 'all' | 'part' | undefined;
}

/** Letters of a line that are kept, to tell what begins on it. */
const LONGEST_LINE = 200;

/** Letters between the brackets of the longest citation that is looked at: twelve numbers of two digits. What is longer is text. */
const LONGEST = 48;

/** What may begin a citation, marks of emphasis before it included. */
const OPENED = /^([*_]{0,3})[[【［]/;

/** What stands between brackets that may be a citation: behind `†` some models name what they cite. */
const LISTED = new RegExp(String.raw`^(?:[[［](?:\^?[\d,; –-]{0,${LONGEST}})|【[\d,; –†:\p{L}-]{0,${LONGEST}})`, 'u');
const CLOSING = /^[\]】］]/;

/** How a sentence goes on behind its first word. */
const GOES_ON = /^(?:\p{Ll}|[,;:/&+=-])/u;

/** What an index stands behind. */
const INDEXED = /(?:[\w)"']|\D\])$/;

/** Where something begins that is more than a word. */
const BEGINNING = /[*_[【［\\`~]/;

/** What is done with the beginning of the rest: so many letters of it are shown as `shown`, or taken out. */
interface Step {
  length: number;
  shown: string;
  /** Something goes behind what is shown. */
  takesOut?: boolean;
}

const text = (shown: string): Step => ({ length: shown.length, shown });

/** The list of a citation, whatever marks a model gave it: `【1†source】`, `[^1]`. */
const listOf = (group: string): string =>
  group
    .slice(1, -1)
    .replace(/^\^/, '')
    .replace(/[†:].*$/, '');

/** Reads an answer from left to right. */
class Reading implements CitationFilter {
  readonly cited = new Set<number>();
  readonly unknown = new Set<number>();
  beganDeclining = false;
  #namesNone = false;
  /** What was not read yet. */
  #rest = '';
  /** What was read of the line. */
  #line = '';
  /** The last two letters that were. */
  #last = '';
  /** The marks that opened the code that the text is in. */
  #fence = '';
  #isEnd = false;
  readonly #parts = new Joiner();
  readonly #count: number;

  constructor(count: number) {
    this.#count = count;
  }

  get declines(): 'all' | 'part' | undefined {
    if (!this.#namesNone) return undefined;
    return this.cited.size === 0 ? 'all' : 'part';
  }

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
    if (this.#parts.started || span.replaceAll('`', '') !== NO_ANSWER) return text(length === 0 ? marks : span);
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

  /** The number of no source: where the answer begins with it, nothing answers. */
  #decline(): void {
    if (this.#parts.started) this.#namesNone = true;
    else this.beganDeclining = true;
  }

  /** Brackets behind `marks` of emphasis. */
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

  /** `x[0]`, `x()[0]`, `x["y"][0]`: an answer that no source gives is not told in the middle of a word. */
  #isIndex(list: string, marks: string): boolean {
    return list === '0' && marks === '' && INDEXED.test(this.#last);
  }

  /** A citation that ends at `end` is taken out, and the marks around it, too; marks that go on behind it stay, without a blank behind them. */
  #takenOut(rest: string, end: number, marks: string): Step | typeof MORE {
    const closing = [...marks].toReversed().join('');
    const behind = rest.slice(end);
    if (behind.startsWith(closing)) return { length: end + closing.length, shown: '', takesOut: true };
    const [blanks = ''] = /^[ \t]*/.exec(behind) ?? [];
    if (!this.#isEnd && (closing.startsWith(behind) || blanks === behind)) return MORE;
    return { length: end + blanks.length, shown: marks, takesOut: true };
  }
}

/**
 * A filter for an answer beside `count` sources, numbered from 1. A number that cites none of them is taken out, with the blank before it, before it
 * can be shown; blanks at both ends of the answer are dropped. In code, and behind a backslash, nothing is cited.
 */
export const citationFilter = (count: number): CitationFilter => new Reading(count);
