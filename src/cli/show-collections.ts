import type { CollectionSummary } from '../schema/collections.ts';
import { count } from '../base/count.ts';
import { size } from './amounts.ts';
import { wrappedRow } from './markdown/flow.ts';
import type { Screen } from './screen.ts';

const embedder = ({ embedding, dimensions }: CollectionSummary): string =>
  dimensions === 0 ? 'words alone' : `${embedding.provider} / ${embedding.model}, ${dimensions} dimensions`;

/** A line a collection. */
export function showCollections(collections: readonly CollectionSummary[], screen: Screen): void {
  if (collections.length === 0) screen.print('There are no collections yet. Next: kb ingest --docs FOLDER');
  const width = Math.max(0, ...collections.map(({ name }) => name.length));
  for (const collection of collections) {
    const { name, chunks, sources, bytes } = collection;
    const text = `${count(sources, 'document')}, ${count(chunks, 'chunk')}, ${size(bytes)}; ${embedder(collection)}`;
    screen.print(wrappedRow(`${screen.color.bold(name.padEnd(width))}  `, text, screen.columns));
  }
}

/** All that is known of one. */
export function showCollection(collection: CollectionSummary, screen: Screen): void {
  const { name, chunks, sources, bytes } = collection;
  screen.print(screen.color.bold(name));
  for (const [what, value] of [
    ['documents', sources],
    ['chunks', chunks],
    ['on disk', size(bytes)],
    ['embedded', embedder(collection)],
  ])
    screen.print(`  ${String(what).padEnd(10)} ${value}`);
}
