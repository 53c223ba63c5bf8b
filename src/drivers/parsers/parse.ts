import { KbError } from '../../base/errors.ts';
import type { ParsedDocument } from '../../ports/reading.ts';
import { brokenFile, withoutText } from './failures.ts';
import { parsers } from './parsers.ts';
import { checkContent } from './sniff.ts';

/** Characters of a title, and of any other property: each chunk of a document holds them, so that megabytes would be multiplied. */
const MOST_OF_TITLE = 1_000;
const MOST_OF_PROPERTY = 100_000;

export interface ParseTask {
  bytes: Uint8Array;
  source: string;
  file_type: string;
}

/**
 * Reads one file: is it what its name says, what is in it, is there any text. To be run where it can be stopped. A web page may come without
 * text: what it links to is worth knowing, and a browser may find more in it; XML comes as a value.
 * @throws KbError that names the file and what is wrong with it.
 */
export async function parseDocument(task: ParseTask): Promise<ParsedDocument> {
  const { bytes, source, file_type } = task;
  await checkContent(bytes, { source, file_type }).catch(failAsFile(task));
  return parseChecked(task);
}

/** The same of a file that is known to be what its name says. */
export async function parseChecked(task: ParseTask): Promise<ParsedDocument> {
  const { bytes, source, file_type } = task;
  const parser = parsers.find((candidate) => candidate.file_type === file_type);
  if (!parser) throw new KbError('usage', `${source}: there is no reader for files of the kind «${file_type}».`);
  const parsed = await parser.parse(bytes, { source }).catch(failAsFile(task));
  if (parsed.text.trim() === '' && !parsed.page && parsed.value === undefined) throw withoutText(source, file_type);
  return withBoundedProperties(parsed);
}

/** The document with a title and properties that each of its chunks can hold. */
function withBoundedProperties(parsed: ParsedDocument): ParsedDocument {
  const { title, metadata } = parsed;
  const isLong = (value: unknown): value is string => typeof value === 'string' && value.length > MOST_OF_PROPERTY;
  if ((title?.length ?? 0) <= MOST_OF_TITLE && !Object.values(metadata).some(isLong)) return parsed;
  const cut = Object.entries(metadata).map(([key, value]) => [key, isLong(value) ? value.slice(0, MOST_OF_PROPERTY) : value]);
  return { ...parsed, title: title?.slice(0, MOST_OF_TITLE), metadata: Object.fromEntries(cut) };
}

const failAsFile =
  ({ source, file_type }: ParseTask) =>
  (error: unknown): never => {
    throw error instanceof KbError ? error : brokenFile(source, file_type, error);
  };
