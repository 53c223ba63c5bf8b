import * as Flags from '@oclif/core/flags';
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { parse } from 'yaml';
import { KbError } from '../core/errors.ts';
import { describeFileError } from '../core/file-names.ts';
import { fillVariables } from '../core/settings.ts';
import { parseYaml } from '../core/yaml.ts';
import { parsePart } from '../core/parse-request.ts';
import type { Environment } from '../config/load.ts';
import type { RequestOf } from '../schema/operations.ts';
import { GivenMetadata, ApiSource, UrlsEntry } from '../schema/source-entries.ts';
import { absolutePath, fileSource, type PathPlace } from '../stages/extract/files/local-path.ts';
import type { FlagValues } from './command-context.ts';
import { readInputText } from './json-lines.ts';
import { redactUrl } from '../core/secrets.ts';

type IngestInput = RequestOf<'ingest'>;
type ApiEntry = Extract<NonNullable<IngestInput['api']>, unknown[]>[number];

// Each takes all words up to the next flag, because the shell expands `--docs manuals/*.pdf` to several.
const multiValueFlag = (description: string, helpValue: string) =>
  Flags.string({ description, helpValue, multiple: true, helpGroup: 'SOURCES' });

/** Flags that name the sources of an ingest. */
export const sourceFlags = {
  docs: multiValueFlag('Files, folders, globs or links to documents', 'PATH'),
  urls: multiValueFlag('Web pages', 'URL'),
  api: multiValueFlag('HTTP API: its URL, or @file with its configuration', 'URL|@FILE'),
  markdown: multiValueFlag('Markdown text, @file, or - for standard input', 'TEXT|@FILE|-'),
  sources: Flags.string({ description: 'A request of /v1/pipelines/ingest as YAML or JSON', helpValue: 'FILE', helpGroup: 'SOURCES' }),
  metadata: Flags.string({
    description:
      'Metadata for every document; VALUE is YAML, such as 3, true or [red, hot]. It wins over kb.meta.yaml and over the documents',
    helpValue: 'KEY=VALUE',
    multiple: true,
    multipleNonGreedy: true,
    helpGroup: 'SOURCES',
  }),
};

interface FlagContext {
  home: string;
  environment: Environment;
}

/** Makes the request of an ingest: the file of `--sources`, overridden by flags. `${NAME}` in API settings is an environment variable. */
export async function ingestSources(flags: FlagValues, { home, environment }: FlagContext): Promise<IngestInput> {
  const place: PathPlace = { cwd: process.cwd(), home };
  const { docs, urls, api, markdown } = flags as { docs?: string[]; urls?: string[]; api?: string[]; markdown?: string[] };
  const file = flags.sources === undefined ? {} : readRequest(String(flags.sources), environment);
  return {
    ...file,
    ...(flags.metadata ? { metadata: { ...file.metadata, ...parseMetadata(flags.metadata as string[]) } } : {}),
    ...(docs ? { docs } : {}),
    ...(urls ? { urls } : {}),
    ...(api ? { api: api.flatMap((given) => readApis(given, { flag: '--api', environment })) } : {}),
    ...(markdown ? { markdown: await Promise.all(markdown.map((given) => readMarkdown(given, place))) } : {}),
  };
}

/** Parses `--metadata key=value`. Throws a KbError (`usage`) for an invalid pair or value. */
function parseMetadata(pairs: readonly string[]): GivenMetadata {
  const value = Object.fromEntries(
    pairs.map((pair) => {
      const [key, text] = parsePair(pair, { flag: 'metadata', sign: '=' });
      return [key, parseYamlValue(text, key)];
    }),
  );
  return parsePart(GivenMetadata, value, { where: '--metadata', whole: 'the metadata' });
}

function parseYamlValue(text: string, key: string): unknown {
  try {
    return parse(text) as unknown;
  } catch {
    throw new KbError('usage', `--metadata ${key}: the value is not YAML.`, { hint: `For a text with signs write ${key}='"…"'.` });
  }
}

/** Returns an address, or the APIs of `@file` with its variables filled in. */
export function readApis(given: string, { flag, environment }: { flag: string; environment: Environment }): ApiEntry[] {
  if (!given.startsWith('@')) return [given];
  const path = given.slice(1);
  const entries = [fillVariables(readStructure(path, flag), environment)].flat();
  // checked here, because the engine could not name the file
  for (const entry of entries)
    parsePart(typeof entry === 'string' ? ApiSource.shape.url : ApiSource, entry, {
      where: `${flag}: ${path}`,
      whole: 'what describes an API',
    });
  return entries as ApiEntry[];
}

/** Text, `@file` (whose path is its source), or `-` for standard input. */
async function readMarkdown(given: string, place: PathPlace): Promise<string | { text: string; source: string }> {
  if (given === '-') return readInputText();
  if (!given.startsWith('@')) return given;
  return { text: readText(given.slice(1), '--markdown'), source: fileSource(absolutePath(given.slice(1), place), place) };
}

function readRequest(path: string, environment: Environment): IngestInput {
  const request = readStructure(path, '--sources');
  if (isTree(request)) {
    const { ingestion } = request;
    if ('api' in request) request.api = fillVariables(request.api, environment);
    if (isTree(ingestion) && 'api' in ingestion) ingestion.api = fillVariables(ingestion.api, environment);
    return request as IngestInput;
  }
  throw new KbError('usage', `--sources: ${path} holds no request.`, {
    hint: 'It has the keys docs, urls, api and markdown, as the body of /v1/pipelines/ingest.',
  });
}

const isTree = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null && !Array.isArray(value);

function readStructure(path: string, flag: string): unknown {
  return parseYaml(readText(path, flag), { where: `${flag}: ${path}`, hint: 'Fix the line; JSON is YAML, too.' });
}

function readText(path: string, flag: string): string {
  if (path === '')
    throw new KbError('usage', `${flag}: no file is named after @.`, { hint: 'Write its path behind it, such as @orders.yaml.' });
  try {
    return readFileSync(resolve(path), 'utf8');
  } catch (cause) {
    throw new KbError('usage', `${flag}: the file ${path} cannot be read: ${describeFileError(cause, 'read')}.`, { cause });
  }
}

type ApiEntries = Extract<NonNullable<RequestOf<'fetch'>['apis']>, unknown[]>;

/** Lists the APIs of a command line, with `--header` and `--param`. `${NAME}` in values is an environment variable. */
export function readFetchApis(given: readonly string[], flags: FlagValues, environment: Environment): ApiEntries {
  const entries = given.flatMap((one) => readApis(one, { flag: 'API', environment }));
  const pairs = (flag: string, sign: string) =>
    ((flags[flag] as string[] | undefined) ?? []).map((text) => parsePair(text, { flag, sign }));
  const repeated = Map.groupBy(pairs('param', '='), ([name]) => name); // a repeated parameter sends all its values
  const params = [...repeated].map(([name, all]) => [name, all.length > 1 ? all.map(([, value]) => value) : all[0]![1]]);
  const shared = fillVariables({ headers: Object.fromEntries(pairs('header', ':')), params: Object.fromEntries(params) }, environment) as {
    headers: Record<string, string>;
    params: Record<string, unknown>;
  };
  return entries.map((entry) => {
    const api = typeof entry === 'string' ? { url: entry } : entry;
    return { ...api, headers: { ...api.headers, ...shared.headers }, params: { ...api.params, ...shared.params } };
  });
}

/** Parses a name and a value. Throws a KbError (`usage`) that does not repeat the text, which may be a credential. */
function parsePair(text: string, { flag, sign }: { flag: string; sign: string }): [string, string] {
  const at = text.indexOf(sign);
  const name = text.slice(0, at).trim();
  if (at > 0 && name !== '') return [name, sign === ':' ? text.slice(at + 1).trim() : text.slice(at + 1)];
  const example = flag === 'header' ? "--header 'X-Team: docs'" : `--${flag} lang=en`;
  throw new KbError('usage', `--${flag}: a name and a value with "${sign}" between them are expected.`, {
    hint: `For example ${example}.`,
  });
}

type Entry = Exclude<UrlsEntry, string>;

/** Lists the pages of a command line: those named, and those of `--retry`. Throws a KbError (`usage`) if there are none. */
export function listPages(named: readonly string[], retry: string | undefined): UrlsEntry[] {
  if (named.length > 0 || retry !== undefined) return [...named, ...(retry === undefined ? [] : pagesToRetry(retry))];
  throw new KbError('usage', 'There is no page to be read.', {
    hint: 'For example kb scrape https://example.com/docs/start, or kb scrape --retry failed.json.',
  });
}

/**
 * Lists the retryable pages of a file, each once. The file holds the result of `kb scrape --json` (or of `/v1/ingest/url`), or error items as a
 * list or one a line. A page is read alone, unless its whole crawl failed. Throws a KbError (`usage`) that names the file.
 */
function pagesToRetry(path: string): Entry[] {
  const entries = new Map<string, Entry>();
  for (const item of readFailures(path)) {
    const { isRetryable, source_kind, source, retry_input } = item;
    if (isRetryable !== true || source_kind !== 'url') continue;
    const address = UrlsEntry.safeParse(retry_input).data ?? String(source);
    const entry: Entry = { mode: 'each', ...(typeof address === 'string' ? { url: address } : address) };
    if (originOf(entry.url) !== originOf(String(source))) throw siteMismatchError(path, String(source), entry.url);
    entries.set(JSON.stringify(entry), entry);
  }
  return [...entries.values()];
}

const originOf = (address: string): string | undefined => (URL.canParse(address) ? new URL(address).origin : undefined);

/** A retry must stay on the site of the failure, because the file may come from somebody else. */
const siteMismatchError = (path: string, source: string, url: string): KbError =>
  new KbError('usage', `--retry: ${path} would have ${redactUrl(url)} read in place of ${redactUrl(source)}, which is another site.`, {
    hint: 'If that is meant, give the address itself.',
  });

function readFailures(path: string): Record<string, unknown>[] {
  const text = readText(path, '--retry');
  const values =
    parseJson(text) ?? text.split('\n').flatMap((line, i) => (line.trim() === '' ? [] : [parseLine(line, { path, number: i + 1 })]));
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

function parseJson(text: string): unknown[] | undefined {
  try {
    return [JSON.parse(text) as unknown];
  } catch {
    return undefined;
  }
}

function parseLine(line: string, { path, number }: { path: string; number: number }): unknown {
  const [value] = parseJson(line) ?? [];
  if (value !== undefined) return value;
  throw new KbError('usage', `--retry: line ${number} of ${path} is not JSON.`, {
    hint: 'It is what kb scrape --json has written, or error items, one a line.',
  });
}
