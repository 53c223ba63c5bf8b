import { keyOf } from './page-address.ts';

/** Why an address of a site became no document, in the order in which it is told; nothing failed there. */
const REASONS = {
  filtered: 'that include or exclude keeps out',
  robots: 'that robots.txt forbids',
  passed_over: 'marked noindex, or with nothing but links',
  same: 'with the content of another',
  alike: 'now with the content of another, and stored as before',
  foreign: 'that a sitemap names on another origin',
  other: 'of a kind that kb does not read',
} as const;

type Reason = keyof typeof REASONS;

/** Addresses that are told apart for each reason. */
export const MOST_TOLD = 10_000;

/** What a crawl found and left out, by reason: the first address as it may be shown, and the keys of all, each once. */
export type SkippedPages = Map<Reason, { first: string; keys: Set<string> }>;

/** `address`: as it may be shown. */
export function noteSkipped(skipped: SkippedPages, reason: Reason, address: string): undefined {
  const { first, keys } = skipped.get(reason) ?? { first: address, keys: new Set<string>() };
  if (keys.size < MOST_TOLD) keys.add(keyOf(address));
  skipped.set(reason, { first, keys });
}

/** `2 addresses that robots.txt forbids (such as …)`, `3 addresses: 2 that robots.txt forbids (such as …), 1 …`; undefined where nothing was left out. */
export function skippedText(skipped: SkippedPages): string | undefined {
  const parts = (Object.keys(REASONS) as Reason[]).flatMap((reason) => {
    const { first, keys: { size } = new Set() } = skipped.get(reason) ?? {};
    const number = `${size.toLocaleString('en')}${size === MOST_TOLD ? ' or more' : ''}`;
    return size === 0 ? [] : [{ size, number, text: `${REASONS[reason]} (${size === 1 ? '' : 'such as '}${first})` }];
  });
  const all = parts.reduce((sum, { size }) => sum + size, 0);
  const addresses = all === 1 ? 'address' : 'addresses';
  if (parts.length <= 1) return parts[0] && `${parts[0].number} ${addresses} ${parts[0].text}`;
  return `${all.toLocaleString('en')} ${addresses}: ${parts.map(({ number, text }) => `${number} ${text}`).join(', ')}`;
}
