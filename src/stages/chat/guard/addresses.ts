import { decodeHTMLAttribute } from 'entities/decode';

/** Schemes that links of an answer may have; others can do more than open a page. */
const HARMLESS = /^(?:https?|ftp|mailto|tel)$/i;

const SCHEME = /^([a-z][a-z0-9+.-]*):/i;

/** Characters that continue an address. */
const GOES_ON = /^(?:[\p{L}\p{N}/&=%+@]|[.,:;!?'*_~-][\p{L}\p{N}/=&%])/u;

/** Decodes backslashes and entities as a renderer does. */
export const decodeAddress = (address: string): string =>
  decodeHTMLAttribute(address.replace(/\\([!-/:-@[-`{-~])/g, '$1'))
    // oxlint-disable-next-line no-control-regex
    .replace(/[\u0000-\u0020\u007f]+/g, '');

const withoutFragment = (address: string): string => address.replace(/#.*$/s, '');

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

/** Whether a text contains one of the spellings as a whole. The shortest is part of all others, so that one scan is enough. */
function standsIn(text: string, all: readonly string[]): boolean {
  const [core, ...longer] = all.toSorted((a, b) => a.length - b.length);
  if (core === undefined) return false;
  const places = [{ spelling: core, before: 0 }, ...longer.map((spelling) => ({ spelling, before: spelling.indexOf(core) }))];
  for (let at = text.indexOf(core); at >= 0; at = text.indexOf(core, at + 1))
    if (places.some(({ spelling, before }) => standsAt(text, at - before, spelling))) return true;
  return false;
}

/** An absolute address. */
const REMOTE = /^(?:[a-z][a-z0-9+.-]*:|[\\/]{2})/i;

/** The origin of a web address, such as `https://docs.example.com`; empty for any other address. */
const siteOf = (address: string): string => (/^https?:/i.test(address) && URL.canParse(address) ? new URL(address).origin : '');

/** Whether an answer may link to an address. Images are stricter, since they load without a click. */
export type IsKnown = (address: string, use?: 'image') => boolean;

/**
 * Returns a check whether an address may be linked: a text contains it as a whole, or it is one of `places`, with any fragment. On the sites of
 * `places`, a fragment may also follow an address from a text. Images from other sites must be in `places`. Script and data addresses are never
 * allowed.
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
