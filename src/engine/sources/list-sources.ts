import { KbError } from '../../core/errors.ts';
import type { Run } from '../../core/run.ts';
import type { ListSourcesRequest, ListSourcesResult } from '../../schema/stored/stored-sources.ts';
import type { Context } from '../context.ts';
import { existingCollection } from '../collections.ts';
import { describeSource } from './stored-source.ts';

/** Returns a page of the documents of a collection, ordered by source. It begins after the source of the cursor, even if that was removed. */
export async function* listSources(request: ListSourcesRequest, context: Context): Run<ListSourcesResult> {
  const { name, prefix = '', kind, filter, limit, cursor } = request;
  const after = cursor === undefined ? undefined : sourceOf(cursor);
  const collection = await existingCollection(context, name);
  const conditions = [
    ...(filter ? [filter] : []),
    ...(prefix === '' ? [] : [{ source: { prefix } }]),
    ...(kind === undefined ? [] : [{ source_kind: kind }]),
  ];
  const { sources: found, total } = await collection.sourcePage({
    filter: conditions.length > 0 ? { and: conditions } : undefined,
    after,
    limit: limit + 1,
  });
  const page = found.slice(0, limit);
  const contents = await collection.contents(page);
  return {
    sources: page.flatMap((source) => {
      const content = contents.get(source); // it may have been removed meanwhile
      return content ? [describeSource(source, content)] : [];
    }),
    total,
    cursor: found.length > page.length ? cursorAt(page.at(-1)!) : null,
  };
}

const cursorAt = (source: string): string => Buffer.from(JSON.stringify([source])).toString('base64url');

/** Throws a KbError (`usage`) for an invalid cursor. */
function sourceOf(cursor: string): string {
  try {
    const [source] = JSON.parse(Buffer.from(cursor, 'base64url').toString()) as unknown[];
    if (typeof source === 'string' && cursorAt(source) === cursor) return source;
  } catch {
    // what is no JSON is no cursor either
  }
  throw new KbError('usage', 'cursor: the cursor of a page is expected.', { hint: 'Leave it out to begin at the first page.' });
}
