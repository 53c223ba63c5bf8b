import { decodeHTMLAttribute } from 'entities/decode';

/** Schemes that a link of an answer may have, whatever a source holds: no other does less than it seems to. */
const HARMLESS = /^(?:https?|ftp|mailto|tel)$/i;

const SCHEME = /^([a-z][a-z0-9+.-]*):/i;

/** What may follow an address without being a part of it. */
const GOES_ON = /^(?:[\p{L}\p{N}/&=%+@]|[.,:;!?'*_~-][\p{L}\p{N}/=&%])/u;

/** The address as a renderer reads it: without backslashes, and with what its entities stand for. */
export const decodeAddress = (address: string): string =>
  decodeHTMLAttribute(address.replace(/\\([!-/:-@[-`{-~])/g, '$1'))
    // oxlint-disable-next-line no-control-regex
    .replace(/[\u0000-\u0020\u007f]+/g, '');

const withoutFragment = (address: string): string => address.replace(/#.*$/s, '');

/** Ways in which the same address is written. */
function spellings(address: string): string[] {
  const plain = address.replace(/^(?:https?:\/\/|mailto:|tel:)/i, '');
  const all = [address, plain.includes('.') || plain.includes('@') ? plain : address];
  return [...new Set(all.flatMap((one) => [one, one.endsWith('/') ? one.slice(0, -1) : `${one}/`]))].filter((one) =>
    /[\p{L}\p{N}]/u.test(one),
  );
}

const standsAt = (text: string, at: number, address: string): boolean =>
  at >= 0 &&
  (at === 0 || !/[\p{L}\p{N}]/u.test(text[at - 1]!)) &&
  text.startsWith(address, at) &&
  !GOES_ON.test(text.slice(at + address.length, at + address.length + 2));

/** Whether a text holds one of the spellings, whole. The shortest is a part of all the others, so the text is searched once. */
function standsIn(text: string, all: readonly string[]): boolean {
  const [core, ...longer] = all.toSorted((a, b) => a.length - b.length);
  if (core === undefined) return false;
  const places = [{ spelling: core, before: 0 }, ...longer.map((spelling) => ({ spelling, before: spelling.indexOf(core) }))];
  for (let at = text.indexOf(core); at >= 0; at = text.indexOf(core, at + 1))
    if (places.some(({ spelling, before }) => standsAt(text, at - before, spelling))) return true;
  return false;
}

/** An address of another place than that of who reads it. */
const REMOTE = /^(?:[a-z][a-z0-9+.-]*:|[\\/]{2})/i;

/** The site of an address of the web, such as `https://docs.example.com`; empty for any other address. */
const siteOf = (address: string): string => (/^https?:/i.test(address) && URL.canParse(address) ? new URL(address).origin : '');

/** Whether an answer may lead to an address; an image is loaded unasked, so that less is allowed. */
export type IsKnown = (address: string, use?: 'image') => boolean;

/**
 * Tells of an address whether one of the texts holds it, whole, or whether it is one of the `places` that these come from, to which it may add a fragment:
 * elsewhere that could tell anything to anybody. On their sites a fragment may follow what a text holds, too; an image of another site is known only as
 * one of the places. Never known is an address that would run a
 * program or carries its content itself.
 */
export function linksIn(texts: readonly string[], places: readonly string[] = []): IsKnown {
  const own = places.join('\n');
  const whole = texts.join('\n');
  const sites = new Set(places.map(siteOf).filter((site) => site !== ''));
  return (written, use) => {
    const address = decodeAddress(written);
    const scheme = SCHEME.exec(address)?.[1];
    if (scheme !== undefined && !HARMLESS.test(scheme)) return false;
    if (standsIn(own, spellings(withoutFragment(address)))) return true;
    const isOwn = sites.has(siteOf(address));
    if (use === 'image' && REMOTE.test(address) && !isOwn) return false;
    return standsIn(whole, spellings(isOwn ? withoutFragment(address) : address));
  };
}
