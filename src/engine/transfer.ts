import { KbError } from '../base/errors.ts';
import { grouped } from '../base/pool.ts';
import { progress, throwIfAborted, type Progress, type Run } from '../base/run.ts';
import type { StoredChunk } from '../ports/stores.ts';
import type {
  CollectionRequest,
  ExportedChunk,
  ExportEnd,
  ExportHeader,
  ExportResult,
  ImportRequest,
  ImportResult,
} from '../schema/collections.ts';
import { withDraft, withLock } from './collections.ts';
import type { Context } from './context.ts';
import { createSeal, readExport } from './export-lines.ts';
import { named } from './manage.ts';

/** Hands out a header, every chunk with its vector, and the line that closes an export, as events of the type `item`. */
export async function* exportCollection({ name }: CollectionRequest, context: Context): Run<ExportResult> {
  const collection = await named(context, name);
  const { provider, model, dimensions } = collection.info;
  const seal = createSeal();
  const item = (data: ExportHeader | ExportedChunk): Progress => {
    seal.add(JSON.stringify(data));
    return { type: 'item', stage: 'export', message: '', data };
  };
  yield item({ kb_export: 1, name, provider, model, dimensions });
  let exported = 0;
  for await (const page of collection.all({ vectors: true })) {
    throwIfAborted(context.signal);
    for (const chunk of page) yield item(toExported(chunk));
    exported += page.length;
  }
  const end: ExportEnd = { kb_export_end: 1, chunks: exported, sha256: seal.digest() };
  yield { type: 'item', stage: 'export', message: '', data: end };
  return { name, exported };
}

const toExported = ({ vector, ...chunk }: StoredChunk): ExportedChunk => ({
  ...chunk,
  ...(vector ? { embedding: Array.from(vector) } : {}),
});

/**
 * Makes a collection of an export's lines, under a name that is free. Nobody sees it before it is whole; of a broken export nothing is left. Throws a KbError
 * (`invalid`) for an export that was cut off or changed, unless `force` takes what is there of it.
 */
export async function* importCollection({ name, lines, force = false }: ImportRequest, context: Context): Run<ImportResult> {
  const { settings, resources, signal } = context;
  const store = await resources.store(settings.storage);
  return yield* withLock({ ...context, settings: { ...settings, collection: name } }, async function* () {
    if (await store.open(name))
      throw new KbError('conflict', `There is a collection «${name}» already.`, {
        hint: `Import under another name, or remove it with «kb collections drop ${name}».`,
      });
    const { header, chunks } = await readExport(lines, { force });
    const { provider, model, dimensions } = header;
    return yield* withDraft(store, { name, provider, model, dimensions }, async function* (collection) {
      let imported = 0;
      for await (const group of grouped(chunks, settings.storage.batch_size)) {
        throwIfAborted(signal);
        await collection.upsert(group);
        imported += group.length;
        yield progress('import', { done: imported });
      }
      return { name, imported };
    });
  });
}
