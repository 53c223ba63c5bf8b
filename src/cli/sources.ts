import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { parse } from 'yaml';
import { KbError } from '../base/errors.ts';
import { fileTrouble } from '../base/file-trouble.ts';
import { filledIn } from '../base/references.ts';
import { explain } from '../base/validation.ts';
import type { Environment } from '../config/environment.ts';
import type { RequestOf } from '../engine/operations.ts';
import { ApiSource } from '../schema/sources.ts';
import { absolutePath, sourceOf, type Place } from '../stages/extract/local-path.ts';
import type { FlagValues } from './flags.ts';
import { inputText } from './json-lines.ts';

type IngestInput = RequestOf<'ingest'>;
type ApiEntry = Extract<NonNullable<IngestInput['api']>, unknown[]>[number];

/** Where a command runs. */
interface Surroundings {
  home: string;
  environment: Environment;
}

/** The request of an ingest: the file of `--sources`, and over it what the flags name. In what files say of APIs, `${NAME}` stands for a variable of the environment. */
export async function ingestSources(flags: FlagValues, { home, environment }: Surroundings): Promise<IngestInput> {
  const place: Place = { cwd: process.cwd(), home };
  const { docs, urls, api, markdown } = flags as { docs?: string[]; urls?: string[]; api?: string[]; markdown?: string[] };
  return {
    ...(flags.sources === undefined ? {} : readRequest(String(flags.sources), environment)),
    ...(docs ? { docs } : {}),
    ...(urls ? { urls } : {}),
    ...(api ? { api: api.flatMap((given) => apiEntries(given, { flag: '--api', environment })) } : {}),
    ...(markdown ? { markdown: await Promise.all(markdown.map((given) => markdownEntry(given, place))) } : {}),
  };
}

/** An address, or the APIs that `@file` describes, with the values of the variables that it refers to. */
export function apiEntries(given: string, { flag, environment }: { flag: string; environment: Environment }): ApiEntry[] {
  if (!given.startsWith('@')) return [given];
  const path = given.slice(1);
  const entries = [filledIn(readStructure(path, flag), environment)].flat();
  for (const entry of entries) checkEntry(entry, `${flag}: ${path}`);
  return entries as ApiEntry[];
}

/** Throws a KbError (`usage`) that names the file and the key, which the engine does not know of. */
function checkEntry(value: unknown, where: string): void {
  const schema = typeof value === 'string' ? ApiSource.shape.url : ApiSource;
  const { error } = schema.safeParse(value);
  if (error) throw new KbError('usage', `${where}: ${explain(error, { schema, value, whole: 'what describes an API' })}`);
}

/** Text, `@file` (whose path is its source), or `-` for standard input. */
async function markdownEntry(given: string, place: Place): Promise<string | { text: string; source: string }> {
  if (given === '-') return inputText();
  if (!given.startsWith('@')) return given;
  return { text: readText(given.slice(1), '--markdown'), source: sourceOf(absolutePath(given.slice(1), place), place) };
}

function readRequest(path: string, environment: Environment): IngestInput {
  const request = readStructure(path, '--sources');
  if (isTree(request)) {
    const { ingestion } = request;
    if ('api' in request) request.api = filledIn(request.api, environment);
    if (isTree(ingestion) && 'api' in ingestion) ingestion.api = filledIn(ingestion.api, environment);
    return request as IngestInput;
  }
  throw new KbError('usage', `--sources: ${path} holds no request.`, {
    hint: 'It has the keys docs, urls, api and markdown, as the body of /v1/pipelines/ingest.',
  });
}

const isTree = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null && !Array.isArray(value);

/** A file of YAML or JSON that a flag names. */
function readStructure(path: string, flag: string): unknown {
  try {
    return parse(readText(path, flag)) as unknown;
  } catch (cause) {
    if (cause instanceof KbError) throw cause;
    throw new KbError('usage', `${flag}: ${path} is neither YAML nor JSON: ${(cause as Error).message}`, { cause });
  }
}

function readText(path: string, flag: string): string {
  if (path === '')
    throw new KbError('usage', `${flag}: no file is named after @.`, { hint: 'Write its path behind it, such as @orders.yaml.' });
  try {
    return readFileSync(resolve(path), 'utf8');
  } catch (cause) {
    throw new KbError('usage', `${flag}: the file ${path} cannot be read: ${fileTrouble(cause, 'read')}.`, { cause });
  }
}
