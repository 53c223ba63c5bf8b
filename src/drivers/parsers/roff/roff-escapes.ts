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

/** What a page defines and is asked for in its text. */
export interface Definitions {
  /** Strings by name (`.ds`). */
  strings: ReadonlyMap<string, string>;
  /** Numbers by name (`.nr`). */
  registers: ReadonlyMap<string, number>;
}

/** Strings within strings, at most. */
const DEEPEST = 8;
/** A name behind an escape: `X`, `(XX`, or `[any]`. */
const NAME = /\((..)|\[([^\]]{0,100})\]|(.)/sy;
const REGISTER = /[+-]?(?:\((..)|\[([^\]]{0,100})\]|(.))/sy;
/** A value between two of the same character. */
const VALUE = /'([^']{0,1000})'|"([^"]{0,1000})"/y;
const SIZE = /[+-]?(?:[1-3]\d|\d|\([+-]?\d\d|\[[^\]]{0,100}\]|'[^']{0,100}')/y;

/** Text without the escapes of roff (groff(7)): fonts, sizes and motions go, characters and strings are put in. */
export function withoutEscapes(text: string, defined: Definitions, depth = 0): string {
  if (depth > DEEPEST) return '';
  let [plain, from] = ['', 0];
  /** What stands at the end of what was read, read with a sticky pattern. */
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
      plain += characterOf(take(NAME));
    } else if (kind === '*') plain += withoutEscapes(defined.strings.get(take(NAME)) ?? '', defined, depth + 1);
    else if (kind === 'n') plain += defined.registers.get(take(REGISTER)) ?? 0;
    else if ('fFmMgkVY'.includes(kind)) take(NAME);
    else if (kind === 's') take(SIZE);
    else if ('oZ'.includes(kind)) plain += withoutEscapes(take(VALUE), defined, depth + 1);
    else if ('CN'.includes(kind))
      plain += characterOf(kind === 'N' ? `u${Number(take(VALUE)).toString(16).padStart(4, '0').toUpperCase()}` : take(VALUE));
    else if (kind !== '' && 'bhvwlLDxXHSRAB'.includes(kind)) plain += take(VALUE) && kind === 'w' ? '0' : '';
    else plain += SYMBOLS[kind] ?? '';
  }
  return plain + text.slice(from);
}

/** `u00E9` is a character by its code point, `'e` a letter with its accent; what is not known is left out. */
function characterOf(name: string): string {
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

/** The arguments of a macro: words, or what stands in double quotes (two of them are one). */
export function splitArguments(text: string): string[] {
  const found: string[] = [];
  for (const [, quoted, word] of text.matchAll(/"((?:[^"]|"")*)(?:"|$)|((?:\\[^]|[^\s\\])+)/g))
    found.push(quoted?.replaceAll('""', '"') ?? word!);
  return found;
}
