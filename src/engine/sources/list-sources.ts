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
  const stored = [...(await collection.sources(filter)).values()];
  const all = stored
    .filter(({ source, source_kind }) => source.startsWith(prefix) && (kind === undefined || source_kind === kind))
    .map(({ source }) => source)
    .toSorted(byText);
  const rest = after === undefined ? all : all.filter((source) => source > after);
  const page = rest.slice(0, limit);
  const contents = await collection.contents(page);
  return {
    sources: page.flatMap((source) => {
      const content = contents.get(source); // it may have been removed meanwhile
      return content ? [describeSource(source, content)] : [];
    }),
    total: all.length,
    cursor: rest.length > page.length ? cursorAt(page.at(-1)!) : null,
  };
}

const byText = (a: string, b: string): number => (a < b ? -1 : 1);

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
