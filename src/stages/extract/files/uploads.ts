import { extname } from 'node:path';
import { isAbort, KbError, toErrorItem } from '../../../core/errors.ts';
import { mapOrdered } from '../../../core/concurrency.ts';
import { throwIfAborted } from '../../../core/run.ts';
import { visible } from '../../../text/clean-text.ts';
import type { UploadRequest } from '../../../schema/requests.ts';
import type { Extracted } from '../extract.ts';
import { fileCandidate, unsupportedFile, type FileParts } from './file-candidate.ts';
import { bareId, groupBySource, type ExtractedEntry, mergeSameSource } from './markdown-texts.ts';

/** Files read at once, ahead of the parser. */
const READ_AHEAD = 8;
/** The longest name (characters) that file systems know. */
const MAX_NAME = 255;
/** What a file is called of whose name nothing is left. */
const NAMELESS = 'upload';

/** Files that someone sent, as documents: each is stored under the name that they gave it. */
export async function* extractUploads(
  { files, title, description, metadata }: Pick<UploadRequest, 'files' | 'title' | 'description' | 'metadata'>,
  parts: FileParts,
): AsyncGenerator<Extracted, void, void> {
  const named = files.map(({ name, path }) => ({ source: uploadName(name), path, title, description, metadata }));
  const counts = Map.groupBy(named, ({ source }) => source);
  yield { expected: named.length };
  yield* mapOrdered(named, READ_AHEAD, (file) => extractOne({ ...file, isAlone: counts.get(file.source)!.length === 1 }, parts));
}

/** The same to be stored: files of one name are one candidate, so that none takes the place of another. */
export async function* extractUploadsBySource(request: UploadRequest, parts: FileParts): AsyncGenerator<Extracted, void, void> {
  const entries: ExtractedEntry[] = [];
  for await (const item of extractUploads(request, parts)) {
    if ('candidate' in item || 'error' in item) entries.push(item);
    else yield item;
  }
  for (const group of groupBySource(entries)) yield* mergeSameSource(group);
}

interface Upload {
  source: string;
  path: string;
  title: string | undefined;
  description: string | undefined;
  metadata: UploadRequest['metadata'];
  /** No other file of the request has its name. */
  isAlone: boolean;
}

async function extractOne({ path, isAlone, ...file }: Upload, parts: FileParts): Promise<Extracted> {
  const { source } = file;
  try {
    throwIfAborted(parts.signal);
    const file_type = parts.reader.fileType(source);
    if (file_type === undefined) throw unsupportedFile(source, parts.reader);
    // of two files with one name, neither may take the place of the other: each has an id of what is in it
    const id = isAlone ? undefined : (content_hash: string) => bareId(content_hash, source);
    return { candidate: await fileCandidate(path, { ...file, source_kind: 'bytes', file_type, id }, parts) };
  } catch (error) {
    if (isAbort(error)) throw error;
    const stage = error instanceof KbError && error.code === 'usage' ? 'validate' : 'fetch';
    return { error: toErrorItem(error, { source, source_kind: 'bytes', stage }) };
  }
}

/** The source of an upload: the last part of the name it came with, as a person sees it, in one line, of at most 255 characters, its extension among them. Never empty. */
export function uploadName(given: string): string {
  const last = given.split(/[/\\]/).at(-1)!;
  const name = visible(last)
    .replace(/[\t\n]/g, '')
    .trim();
  if (/^\.*$/.test(name)) return NAMELESS;
  const letters = [...name];
  if (letters.length <= MAX_NAME) return name;
  const extension = [...extname(name)];
  const kept = extension.length < MAX_NAME ? extension : [];
  return [...letters.slice(0, MAX_NAME - kept.length), ...kept].join('');
}
