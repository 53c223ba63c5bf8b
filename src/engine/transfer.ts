import type { z } from 'zod';
import { KbError } from '../base/errors.ts';
import { grouped } from '../base/pool.ts';
import { progress, throwIfAborted, type Run } from '../base/run.ts';
import type { StoredChunk } from '../ports/stores.ts';
import {
  ExportedChunk,
  ExportHeader,
  type CollectionRequest,
  type ExportResult,
  type ImportRequest,
  type ImportResult,
} from '../schema/collections.ts';
import { withDraft, withLock } from './collections.ts';
import type { Context } from './context.ts';
import { named } from './manage.ts';

/** Hands out a header and every chunk with its vector, as events of the type `item`. */
export async function* exportCollection({ name }: CollectionRequest, context: Context): Run<ExportResult> {
  const collection = await named(context, name);
  const { provider, model, dimensions } = collection.info;
  const header: ExportHeader = { kb_export: 1, name, provider, model, dimensions };
  yield { type: 'item', stage: 'export', message: '', data: header };
  let exported = 0;
  for await (const page of collection.all({ vectors: true })) {
    throwIfAborted(context.signal);
    for (const chunk of page) yield { type: 'item', stage: 'export', message: '', data: toExported(chunk) };
    exported += page.length;
  }
  return { name, exported };
}

const toExported = ({ vector, ...chunk }: StoredChunk): ExportedChunk => ({
  ...chunk,
  ...(vector ? { embedding: Array.from(vector) } : {}),
});

/** Makes a collection of an export's lines, under a name that is free. Nobody sees it before it is whole; of a broken export nothing is left. */
export async function* importCollection({ name, lines }: ImportRequest, context: Context): Run<ImportResult> {
  const { settings, resources, signal } = context;
  const store = await resources.store(settings.storage);
  return yield* withLock({ ...context, settings: { ...settings, collection: name } }, async function* () {
    if (await store.open(name))
      throw new KbError('conflict', `There is a collection «${name}» already.`, {
        hint: `Import under another name, or remove it with «kb collections drop ${name}».`,
      });
    const rest = numbered(lines);
    const first = await rest.next();
    if (first.done) throw new KbError('invalid', 'The import is empty.', { hint: 'It is what kb collections export writes.' });
    const { provider, model, dimensions } = parseLine(ExportHeader, first.value);
    return yield* withDraft(store, { name, provider, model, dimensions }, async function* (collection) {
      let imported = 0;
      for await (const group of grouped(chunksOf(rest, dimensions), settings.storage.batch_size)) {
        throwIfAborted(signal);
        await collection.upsert(group);
        imported += group.length;
        yield progress('import', { done: imported });
      }
      return { name, imported };
    });
  });
}

interface Line {
  number: number;
  text: string;
}

async function* numbered(lines: AsyncIterable<string>): AsyncGenerator<Line, void, void> {
  let number = 0;
  for await (const text of lines) {
    number++;
    if (text.trim() !== '') yield { number, text };
  }
}

async function* chunksOf(lines: AsyncIterable<Line>, dimensions: number): AsyncGenerator<StoredChunk, void, void> {
  for await (const line of lines) {
    const { embedding, ...chunk } = parseLine(ExportedChunk, line);
    if ((embedding?.length ?? 0) !== dimensions)
      throw new KbError(
        'invalid',
        `Line ${line.number}: its vector has the length ${embedding?.length ?? 0}; the header says ${dimensions}.`,
      );
    yield { ...chunk, ...(embedding ? { vector: Float32Array.from(embedding) } : {}) };
  }
}

function parseLine<T>(schema: z.ZodType<T>, { number, text }: Line): T {
  const hint = 'It is no export of kb, or it was cut off.';
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (cause) {
    throw new KbError('invalid', `Line ${number} is not JSON.`, { hint, cause });
  }
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  throw new KbError('invalid', `Line ${number}: ${result.error.issues[0]!.path.join('.')}: ${result.error.issues[0]!.message}.`, { hint });
}
