/** An address that a sitemap or a feed names, and the name of the element that it stands in. */
export interface XmlLink {
  element: string;
  address: string;
}

/** One element of these names: its attributes, and what it holds up to the next element. Names with a prefix that is not that of the format itself (`image:loc`) are others. */
const ELEMENT =
  /<(?:(?:sm|sitemap|atom|ns\d):)?(sitemapindex|loc|link)\b([^<>]{0,4000}?)(\/?)>(?:\s*<!\[CDATA\[([^\]]{0,4000})|([^<]{0,4000}))?/gi;
const REL = /\brel\s*=\s*["']([^"']*)["']/i;
const HREF = /\bhref\s*=\s*["']([^"']*)["']/i;

/**
 * The addresses in a sitemap (`loc`; sitemaps.org) or in a feed (`link`; RSS 2.0, Atom: RFC 4287), in their order; `sitemapindex` comes first where it is an index. The text is scanned and not
 * parsed: it may hold 50 MB, may be broken, and nothing else of it is wanted.
 */
export function* xmlLinks(xml: string): Generator<XmlLink, void, void> {
  for (const [, name, attributes = '', , quoted, text] of xml.matchAll(ELEMENT)) {
    const element = name!.toLowerCase();
    const rel = REL.exec(attributes)?.[1] ?? 'alternate';
    const named = element === 'link' && rel === 'alternate' ? HREF.exec(attributes)?.[1] : undefined;
    const address = unescaped((named ?? quoted ?? text ?? '').trim());
    if (element === 'sitemapindex' || (address !== '' && rel === 'alternate')) yield { element, address };
  }
}

const ENTITIES: Record<string, string> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" };

const unescaped = (text: string): string =>
  text.replace(/&(#\d{1,7}|#x[0-9a-f]{1,6}|amp|lt|gt|quot|apos);/gi, (whole, name: string) => {
    if (!name.startsWith('#')) return ENTITIES[name.toLowerCase()]!;
    const code = /^#x/i.test(name) ? Number.parseInt(name.slice(2), 16) : Number(name.slice(1));
    return code <= 0x10ffff ? String.fromCodePoint(code) : whole;
  });
