import { holdsSecret } from '../core/secrets.ts';
import { visible } from '../text/visible.ts';

/** Where the answers of APIs say what went wrong (RFC 9457, OAuth 2, JSON:API, GraphQL, SOAP and the habits of frameworks), the most telling first. */
const NAMES = 'detail message msg error_description errormessage faultstring reason description title error errors fault'.split(' ');
const MAX_DEPTH = 4;
/** Characters that an error repeats, at most. */
const LONGEST = 200;
/** Shorter values are words like others. */
const SHORTEST_SECRET = 4;
/** What looks like a key: letters and digits in a row that no word is made of. */
const KEY = /(?<![\w+=~-])(?=[\w+=~-]*\d)(?=[\w+=~-]*[a-z])[\w+=~-]{16,}/gi;
const NAMED = /(?<![\w-])([\w-]{2,})["']?\s*[=:]\s*["']?([^\s"',;&]+)/g;

/** What an answer says went wrong, on one line that may be shown: bounded, printable, without `secrets` and what looks like one. Undefined where it says nothing. */
export function apiErrorMessage(answer: unknown, secrets: readonly string[] = []): string | undefined {
  const found = sentenceIn(answer, 0);
  if (found === undefined) return undefined;
  const cleaned = secrets.filter(({ length }) => length >= SHORTEST_SECRET).reduce((text, secret) => text.replaceAll(secret, '…'), found);
  const line = visible(cleaned.slice(0, LONGEST * 10))
    .replace(NAMED, (said, name: string, value: string) => (holdsSecret(name, value) ? `${said.slice(0, -value.length)}…` : said))
    .replace(KEY, '…')
    .replace(/\s+/g, ' ')
    .trim();
  return line === '' ? undefined : line.length > LONGEST ? `${line.slice(0, LONGEST - 1).trimEnd()}…` : line;
}

function sentenceIn(value: unknown, depth: number): string | undefined {
  if (typeof value === 'string') return value.trim() || undefined;
  if (typeof value !== 'object' || value === null || depth > MAX_DEPTH) return undefined;
  if (Array.isArray(value)) return sentenceIn(value[0], depth + 1);
  const own = new Map(Object.entries(value).map(([key, inner]) => [key.toLowerCase(), inner as unknown]));
  for (const name of NAMES) {
    const found = sentenceIn(own.get(name), depth + 1);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** These headers say how an answer is wanted, and who asks. */
const OPEN = /^(accept(-.*)?|content-type|user-agent)$/;
const SCHEME = /^(basic|bearer|digest|token|api-?key)$/i;

/**
 * What was sent with a request that no answer may make known, the longest first: values of headers (whole, word by word, and decoded), and of the parameters
 * and fields of a JSON body that hold credentials. Header names are in lower case.
 */
export function secretsSent(url: URL, { headers, body }: { headers: Readonly<Record<string, string>>; body?: unknown }): string[] {
  const values = Object.entries(headers).flatMap(([name, value]) => (OPEN.test(name) ? [] : value));
  const params = [...url.searchParams].flatMap(([name, value]) => (holdsSecret(name, value) ? value : []));
  return [...new Set([...values.flatMap(wordsOf), ...params, ...secretFields(body)])].toSorted((a, b) => b.length - a.length);
}

function wordsOf(value: string): string[] {
  const words = value.split(/[\s;,]+/).filter((word) => !SCHEME.test(word));
  const [, basic = ''] = /^basic\s+(\S+)/i.exec(value) ?? [];
  const [, password = ''] = /^[^:]*:(.*)$/s.exec(Buffer.from(basic, 'base64').toString()) ?? [];
  return [value, ...words, ...words.map((word) => word.slice(word.indexOf('=') + 1)), password];
}

function secretFields(body: unknown): string[] {
  const found: string[] = [];
  const keep = (name: string, value: unknown): unknown => {
    if (typeof value === 'string' && holdsSecret(name, value)) found.push(value);
    return value;
  };
  try {
    if (typeof body === 'string') JSON.parse(body, keep);
  } catch {
    // no JSON: its words can't be told apart
  }
  return found;
}
