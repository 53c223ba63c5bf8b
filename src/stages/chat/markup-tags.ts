import { MORE } from './markdown-links.ts';

/** What `<` begins: a tag to be taken out, one that never ends, or text. */
export type Tag = { kind: 'opening' | 'closing'; length: number } | { kind: 'dangling' } | { kind: 'text' };

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

/** Where the tag ends: at the first `>` outside of quotes. */
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
