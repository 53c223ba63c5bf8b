import { KbError } from '../../../base/errors.ts';
import { sourceOf } from '../network.ts';
import type { Load } from './load.ts';
import { within } from './within.ts';

/** What a site asks of those that crawl it (RFC 9309). */
export interface Robots {
  allows(address: string): boolean;
  /** Seconds between two requests; 0 where it asks for none. */
  delay: number;
  sitemaps: readonly string[];
  /** Its rules have taken so long to be held against addresses that nothing more is allowed. */
  isExhausted(): boolean;
}

/** What is read of a robots.txt (RFC 9309, 2.5: at least 500 KiB), and what is loaded of it. */
const READ = 512 * 2 ** 10;
const LOADED = 5 * 2 ** 20;

/** What is used of robots-parser, whose types are written for another kind of import. */
type Parse = (
  address: string,
  text: string,
) => {
  isAllowed(address: string, product: string): boolean | undefined;
  getCrawlDelay(product: string): number | undefined;
  getSitemaps(): string[];
};

/** Milliseconds of looking at rules, for one crawl. */
const MOST_TIME = 10_000;
/** Rules with more wildcards, or after so many characters of rules with wildcards, are cut at their first one: what is held against an address must not take seconds. */
const MOST_WILDCARDS = 8;
const MOST_CHARACTERS = 50_000;

const everything: Robots = { allows: () => true, delay: 0, sitemaps: [], isExhausted: () => false };

/**
 * The rules of an origin for the product that `user_agent` begins with. A site that answers with 4xx has none. Throws a KbError where they can't be read for now (5xx, 429, no
 * answer): then nothing of the site may be crawled (RFC 9309, 2.3.1).
 */
export async function readRobots(origin: string, { load, user_agent }: { load: Load; user_agent: string }): Promise<Robots> {
  const address = `${origin}/robots.txt`;
  try {
    const { bytes } = await load(address, { max_bytes: LOADED });
    const { default: parse } = (await import('robots-parser')) as unknown as { default: Parse };
    const rules = parse(address, affordable(new TextDecoder().decode(bytes.subarray(0, READ))));
    const product = productOf(user_agent);
    const delay = rules.getCrawlDelay(product) ?? 0;
    const bounded = within(MOST_TIME, (url) => rules.isAllowed(url, product) !== false);
    return {
      allows: bounded.ask,
      isExhausted: bounded.isSpent,
      delay: Number.isFinite(delay) && delay > 0 ? delay : 0,
      sitemaps: rules.getSitemaps(),
    };
  } catch (error) {
    if (hasNone(error)) return everything;
    throw unreadableRules(address, error);
  }
}

/** The same rules, the costly ones wider: more is forbidden then, and less is allowed. */
function affordable(text: string): string {
  let characters = 0;
  return text.replace(/^([ \t]*(dis)?allow[ \t]*:)([^\r\n#]*\*[^\r\n#]*)/gim, (rule: string, ...[name, forbids, pattern]: string[]) => {
    characters += pattern!.length;
    if (characters <= MOST_CHARACTERS && pattern!.split('*').length <= MOST_WILDCARDS + 1) return rule;
    return forbids ? `${name}${pattern!.slice(0, pattern!.indexOf('*'))}` : '';
  });
}

/** Whether a failure means that there are no rules: an answer that is final, or an address that the pages will not be fetched from either. */
const hasNone = (error: unknown): boolean =>
  error instanceof KbError && !error.isRetryable && ['not_found', 'unauthorized', 'invalid', 'forbidden'].includes(error.code);

function unreadableRules(address: string, error: unknown): unknown {
  if (!(error instanceof KbError) || error.code === 'aborted') return error;
  const { code, message, isRetryable, attempts } = error;
  return new KbError(code, `What the site allows could not be read, so that nothing of it was crawled: ${message}`, {
    hint: `Try again later, or give the pages themselves (mode each), which needs no ${sourceOf(address)}.`,
    isRetryable,
    attempts,
    cause: error,
  });
}

/** The product token of a user agent (RFC 9309, 2.2.1): `KbBot` of `KbBot/1.0`, and of `Mozilla/5.0 (compatible; KbBot/1.0)`. */
export function productOf(user_agent: string): string {
  const [, named] = /\bcompatible;\s*([\w-]+)/i.exec(user_agent) ?? [];
  return named ?? /^[^/\s]+/.exec(user_agent.trim())?.[0] ?? '*';
}
