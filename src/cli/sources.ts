import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { parse } from 'yaml';
import { KbError } from '../base/errors.ts';
import type { RequestOf } from '../engine/operations.ts';
import { absolutePath, sourceOf, type Place } from '../stages/extract/local-path.ts';
import type { FlagValues } from './flags.ts';
import { inputText } from './json-lines.ts';

type IngestInput = RequestOf<'ingest'>;

/** The request of an ingest: the file of `--sources`, and over it what the flags name. */
export async function ingestSources(flags: FlagValues, home: string): Promise<IngestInput> {
  const place: Place = { cwd: process.cwd(), home };
  const { docs, urls, api, markdown } = flags as { docs?: string[]; urls?: string[]; api?: string[]; markdown?: string[] };
  return {
    ...(flags.sources === undefined ? {} : readRequest(String(flags.sources))),
    ...(docs ? { docs } : {}),
    ...(urls ? { urls } : {}),
    ...(api ? { api: api.flatMap((given) => (given.startsWith('@') ? (readStructure(given.slice(1), '--api') as never) : given)) } : {}),
    ...(markdown ? { markdown: await Promise.all(markdown.map((given) => markdownEntry(given, place))) } : {}),
  };
}

/** Text, `@file` (whose path is its source), or `-` for standard input. */
async function markdownEntry(given: string, place: Place): Promise<string | { text: string; source: string }> {
  if (given === '-') return inputText();
  if (!given.startsWith('@')) return given;
  return { text: readText(given.slice(1), '--markdown'), source: sourceOf(absolutePath(given.slice(1), place), place) };
}

function readRequest(path: string): IngestInput {
  const request = readStructure(path, '--sources');
  if (typeof request === 'object' && request !== null && !Array.isArray(request)) return request;
  throw new KbError('usage', `--sources: ${path} holds no request.`, {
    hint: 'It has the keys docs, urls, api and markdown, as the body of /v1/pipelines/ingest.',
  });
}

/** A file of YAML or JSON that a flag names. */
export function readStructure(path: string, flag: string): unknown {
  try {
    return parse(readText(path, flag)) as unknown;
  } catch (cause) {
    if (cause instanceof KbError) throw cause;
    throw new KbError('usage', `${flag}: ${path} is neither YAML nor JSON: ${(cause as Error).message}`, { cause });
  }
}

function readText(path: string, flag: string): string {
  try {
    return readFileSync(resolve(path), 'utf8');
  } catch (cause) {
    throw new KbError('usage', `${flag}: the file ${path} cannot be read: ${(cause as Error).message}`, { cause });
  }
}
