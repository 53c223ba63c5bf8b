/** Characters that texts write as entities where there is no markup around them (HTML, 13.5). */
const SIGNS: Record<string, string> = {
  amp: '&',
  lt: '<',
  gt: '>',
  quot: '"',
  apos: "'",
  nbsp: ' ',
  ndash: '–',
  mdash: '—',
  hellip: '…',
  lsquo: '‘',
  rsquo: '’',
  sbquo: '‚',
  ldquo: '“',
  rdquo: '”',
  bdquo: '„',
  laquo: '«',
  raquo: '»',
  bull: '•',
  middot: '·',
  times: '×',
  deg: '°',
  euro: '€',
  copy: '©',
  reg: '®',
  trade: '™',
  szlig: 'ß',
  aelig: 'æ',
  AElig: 'Æ',
  oelig: 'œ',
  OElig: 'Œ',
  oslash: 'ø',
  Oslash: 'Ø',
  iexcl: '¡',
  iquest: '¿',
  sect: '§',
  para: '¶',
  plusmn: '±',
  le: '≤',
  ge: '≥',
  ne: '≠',
  rarr: '→',
  rArr: '⇒',
  larr: '←',
  lArr: '⇐',
  frac12: '½',
  frac14: '¼',
  frac34: '¾',
  sup1: '¹',
  sup2: '²',
  sup3: '³',
  micro: 'µ',
  ordf: 'ª',
  ordm: 'º',
  pound: '£',
  yen: '¥',
  cent: '¢',
  dagger: '†',
  Dagger: '‡',
  permil: '‰',
  prime: '′',
  Prime: '″',
  thinsp: '\u2009',
  ensp: '\u2002',
  emsp: '\u2003',
  shy: '\u00ad',
  zwnj: '\u200c',
};
/** What stands above or below a letter, as a character that joins the one before. */
const MARKS: Record<string, string> = {
  uml: '\u0308',
  acute: '\u0301',
  grave: '\u0300',
  circ: '\u0302',
  tilde: '\u0303',
  cedil: '\u0327',
  ring: '\u030a',
  caron: '\u030c',
};

const named = [...Object.keys(SIGNS), `[a-z](?:${Object.keys(MARKS).join('|')})`].join('|');
const ENTITY = new RegExp(`&(#\\d{1,7}|#x[\\da-f]{1,6}|${named});`, 'gi');

/** Whether a text has characters that are written as entities. */
export const hasEntities = (text: string): boolean => text.search(ENTITY) >= 0;

/** The text with the characters that its entities stand for; all else, white space too, stays as it is. */
export const withoutEntities = (text: string): string =>
  text.replace(ENTITY, (entity, name: string) => {
    if (name.startsWith('#')) return characterOf(Number(name.slice(1).replace(/^x/i, '0x'))) ?? entity;
    return SIGNS[name] ?? SIGNS[name.toLowerCase()] ?? `${name[0]}${MARKS[name.slice(1).toLowerCase()]}`.normalize('NFC');
  });

/** What 128 to 159 stand for: the characters of windows-1252 (HTML, 13.2.5.80); a space where it has none. */
const WINDOWS = '€ ‚ƒ„…†‡ˆ‰Š‹Œ Ž  ‘’“”•–—˜™š›œ žŸ';

/** Undefined for what is no character (surrogates, and numbers beyond the last). */
function characterOf(code: number): string | undefined {
  if (code === 0 || code > 0x10ffff || (code >= 0xd800 && code <= 0xdfff)) return undefined;
  const windows = WINDOWS[code - 128] ?? ' ';
  if (windows !== ' ') return windows;
  return code === 0xa0 ? ' ' : String.fromCodePoint(code);
}
