import { advice, call, field, operatorAdvice } from '../../core/advice/advice.ts';
import { createHash } from 'node:crypto';
import type { z } from 'zod';
import { cleanChunk } from '../../text/clean-text.ts';
import { count } from '../../text/count.ts';
import { KbError } from '../../core/errors.ts';
import type { StoredChunk } from '../../ports/stores.ts';
import {
  type CollectionRequest,
  ExportedChunk,
  ExportEnd,
  ExportHeader,
  type ExportResult,
  type ImportRequest,
  type ImportResult,
} from '../../schema/collection-operations.ts';
import { batchItems } from '../../core/concurrency.ts';
import { type Progress, type Run, throwIfAborted } from '../../core/run.ts';
import { existingCollection, withDraft, withLock } from '../collections.ts';
import { type Context, inCollection } from '../context.ts';
import { assertFree, fillDraft } from './copy-collection.ts';

/** Creates a SHA-256 hash of the lines of an export, each with its line feed. */
function createLineHash(): { add(line: string): void; digest(): string } {
  const sum = createHash('sha256');
  return { add: (line) => void sum.update(line).update('\n'), digest: () => sum.digest('hex') };
}

interface Line {
  number: number;
  text: string;
}

/** Reads an export: the header, then the chunks on demand. Throws a KbError (`invalid`) for an invalid line and, without `force`, for an incomplete or changed export. */
async function readExport(
  lines: AsyncIterable<string>,
  { force }: { force: boolean },
): Promise<{ header: ExportHeader; chunks: AsyncGenerator<StoredChunk, void, void> }> {
  const rest = numberLines(lines);
  const first = await rest.next();
  if (first.done)
    throw new KbError('invalid', 'The import is empty.', { hint: operatorAdvice`It is what ${call('export_collection')} writes.` });
  const header = parseLine(ExportHeader, first.value, parseJson(first.value));
  return { header, chunks: readChunks(rest, { header, first: first.value.text, force }) };
}

async function* numberLines(lines: AsyncIterable<string>): AsyncGenerator<Line, void, void> {
  let number = 0;
  for await (const text of lines) {
    number++;
    if (text.trim() !== '') yield { number, text };
  }
}

interface ExportReading {
  header: ExportHeader;
  /** The line of the header. */
  first: string;
  force: boolean;
}

async function* readChunks(lines: AsyncIterator<Line>, { header, first, force }: ExportReading): AsyncGenerator<StoredChunk, void, void> {
  const lineHash = createLineHash();
  lineHash.add(first);
  let chunks = 0;
  let end: ExportEnd | undefined;
  for (let next = await lines.next(); !next.done;) {
    const line: Line = next.value;
    next = await lines.next();
    const value = parseJson(line);
    if (value === undefined && force && next.done) return;
    if (isExportEnd(value) && next.done) end = parseLine(ExportEnd, line, value);
    else {
      yield parseChunk(line, value, header);
      lineHash.add(line.text);
      chunks++;
    }
  }
  if (!force) assertComplete(end, { chunks, sha256: lineHash.digest() });
}

const isExportEnd = (value: unknown): boolean => typeof value === 'object' && value !== null && 'kb_export_end' in value;

const FORCE_HINT = advice`Export the collection anew, or take what is there of it with ${field('force')}.`;

function assertComplete(end: ExportEnd | undefined, { chunks, sha256 }: Omit<ExportEnd, 'kb_export_end'>): void {
  const invalid = (message: string) => new KbError('invalid', message, { hint: FORCE_HINT });
  if (end === undefined)
    throw invalid(`The export has no closing line: it was cut off after ${count(chunks, 'chunk')}, or an older kb wrote it.`);
  if (end.chunks !== chunks) throw invalid(`The export holds ${count(chunks, 'chunk')}; its closing line counts ${end.chunks}.`);
  if (end.sha256 !== sha256)
    throw invalid('The export was changed after it was written: its lines do not match the hash in its final line.');
}

function parseChunk(line: Line, value: unknown, { dimensions }: ExportHeader): StoredChunk {
  const { embedding, ...chunk } = parseLine(ExportedChunk, line, value);
  if ((embedding?.length ?? 0) !== dimensions)
    throw new KbError(
      'invalid',
      `Line ${line.number}: its vector has the length ${embedding?.length ?? 0}; the header says ${dimensions}.`,
    );
  return { ...cleanChunk(chunk), ...(embedding ? { vector: Float32Array.from(embedding) } : {}) };
}

function parseJson({ text }: Line): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function parseLine<T>(schema: z.ZodType<T>, { number }: Line, value: unknown): T {
  const hint = ['It is no export of kb, or it was cut off.', advice`${field('force')} takes the lines before one that was cut.`];
  if (value === undefined) throw new KbError('invalid', `Line ${number} is not JSON.`, { hint });
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  throw new KbError('invalid', `Line ${number}: ${result.error.issues[0]!.path.join('.')}: ${result.error.issues[0]!.message}.`, { hint });
}

/** Yields `item` events: a header, every chunk with its vector, and a closing line. */
export async function* exportCollection({ name }: CollectionRequest, context: Context): Run<ExportResult> {
  const collection = await existingCollection(context, name);
  const { provider, model, dimensions } = collection.info;
  const lineHash = createLineHash();
  const item = (data: ExportHeader | ExportedChunk): Progress => {
    lineHash.add(JSON.stringify(data));
    return { type: 'item', stage: 'export', message: '', data };
  };
  yield item({ kb_export: 1, name, provider, model, dimensions });
  let exported = 0;
  for await (const page of collection.all({ vectors: true })) {
    throwIfAborted(context.signal);
    for (const chunk of page) yield item(toExported(chunk));
    exported += page.length;
  }
  const end: ExportEnd = { kb_export_end: 1, chunks: exported, sha256: lineHash.digest() };
  yield { type: 'item', stage: 'export', message: '', data: end };
  return { name, exported };
}

const toExported = ({ vector, ...chunk }: StoredChunk): ExportedChunk => ({
  ...chunk,
  ...(vector ? { embedding: Array.from(vector) } : {}),
});

/** Imports an export under a free name; the collection appears when it is complete. Throws a KbError (`invalid`) for a damaged export, unless `force` is set. */
export async function* importCollection({ name, lines, force = false }: ImportRequest, context: Context): Run<ImportResult> {
  const { settings, resources, signal } = context;
  const store = await resources.store(settings.storage);
  return yield* withLock(inCollection(context, name), async function* () {
    await assertFree(store, name, advice`Import under another name, or remove it with "${call('drop_collection', { name })}".`);
    const { header, chunks } = await readExport(lines, { force });
    const { provider, model, dimensions } = header;
    return yield* withDraft(await store.draft({ name, provider, model, dimensions }), async function* (collection) {
      const batches = batchItems(chunks, settings.storage.batch_size);
      return { name, imported: yield* fillDraft(collection, batches, { stage: 'import', signal }) };
    });
  });
}
