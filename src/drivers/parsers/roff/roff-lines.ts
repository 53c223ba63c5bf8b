/** A line of text, or a request or macro with its arguments, which keep their escapes. */
export interface RoffLine {
  /** In the source, from 1. */
  line: number;
  /** Undefined: text. */
  macro?: string;
  args: readonly string[];
  /** The text, or all behind the name of the macro. */
  rest: string;
}

/** Maximum lines that the macros of a page may expand to, and their depth. */
const MAX_EXPANDED = 100_000;
const MAX_DEPTH = 8;

/**
 * Reads the lines of a page: removes comments, evaluates conditions, and expands the strings and macros that the page defines. The output is a terminal
 * with the features of groff.
 */
export class RoffLines {
  readonly #strings = new Map<string, string>();
  readonly #registers = new Map<string, number>([
    ['.g', 1],
    ['.t', 1],
  ]);
  readonly #macros = new Map<string, string[]>();
  /** Whether the conditions of `.ie` were true, until their `.el`. */
  readonly #conditions: boolean[] = [];
  #expanded = 0;

  get defined(): Definitions {
    return { strings: this.#strings, registers: this.#registers };
  }

  *read(source: string, isBuiltIn: (macro: string) => boolean): Generator<RoffLine, void, void> {
    yield* this.#lines(source.split('\n'), { isBuiltIn, depth: 0, line: undefined });
  }

  *#lines(lines: readonly string[], context: LineContext): Generator<RoffLine, void, void> {
    /** Open brackets of a skipped branch; the lines of a definition, and the request that ends it. */
    let [skipped, defining, ending] = [0, undefined as string[] | undefined, ''];
    for (let i = 0; i < lines.length; i++) {
      const line = context.line ?? i + 1;
      let text = lines[i]!;
      if (isContinued(text)) {
        const pieces: string[] = [];
        for (; isContinued(text) && i + 1 < lines.length; text = lines[++i]!) pieces.push(text.slice(0, -1));
        text = pieces.join('') + text;
      }
      if (defining) {
        if (/^[.'][ \t]*(\S*)/.exec(text)?.[1] === ending) defining = undefined;
        else defining.push(text);
        continue;
      }
      if (skipped > 0) {
        skipped += countOpenBrackets(text);
        continue;
      }
      const found = this.#branch(text);
      if (found === undefined) skipped = Math.max(0, countOpenBrackets(text));
      else {
        const request = /^[.'][ \t]*(de1?|am1?|ig)\b[ \t]*(\S*)[ \t]*(\S*)/.exec(removeComment(found));
        if (!request) yield* this.#line(found, { ...context, line });
        else {
          const isIgnored = request[1] === 'ig';
          defining = [];
          ending = (isIgnored ? request[2] : request[3]) || '.';
          if (!isIgnored) this.#macros.set(request[2]!, defining);
        }
      }
    }
  }

  /** Returns the rest of a line behind its conditions; undefined if they are false. */
  #branch(text: string): string | undefined {
    let rest = text.replace(/\\\}/g, '');
    for (let request = CONDITION.exec(rest); request; request = CONDITION.exec(rest)) {
      const [all, kind] = request;
      const behind = rest.slice(all.length);
      let holds: boolean;
      if (kind === 'el') {
        holds = !(this.#conditions.pop() ?? true);
        rest = behind;
      } else {
        const { value, length } = this.#condition(behind);
        if (kind === 'ie') this.#conditions.push(value);
        holds = value;
        rest = behind.slice(length);
      }
      if (!holds) return undefined;
      rest = rest.replace(/^[ \t]*(?:\\\{)?[ \t]*/, '');
    }
    return rest.replace(/^\\\{/, '');
  }

  /** Evaluates the condition at the start of a text; also returns its length. */
  #condition(text: string): { value: boolean; length: number } {
    const found = /^[ \t]*(!?)(?:([nteo](?![\w\\(]))|'([^']*)'([^']*)'|"([^"]*)"([^"]*)"|[cdrmFS][ \t]*\S+|\S+)/.exec(text) ?? [''];
    const [all, not, kind, one = found[5], other = found[6]] = found;
    const length = all.length;
    if (kind !== undefined) return { value: (kind === 'n' || kind === 'o') !== (not === '!'), length };
    if (one !== undefined)
      return { value: (removeEscapes(one, this.defined) === removeEscapes(other!, this.defined)) !== (not === '!'), length };
    const expression = removeEscapes(all.trim().replace(/^!/, ''), this.defined);
    return { value: evaluate(expression) > 0 !== (not === '!'), length };
  }

  *#line(text: string, context: LineContext): Generator<RoffLine, void, void> {
    const line = context.line!;
    const [all, name = ''] = /^[.'][ \t]*([^\s\\"]*)[ \t]*/.exec(text) ?? [];
    if (all === undefined) {
      yield { line, args: [], rest: text };
      return;
    }
    const rest = removeComment(text.slice(all.length));
    if (name === '' || this.#readDefinition(name, rest)) return;
    const body = context.isBuiltIn(name) ? undefined : this.#macros.get(name);
    const args = splitArguments(rest);
    if (!body) yield { line, macro: name, args, rest };
    else if (context.depth < MAX_DEPTH && (this.#expanded += body.length) < MAX_EXPANDED) {
      const put = (one: string) => one.replace(/\\\\\$([1-9*@])|\\\$([1-9*@])/g, (_, a?: string, b?: string) => argument(args, a ?? b!));
      yield* this.#lines(
        body.map((one) => put(one).replaceAll('\\\\', '\\')),
        { ...context, depth: context.depth + 1 },
      );
    }
  }

  /** Whether a request was a definition. */
  #readDefinition(name: string, rest: string): boolean {
    const [, key = '', value = ''] = /^(\S+)[ \t]*(.*)$/.exec(rest) ?? [];
    const string = value.replace(/^"/, '');
    if (name === 'ds') this.#strings.set(key, string);
    else if (name === 'as') this.#strings.set(key, ((this.#strings.get(key) ?? '') + string).slice(0, 10_000));
    else if (name === 'nr') this.#registers.set(key, parseInt(removeEscapes(value, this.defined)) || 0);
    else return false;
    return true;
  }
}

interface LineContext {
  isBuiltIn(macro: string): boolean;
  depth: number;
  /** Of the call, for the lines of a macro. */
  line: number | undefined;
}

/** Whether a line ends in a single backslash, and is no comment. */
const isContinued = (text: string): boolean => text.endsWith('\\') && !/^[.'][ \t]*\\"/.test(text) && /(?:^|[^\\])(?:\\\\)*\\$/.test(text);

const removeComment = (text: string): string => text.replace(/(?<!\\)\\".*$/, '');

const CONDITION = /^[.'][ \t]*(if|ie|el)\b[ \t]*/;

/** Counts the brackets that a line opens, minus those that it closes. */
const countOpenBrackets = (text: string): number => (text.match(/\\\{/g)?.length ?? 0) - (text.match(/\\\}/g)?.length ?? 0);

const argument = (args: readonly string[], which: string): string => (/\d/.test(which) ? (args[Number(which) - 1] ?? '') : args.join(' '));

/** Evaluates `3`, `1>0` or `2=2`; 0 for anything else. */
function evaluate(expression: string): number {
  const [, one, sign, other] = /^\(?(-?\d+)[a-z]?(?:([<>]=?|==?)(-?\d+)[a-z]?)?\)?/.exec(expression) ?? [];
  const [left, right] = [Number(one ?? 0), Number(other ?? 0)];
  if (sign === undefined) return left;
  const holds = {
    '<': left < right,
    '>': left > right,
    '<=': left <= right,
    '>=': left >= right,
    '=': left === right,
    '==': left === right,
  };
  return holds[sign as keyof typeof holds] ? 1 : 0;
}

/** Characters by the names that roff has for them (groff_char(7)). */
const NAMED = new Map(
  `bu • em — en – hy - lq “ rq ” Bq „ oq ‘ cq ’ bq ‚ aq ' dq " ga \` ha ^ ti ~ co © rg ® tm ™ mu × di ÷ pl + mi − eq = +- ± <= ≤ >= ≥ != ≠ -> → <- ← <> ↔ ua ↑ da ↓ rs \\ sl / ba | br | bv | ul _ ru _ de ° sc § ps ¶ dg † dd ‡ ct ¢ Eu € eu € Po £ Ye ¥ 12 ½ 14 ¼ 34 ¾ fo ‹ fc › Fo « Fc » at @ sh # Do $ lB [ rB ] lC { rC } la ⟨ ra ⟩ ss ß ae æ AE Æ oe œ OE Œ o/ ø O/ Ø oa å oA Å -D Ð Sd ð TP Þ Tp þ mc µ if ∞ sr √ no ¬ ci ○ sq □ OK ✓ *a α *b β *g γ *d δ *e ε *l λ *m μ *p π *r ρ *s σ *t τ *f φ *w ω *D Δ *S Σ *W Ω tf ∴ ~~ ≈ ~= ≅ == ≡ pc · md ⋅ S1 ¹ S2 ² S3 ³`
    .split(' ')
    .flatMap((name, i, all) => (i % 2 === 0 ? [[name, all[i + 1]!] as const] : [])),
);
/** Marks above and below letters: `\\['e]` is é. */
const ACCENTS: Readonly<Record<string, string>> = {
  "'": '\u0301',
  '`': '\u0300',
  ':': '\u0308',
  '^': '\u0302',
  '~': '\u0303',
  ',': '\u0327',
  v: '\u030c',
  a: '\u030a',
};

/** Joins a line with the next one, or the one before, without a space (`\c`). */
export const JOINER = '\u0001';

const SYMBOLS: Readonly<Record<string, string>> = {
  e: '\\',
  E: '\\',
  '\\': '\\',
  t: ' ',
  ' ': ' ',
  '~': ' ',
  '0': ' ',
  '-': '-',
  '.': '.',
  "'": "'",
  '`': '`',
  _: '_',
  c: JOINER,
};

/** The strings and numbers that a page defines. */
export interface Definitions {
  /** Strings by name (`.ds`). */
  strings: ReadonlyMap<string, string>;
  /** Numbers by name (`.nr`). */
  registers: ReadonlyMap<string, number>;
}

/** Maximum depth of strings within strings. */
const MAX_STRING_DEPTH = 8;
/** A name behind an escape: `X`, `(XX`, or `[any]`. */
const NAME = /\((..)|\[([^\]]{0,100})\]|(.)/sy;
const REGISTER = /[+-]?(?:\((..)|\[([^\]]{0,100})\]|(.))/sy;
/** A value between two of the same character. */
const VALUE = /'([^']{0,1000})'|"([^"]{0,1000})"/y;
const SIZE = /[+-]?(?:[1-3]\d|\d|\([+-]?\d\d|\[[^\]]{0,100}\]|'[^']{0,100}')/y;

/** Removes the escapes of roff (groff(7)): drops fonts, sizes and motions, and inserts characters and strings. */
export function removeEscapes(text: string, defined: Definitions, depth = 0): string {
  if (depth > MAX_STRING_DEPTH) return '';
  let [plain, from] = ['', 0];
  /** Reads a sticky pattern at the current offset. */
  const take = (pattern: RegExp): string => {
    pattern.lastIndex = from;
    const found = pattern.exec(text);
    from += found?.[0].length ?? 0;
    return found?.slice(1).find((group) => group !== undefined) ?? '';
  };
  for (let at = text.indexOf('\\'); at >= 0; at = text.indexOf('\\', from)) {
    plain += text.slice(from, at);
    const kind = text[at + 1] ?? '';
    from = at + 2;
    if (kind === '"' || kind === '#') return plain;
    if (kind === '(' || kind === '[') {
      from -= 1;
      plain += findCharacter(take(NAME));
    } else if (kind === '*') plain += removeEscapes(defined.strings.get(take(NAME)) ?? '', defined, depth + 1);
    else if (kind === 'n') plain += defined.registers.get(take(REGISTER)) ?? 0;
    else if ('fFmMgkVY'.includes(kind)) take(NAME);
    else if (kind === 's') take(SIZE);
    else if ('oZ'.includes(kind)) plain += removeEscapes(take(VALUE), defined, depth + 1);
    else if ('CN'.includes(kind))
      plain += findCharacter(kind === 'N' ? `u${Number(take(VALUE)).toString(16).padStart(4, '0').toUpperCase()}` : take(VALUE));
    else if (kind !== '' && 'bhvwlLDxXHSRAB'.includes(kind)) plain += take(VALUE) && kind === 'w' ? '0' : '';
    else plain += SYMBOLS[kind] ?? '';
  }
  return plain + text.slice(from);
}

/** Returns a character by its name: its code point (`u00E9`), or a letter with its accent (`'e`); empty for an unknown name. */
function findCharacter(name: string): string {
  const known = NAMED.get(name);
  if (known !== undefined) return known;
  const codes = /^u([\dA-F]{4,6}(?:_[\dA-F]{4,6})*)$/
    .exec(name)?.[1]
    ?.split('_')
    .map((code) => parseInt(code, 16));
  if (codes?.every((code) => code <= 0x10ffff)) return String.fromCodePoint(...codes).normalize('NFC');
  const mark = name.length === 2 ? ACCENTS[name[0]!] : undefined;
  if (mark !== undefined && /\p{L}/u.test(name[1]!)) return (name[1]! + mark).normalize('NFC');
  return name.length === 1 ? name : '';
}

/** Splits the arguments of a macro: words, or text in double quotes (two of them are one). */
export function splitArguments(text: string): string[] {
  const found: string[] = [];
  for (const [, quoted, word] of text.matchAll(/"((?:[^"]|"")*)(?:"|$)|((?:\\[^]|[^\s\\])+)/g))
    found.push(quoted?.replaceAll('""', '"') ?? word!);
  return found;
}
