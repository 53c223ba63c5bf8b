import { splitArguments, JOINER, removeEscapes, type RoffLine } from './roff-lines.ts';
import type { RoffWriter } from './roff-writer.ts';

/** Macros whose arguments are text, with their default. */
const TEXT_MACROS: Readonly<Record<string, string>> = Object.fromEntries(
  'Ar=file ... Pa=~ Cm= Ic= Va= Vt= Ev= Er= Dv= Li= Em= Sy= No= Tn= Ad= An= Ms= Sx= Ft= Cd= Lb= Fr= Ux=UNIX Bx=BSD Fx=FreeBSD Nx=NetBSD Ox=OpenBSD Dx=DragonFly Bsx=BSD/OS At=AT&T UNIX Fa= Mt= St='
    .split(/ (?=\w+=)/)
    .map((pair) => pair.split('=')),
);
/** Signs of enclosures, by the beginning of the macros that enclose the rest of a line (`Oq`) or the text between two (`Oo`, `Oc`). */
const ENCLOSURES: Readonly<Record<string, readonly [string, string]>> = {
  O: ['[', ']'],
  P: ['(', ')'],
  B: ['[', ']'],
  Br: ['{', '}'],
  A: ['<', '>'],
  D: ['“', '”'],
  S: ['‘', '’'],
  Q: ['"', '"'],
  X: ['', ''],
};
const LINE_ENCLOSURE = /^(Op|Pq|Bq|Brq|Aq|Dq|Sq|Ql|Qq)$/;
const OPENS = /^(O|P|B|Br|A|D|S|Q|X)o$/;
const CLOSES = /^(O|P|B|Br|A|D|S|Q|X)c$/;
const CLOSING = /^[.,:;)\]?!]$/;
const JOINED = new RegExp(`${JOINER} ?| ?${JOINER}`, 'g');
const OPENING = /^[([]$/;
const BLOCKS = new Set(
  'Dd Dt Os Sh Ss Pp Lp Bl It El Bd Ed D1 Dl Nd Rs Re Ex Rv Bk Ek Sm Tg Xo Xc Fo Fc %A %B %C %D %I %J %N %O %P %Q %R %T %U %V'.split(' '),
);
const CALLABLE = new Set('Fl Nm Ns Ap Xr In Fn Lk Pf Ta Eo Ec Es En'.split(' '));

const isCallable = (token: string): boolean =>
  token in TEXT_MACROS || CALLABLE.has(token) || LINE_ENCLOSURE.test(token) || OPENS.test(token) || CLOSES.test(token);

/** Whether mdoc(7) has a macro of this name. */
export const isMdocMacro = (macro: string): boolean => BLOCKS.has(macro) || isCallable(macro);

const joinWithCommas = (words: readonly string[]): string => words.filter(Boolean).join(', ');

/** Writes the macros of mdoc(7). */
export class MdocWriter {
  readonly #page: RoffWriter;
  #name = '';
  readonly #lists: { type: string; items: number }[] = [];
  /** The words of a term that goes on in the next lines (`Xo`). */
  #term: string[] | undefined;
  #reference: string[] | undefined;
  /** Whether words are parameters of a function (`Fo`), and whether there was one. */
  #hasParameters = false;
  #isFirst = false;
  #isSynopsis = false;
  /** Whether words are set apart (`Sm`). */
  #isSpaced = true;
  /** Whether the last words were not. */
  #isRun = false;

  constructor(page: RoffWriter) {
    this.#page = page;
  }

  /** Writes a macro; returns false for a request that is not a macro. */
  write(line: RoffLine): boolean {
    const macro = line.macro!;
    if (!BLOCKS.has(macro) && !isCallable(macro)) return false;
    const tokens = splitArguments(line.rest).filter((token) => !/^-(?:no)?split$/.test(token));
    if (BLOCKS.has(macro)) this.#block(macro, tokens, line);
    else {
      if (macro === 'Nm' && this.#isSynopsis) this.#page.lineBreak();
      this.#text(this.#inline([macro, ...tokens]), line.line);
    }
    return true;
  }

  #text(text: string, line: number): void {
    const joined = this.#isRun ? JOINER + text : text;
    this.#isRun = !this.#isSpaced;
    if (this.#term) this.#term.push(joined);
    else if (text !== '') this.#page.text(joined, line);
  }

  #block(macro: string, tokens: string[], line: RoffLine): void {
    const write = this.#blocks[macro];
    if (write) write(tokens, line);
    else if (macro.startsWith('%')) this.#reference?.push(tokens.map((token) => this.#plain(token)).join(' '));
    this.#isFirst ||= macro === 'Fo';
    this.#hasParameters = macro === 'Fo' || (this.#hasParameters && macro !== 'Fc');
  }

  /** Macros that are not text. */
  readonly #blocks: Readonly<Record<string, (tokens: string[], line: RoffLine) => void>> = {
    Dt: ([name, section]) => this.#page.setTitle(this.#plain(name), this.#plain(section)),
    Sh: (tokens, { line }) => {
      this.#isSynopsis = tokens[0] === 'SYNOPSIS';
      this.#page.heading(2, this.#inline(tokens), line);
    },
    Ss: (tokens, { line }) => this.#page.heading(3, this.#inline(tokens), line),
    Pp: () => this.#page.paragraph({ isIndented: this.#lists.length > 0 }),
    Lp: () => this.#page.paragraph({ isIndented: this.#lists.length > 0 }),
    Nd: (tokens, { line }) => this.#text(`– ${this.#inline(tokens)}`, line),
    Bl: ([type = '']) => {
      this.#lists.push({ type, items: 0 });
      this.#page.indent();
    },
    El: () => {
      this.#lists.pop();
      this.#page.outdent();
    },
    It: (tokens, { line }) => this.#item(tokens, line),
    Bd: (_, { rest }) => (/-(?:literal|unfilled)/.test(rest) ? this.#page.code() : this.#page.paragraph()),
    Ed: () => this.#page.fill(),
    D1: (tokens, { line }) => this.#display(this.#inline(tokens), line),
    Dl: (tokens, { line }) => this.#display(this.#inline(tokens), line),
    Sm: ([mode]) => this.#space(mode),
    Xc: (_, { line }) => this.#endTerm(line),
    Fo: ([name], { line }) => this.#text(`${this.#plain(name)}(${JOINER}`, line),
    Fc: (_, { line }) => this.#text(`${JOINER})`, line),
    Rs: () => void (this.#reference = []),
    Re: (_, { line }) => {
      this.#text(`${joinWithCommas(this.#reference ?? [])}.`, line);
      this.#reference = undefined;
    },
    Ex: (tokens, { line }) =>
      this.#text(`The ${this.#plain(tokens[1]) || this.#name} utility exits 0 on success, and >0 if an error occurs.`, line),
    Rv: (tokens, { line }) =>
      this.#text(
        `${this.#describeReturn(tokens)} the value 0 if successful; otherwise the value -1 is returned and the global variable errno is set to indicate the error.`,
        line,
      ),
  };

  #comma(): string {
    const comma = this.#isFirst ? '' : `${JOINER}, `;
    this.#isFirst = false;
    return comma;
  }

  #describeReturn(tokens: readonly string[]): string {
    const names = tokens.slice(1).map((token) => `${this.#plain(token)}()`);
    return names.length > 1 ? `The ${names.join(', ')} functions return` : `The ${names[0] ?? `${this.#name}()`} function returns`;
  }

  #space(mode: string | undefined): void {
    this.#isSpaced = mode === undefined ? !this.#isSpaced : mode !== 'off';
    this.#isRun &&= !this.#isSpaced;
  }

  #display(text: string, line: number): void {
    const page = this.#page;
    const isInCode = page.isCode;
    page.code();
    page.text(text, line);
    if (!isInCode) page.fill();
  }

  #item(tokens: readonly string[], line: number): void {
    const page = this.#page;
    const list = this.#lists.at(-1) ?? { type: '', items: 0 };
    const { type } = list;
    list.items += 1;
    if (/^-(?:bullet|dash|hyphen|enum)/.test(type)) return page.item(type === '-enum' ? `${list.items}.` : '•', line);
    if (type === '-item') return page.paragraph();
    page.paragraph();
    const at = tokens.indexOf('Xo');
    const term = this.#inline(at < 0 ? tokens : tokens.slice(0, at));
    if (type === '-column') page.text(term.replaceAll('\t', ' – '), line);
    else if (at < 0) page.term(term, line);
    else this.#term = [term, this.#inline(tokens.slice(at + 1))];
  }

  #endTerm(line: number): void {
    const term = this.#term?.join(' ').replace(JOINED, '');
    this.#term = undefined;
    if (term !== undefined) this.#page.term(term, line);
  }

  #plain(token = ''): string {
    return removeEscapes(token, this.#page.defined);
  }

  /** Words and the macros among them as text. */
  #inline(tokens: readonly string[]): string {
    const words = new Words(this.#isSpaced);
    for (let i = 0; i < tokens.length; i++) {
      const token = tokens[i]!;
      const rest = tokens.slice(i + 1);
      const next = rest.findIndex(isCallable);
      const own = rest.slice(0, next < 0 ? rest.length : next);
      const enclosed = LINE_ENCLOSURE.test(token) ? ENCLOSURES[token === 'Ql' ? 'S' : token.slice(0, -1)]! : undefined;
      if (enclosed) {
        const end = rest.findLastIndex((one) => !CLOSING.test(one)) + 1;
        words.add(enclosed[0] + this.#inline(rest.slice(0, end)) + enclosed[1]);
        rest.slice(end).forEach((one) => words.add(one));
        break;
      }
      const used = this.#runMacro(token, own, words);
      if (used === undefined) words.add(this.#plain(token));
      else i += used;
    }
    return words.text;
  }

  /** Runs a macro on the words behind it, and returns how many of them it used; undefined if it is no macro. */
  #runMacro(macro: string, own: readonly string[], words: Words): number | undefined {
    const plain = own.map((token) => this.#plain(token));
    const end = plain.findIndex((token) => CLOSING.test(token));
    const given = end < 0 ? plain : plain.slice(0, end);
    const opened = OPENS.exec(macro)?.[1];
    const closed = CLOSES.exec(macro)?.[1];
    if (opened !== undefined) words.add(ENCLOSURES[opened]![0], { isJoined: true });
    else if (closed !== undefined) words.close(ENCLOSURES[closed]![1]);
    else if (macro === 'Ns' || macro === 'Ap') words.join(macro === 'Ap' ? "'" : '');
    else if (macro === 'Pf') {
      words.add(plain[0] ?? '', { isJoined: true });
      return Math.min(1, plain.length);
    } else if (macro === 'Ta') words.add('\t');
    else if (macro === 'Fl') {
      if (given.length === 0) words.add('-', { isJoined: own.length === 0 });
      given.forEach((flag) => words.add(/^[|([]$/.test(flag) ? flag : `-${flag}`));
      return given.length;
    } else {
      const text = this.#textOf(macro, given);
      if (text === undefined) return undefined;
      words.add(text);
      return given.length;
    }
    return 0;
  }

  #textOf(macro: string, given: readonly string[]): string | undefined {
    const [one = '', two = ''] = given;
    if (macro === 'Nm') {
      this.#name ||= one;
      return given.join(' ') || this.#name;
    }
    if (macro === 'Xr') return `${one}${two && `(${two})`}`;
    if (macro === 'In') return `${this.#isSynopsis ? '#include ' : ''}<${one}>`;
    if (macro === 'Fn') return `${one}(${given.slice(1).join(', ')})`;
    if (macro === 'Fa') return `${this.#hasParameters ? this.#comma() : ''}${given.join(', ')}`;
    if (macro === 'Lk') return two === '' ? one : `${given.slice(1).join(' ')} ⟨${one}⟩`;
    if (macro === 'St') return one.replace(/^-p?/, 'POSIX ');
    return macro in TEXT_MACROS ? given.join(' ') || TEXT_MACROS[macro] : undefined;
  }
}

/** Words with spaces between, but where punctuation or a macro joins them. */
class Words {
  readonly #isSpaced: boolean;
  #text = '';
  #isJoined = true;

  constructor(isSpaced: boolean) {
    this.#isSpaced = isSpaced;
  }

  get text(): string {
    return this.#isJoined && this.#text !== '' ? this.#text + JOINER : this.#text;
  }

  add(word: string, { isJoined = false } = {}): void {
    const isAttached = !this.#isSpaced || this.#isJoined || CLOSING.test(word);
    this.#text += isAttached ? (this.#text === '' && CLOSING.test(word) ? JOINER : '') + word : ` ${word}`;
    this.#isJoined = isJoined || OPENING.test(word);
  }

  /** The next word follows without a space. */
  join(text: string): void {
    this.#text += (this.#text === '' ? JOINER : '') + text;
    this.#isJoined = true;
  }

  close(text: string): void {
    this.#text += (this.#text === '' ? JOINER : '') + text;
    this.#isJoined = false;
  }
}
