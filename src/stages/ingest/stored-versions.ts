import type { Collection, StoredSource } from '../../ports/stores.ts';
import type { ErrorItem } from '../../schema/items.ts';
import { KbError } from '../../core/errors.ts';
import type { Extracted, SourceName } from '../extract/extract.ts';
import type { Unread } from './read-documents.ts';

/** What was stored of the sources before a run, for those that give no text now. */
export class StoredVersions {
  readonly #before: ReadonlyMap<string, StoredSource>;
  readonly #collection: Collection | undefined;

  constructor(before: ReadonlyMap<string, StoredSource>, collection: Collection | undefined) {
    this.#before = before;
    this.#collection = collection;
  }

  /** The stored version of a local file that was read whole and has no text any more: it answers nothing now. Of pages and uploads it stays: a server or a browser may have failed. */
  emptied({ candidate, error }: Unread): StoredSource | undefined {
    const isRead = candidate.source_kind === 'path' && error instanceof KbError && error.hasNoText;
    return isRead ? this.#before.get(candidate.source) : undefined;
  }

  /** Adds to the error of a source that could not be read which version of it stays stored. */
  async withVersion(item: ErrorItem, source = item.source): Promise<ErrorItem> {
    if (!this.#collection || !this.#before.has(source)) return item;
    const found = (await this.#collection.contents([source])).get(source);
    if (!found) return item;
    const { ingested_at } = found.metadata;
    const version = typeof ingested_at === 'string' ? `version of ${ingested_at.slice(0, 10)}` : 'earlier version';
    return { ...item, error: `${item.error} The ${version} stays stored.` };
  }

  /** The extracted items, with the same added to their errors. */
  async *withVersions(
    items: AsyncIterable<{ name: SourceName; item: Extracted }>,
  ): AsyncGenerator<{ name: SourceName; item: Extracted }, void, void> {
    for await (const { name, item } of items)
      yield 'error' in item && !item.isGone
        ? { name, item: { ...item, error: await this.withVersion(item.error, item.stored_as ?? item.error.source) } }
        : { name, item };
  }
}
