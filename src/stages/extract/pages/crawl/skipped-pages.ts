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

export type Reason = keyof typeof REASONS;

/** Addresses that are told apart for each reason. */
export const MOST_TOLD = 10_000;

/** What a crawl found and left out, counted by reason: each address once. */
export class SkippedPages {
  readonly #keys = new Map<Reason, Set<string>>();
  readonly #first = new Map<Reason, string>();

  /** `address`: as it may be shown. */
  note(reason: Reason, address: string): void {
    const keys = this.#keys.get(reason) ?? new Set();
    if (keys.size < MOST_TOLD) keys.add(keyOf(address));
    this.#keys.set(reason, keys);
    if (!this.#first.has(reason)) this.#first.set(reason, address);
  }

  /** `2 addresses that robots.txt forbids (such as …)`, `3 addresses: 2 that robots.txt forbids (such as …), 1 …`; undefined where nothing was left out. */
  get text(): string | undefined {
    const told = (Object.keys(REASONS) as Reason[]).flatMap((reason) => {
      const count = this.#keys.get(reason)?.size ?? 0;
      return count === 0 ? [] : [{ reason, count, first: this.#first.get(reason) }];
    });
    const all = told.reduce((sum, { count }) => sum + count, 0);
    if (all === 0) return undefined;
    const parts = told.map(({ reason, count, first }) => {
      const number = `${count.toLocaleString('en')}${count === MOST_TOLD ? ' or more' : ''}`;
      return { number, text: `${REASONS[reason]} (${count === 1 ? '' : 'such as '}${first})` };
    });
    const addresses = all === 1 ? 'address' : 'addresses';
    if (parts.length === 1) return `${parts[0]!.number} ${addresses} ${parts[0]!.text}`;
    return `${all.toLocaleString('en')} ${addresses}: ${parts.map(({ number, text }) => `${number} ${text}`).join(', ')}`;
  }
}
