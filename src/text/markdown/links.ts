/** The text ends before it is clear what it is. */
export const MORE = Symbol('more');

/** Longest text of a link that is waited for; what is longer is shown, and its address is looked at when it comes. */
const LONGEST_TEXT = 400;

/** Letters within which an address ends, and the parenthesis around it closes: an answer is not held back for longer. */
export const LONGEST_ADDRESS = 2000;

/** The target of a link, with its length in the text. */
export interface LinkTarget {
  address: string;
  length: number;
  isDefinition?: boolean;
  /** The address does not end within the longest one, so that nobody knows it. */
  isTooLong?: boolean;
}

/** Extracts the text between the brackets that open at `at`, with nested brackets; undefined if they do not close. */
export function bracketsAt(text: string, at: number, isEnd: boolean): string | undefined | typeof MORE {
  let depth = 0;
  for (let i = at; i < text.length; i++) {
    if (i - at > LONGEST_TEXT || text.startsWith('\n\n', i)) return undefined;
    if (text[i] === '\\') i++;
    else if (text[i] === '[') depth++;
    else if (text[i] === ']' && --depth === 0) return text.slice(at + 1, i);
  }
  return isEnd ? undefined : MORE;
}

/** Where the parenthesis that a text begins with closes; undefined where it does not, before a blank line; MORE at the end of the text. */
function closingOf(text: string): number | undefined | typeof MORE {
  const blank = /\n[ \t]*\n/y;
  let depth = 0;
  for (let i = 0; i < text.length; i++) {
    blank.lastIndex = i;
    if (text[i] === '\n' && blank.test(text)) return undefined;
    if (text[i] === '\\') i++;
    else if (text[i] === '(') depth++;
    else if (text[i] === ')' && --depth === 0) return i;
  }
  return MORE;
}

/**
 * Parses the address in the parentheses that open at `at` (CommonMark 6.3), with or without a title; undefined if they hold something else.
 * An address with a scheme counts whatever follows it, because some renderers are lenient. If the parenthesis does not close within the
 * longest address, the target ends with the address, and the rest is text.
 */
export function destinationAt(text: string, at: number, isEnd: boolean): LinkTarget | undefined | typeof MORE {
  const reach = text.slice(at, at + LONGEST_ADDRESS);
  const begun = /^\(\s*([^\s()<]+)\s+(?!["'(\s])[^)]/.exec(reach);
  if (begun && !/^(?:[a-z][a-z0-9+.-]*:|[\\/]{2})/i.test(begun[1]!)) return undefined;
  const end = closingOf(reach);
  if (end === undefined) return undefined;
  if (end === MORE && reach.length < LONGEST_ADDRESS) return isEnd ? undefined : MORE;
  const inner = end === MORE ? reach : reach.slice(0, end);
  const [whole = '', angled, raw = ''] = /^\(\s*(?:<([^<>\n]*)>?|(\S*))/.exec(inner) ?? [];
  const address = angled ?? raw;
  if (end !== MORE) return { address, length: end + 1 };
  return { address, length: whole.length, isTooLong: whole.length === reach.length };
}

/**
 * The address of a definition (`[label]: address`), whose colon is at `at`; undefined for a word that leads nowhere but to its own page: a list of
 * sources looks like that.
 */
export function definitionAt(text: string, at: number, isEnd: boolean): LinkTarget | undefined | typeof MORE {
  const reach = text.slice(at, at + LONGEST_ADDRESS);
  const isOpen = /^:[ \t]*(?:\n[ \t]*)?(?:<[^<>\n]*|\S*)$/.test(reach);
  const isTooLong = isOpen && reach.length === LONGEST_ADDRESS;
  if (isOpen && !isTooLong && !isEnd) return MORE;
  const [whole = '', angled, raw = ''] = /^:[ \t]*(?:\n[ \t]*)?(?:<([^<>\n]*)>|(\S*))/.exec(reach) ?? [];
  const address = isTooLong ? reach.slice(1).trim() : (angled ?? raw);
  // Nothing but blanks, so far, may hold any address behind them.
  const isHidden = isTooLong && address === '';
  if (!isHidden && !/^[\\/]|[:&].|^(?:javascript|vbscript|data):/i.test(address)) return undefined;
  return { address, length: isTooLong ? reach.length : whole.length, isDefinition: true, isTooLong };
}

/** What `<` begins: a tag to be taken out, one that never ends, or text. */
type Tag = { kind: 'opening' | 'closing'; length: number } | { kind: 'dangling' } | { kind: 'text' };

/** Letters within which a tag ends, or an address in angle brackets: what is longer is none. */
export const LONGEST_TAG = 1000;

/** Elements that load, lead or send, when they have attributes. */
const LEADING = new Set(
  'a applet area audio body button embed form frame frameset head html iframe image img input link map meta object picture portal source table td th track video'.split(
    ' ',
  ),
);

/** Elements that change how what follows is read, also without any. */
const CHANGING = new Set('base iframe math noembed noframes noscript plaintext script style svg template textarea xmp'.split(' '));

/** Attributes, each in one way alone: a value without quotes goes on to the next blank, or there were two ways to read every `a=b/c`. */
const ATTRIBUTES = /^(?:[\s/]+[a-z_:@][\w:.@-]*(?:\s*=\s*(?:"[^"]*"|'[^']*'|[^\s"'=<>`][^\s<>`]*(?=\s|$)))?)*[\s/]*$/i;

/** Attributes that load, lead or run, on any element. */
const RISKY = /[\s/"'](?:on[a-z]+|style|src|srcset|srcdoc|href|action|formaction|background|poster|ping|xlink:href)\s*=(?!=)/i;

function endOf(text: string): number {
  if (!text.includes('>')) return -1;
  let quote = '';
  let before = '';
  for (let i = 1; i < text.length; i++) {
    const letter = text[i]!;
    if (quote) quote = letter === quote ? '' : quote;
    else if ((letter === '"' || letter === "'") && before === '=') quote = letter;
    else if (letter === '>') return i;
    if (letter.trim() !== '') before = letter;
  }
  return -1;
}

/** So much of a text as a tag at its beginning may reach: to a blank line, and no further than the longest tag. */
function reachOf(text: string): string {
  const reach = text.slice(0, LONGEST_TAG + 1);
  const blank = reach.search(/\n[ \t]*\n/);
  return blank < 0 ? reach : reach.slice(0, blank + 1);
}

/**
 * The tag at the beginning of a text that begins with `<`. Names without attributes (`Array<string>`, `<br>`) are text, and so is what is no tag
 * to a browser.
 */
export function tagAt(text: string, isEnd: boolean): Tag | typeof MORE {
  const plain: Tag = { kind: 'text' };
  if (/^<\/?$/.test(text)) return isEnd ? plain : MORE;
  const [, slash, name = ''] = /^<(\/?)([a-z][a-z0-9-]*)/i.exec(text) ?? [];
  if (!name) return plain;
  const reach = reachOf(text);
  const end = endOf(reach);
  const isOver = isEnd || text.length > LONGEST_TAG || reach.length < text.length;
  if (end < 0 && !isOver) return MORE;
  const element = name.toLowerCase();
  const attributes = reach.slice(name.length + 1 + slash!.length, end < 0 ? undefined : end);
  const isTag = /^[\s/]|^$/.test(attributes);
  const isLeading =
    (LEADING.has(element) && attributes.trim() !== '') ||
    (ATTRIBUTES.test(attributes) && attributes.includes('=')) ||
    RISKY.test(attributes);
  if (end < 0) {
    const isMeant = attributes.includes('=') || (attributes !== '' && (LEADING.has(element) || CHANGING.has(element)));
    return isTag && isMeant ? { kind: 'dangling' } : plain;
  }
  if (!isTag) return plain;
  if (slash) return LEADING.has(element) || CHANGING.has(element) ? { kind: 'closing', length: end + 1 } : plain;
  return isLeading || CHANGING.has(element) ? { kind: 'opening', length: end + 1 } : plain;
}
