import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { KbError } from '../core/errors.ts';
import { describeFileError } from '../core/file-names.ts';
import { redactUrl } from '../core/secrets.ts';
import { UrlsEntry } from '../schema/source-entries.ts';

type Entry = Exclude<UrlsEntry, string>;

/** Lists the pages of a command line: those named, and those of `--retry`. Throws a KbError (`usage`) if there are none. */
export function pagesGiven(named: readonly string[], retry: string | undefined): UrlsEntry[] {
  if (named.length > 0 || retry !== undefined) return [...named, ...(retry === undefined ? [] : pagesToRetry(retry))];
  throw new KbError('usage', 'There is no page to be read.', {
    hint: 'For example kb scrape https://example.com/docs/start, or kb scrape --retry failed.json.',
  });
}

/**
 * The pages of a list of failures that may pass when they are sent again, each once, and of the sites that they failed at. The file holds the result of `kb scrape --json` (or the body of `/v1/ingest/url`), error items as a
 * list, or one a line. A page is read by itself, where the failure was not that of a whole crawl. Throws a KbError (`usage`) that names the file.
 */
function pagesToRetry(path: string): Entry[] {
  const entries = new Map<string, Entry>();
  for (const item of failuresIn(path)) {
    const { isRetryable, source_kind, source, retry_input } = item;
    if (isRetryable !== true || source_kind !== 'url') continue;
    const said = UrlsEntry.safeParse(retry_input).data ?? String(source);
    const entry: Entry = { mode: 'each', ...(typeof said === 'string' ? { url: said } : said) };
    if (originOf(entry.url) !== originOf(String(source))) throw elsewhere(path, String(source), entry.url);
    entries.set(JSON.stringify(entry), entry);
  }
  return [...entries.values()];
}

const originOf = (address: string): string | undefined => (URL.canParse(address) ? new URL(address).origin : undefined);

/** What failed is what is asked for again: nothing that came by such a file leads to another site than it says. */
const elsewhere = (path: string, source: string, url: string): KbError =>
  new KbError('usage', `--retry: ${path} would have ${redactUrl(url)} read in place of ${redactUrl(source)}, which is another site.`, {
    hint: 'If that is meant, give the address itself.',
  });

function failuresIn(path: string): Record<string, unknown>[] {
  const text = read(path);
  const values =
    parsed(text) ?? text.split('\n').flatMap((line, i) => (line.trim() === '' ? [] : [parsedLine(line, { path, number: i + 1 })]));
  return values.flatMap((value) => {
    const items = Array.isArray(value)
      ? value
      : isTree(value) && ('dlq' in value || 'errors' in value)
        ? (value.dlq ?? value.errors ?? [])
        : [value];
    if (Array.isArray(items) && items.every((item) => isTree(item) && typeof item.source === 'string' && 'isRetryable' in item))
      return items;
    throw new KbError('usage', `--retry: ${path} is no list of failures.`, {
      hint: 'It is what kb scrape --json has written, or the error items of its dlq, as a list or one a line.',
    });
  });
}

const isTree = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null && !Array.isArray(value);

function read(path: string): string {
  try {
    return readFileSync(resolve(path), 'utf8');
  } catch (cause) {
    throw new KbError('usage', `--retry: the file ${path} cannot be read: ${describeFileError(cause, 'read')}.`, { cause });
  }
}

function parsed(text: string): unknown[] | undefined {
  try {
    return [JSON.parse(text) as unknown];
  } catch {
    return undefined;
  }
}

function parsedLine(line: string, { path, number }: { path: string; number: number }): unknown {
  const [value] = parsed(line) ?? [];
  if (value !== undefined) return value;
  throw new KbError('usage', `--retry: line ${number} of ${path} is not JSON.`, {
    hint: 'It is what kb scrape --json has written, or error items, one a line.',
  });
}
