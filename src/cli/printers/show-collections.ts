import type { CollectionSummary, CollectionSnapshot } from '../../schema/collection-operations.ts';
import { count, size } from '../../text/count.ts';
import { wrapRow } from '../markdown/line-wrapper.ts';
import { makePrintable, type Screen } from '../screen.ts';
import type { DoctorCheck } from '../../schema/diagnosis.ts';

const formatEmbedder = ({ embedding, dimensions }: CollectionSummary): string =>
  dimensions === 0 ? 'words alone' : `${embedding.provider} / ${embedding.model}, ${dimensions} dimensions`;

/** Writes the numbers of documents and chunks, and the size if the store reports it. */
const formatContents = ({ sources, chunks, bytes }: Pick<CollectionSummary, 'sources' | 'chunks' | 'bytes'>): string =>
  [count(sources, 'document'), count(chunks, 'chunk'), ...(bytes !== null ? [size(bytes)] : [])].join(', ');

/** Prints a line for each collection. */
export function printCollections(collections: readonly (CollectionSummary & { error?: string | undefined })[], screen: Screen): void {
  if (collections.length === 0) screen.print('There are no collections yet. Next: kb ingest --docs FOLDER');
  const width = Math.max(0, ...collections.map(({ name }) => name.length));
  for (const collection of collections) {
    const { name, error } = collection;
    const text = error ?? `${formatContents(collection)}; ${formatEmbedder(collection)}`;
    screen.print(wrapRow(`${screen.color.bold(name.padEnd(width))}  `, text, screen.columns));
  }
}

/** Prints a line for each snapshot. */
export function printSnapshots(snapshots: readonly CollectionSnapshot[], screen: Screen): void {
  if (snapshots.length === 0) screen.print('There are no snapshots yet. Next: kb snapshot create');
  const width = Math.max(0, ...snapshots.map(({ name }) => name.length));
  for (const { name, collection, created, error, ...rest } of snapshots) {
    const createdAt = created.slice(0, 16).replace('T', ' ');
    const text = `"${collection}", ${createdAt} UTC: ${error ?? formatContents(rest)}`;
    screen.print(wrapRow(`${screen.color.bold(name.padEnd(width))}  `, text, screen.columns));
  }
}

/** Prints the details of one collection. */
export function printCollection(collection: CollectionSummary, screen: Screen): void {
  const { name, chunks, sources, bytes } = collection;
  screen.print(screen.color.bold(name));
  for (const [what, value] of [
    ['documents', sources],
    ['chunks', chunks],
    ...(bytes !== null ? [['on disk', size(bytes)]] : []),
    ['embedded', formatEmbedder(collection)],
  ])
    screen.print(`  ${String(what).padEnd(10)} ${value}`);
}

/** Makes the check of the configuration file. It is always ok, because without a valid file no check runs. */
export const configurationCheck = (file: string | undefined): DoctorCheck => ({
  name: 'config',
  status: 'ok',
  message: file ?? 'no kb.config.yaml from here upwards: the defaults hold (kb init writes one)',
});

/** Prints a line for each check. */
export function showChecks(checks: readonly DoctorCheck[], screen: Screen): void {
  const { color } = screen;
  const marks = { ok: color.green('✓'), warning: color.yellow('!'), failed: color.red('✗') };
  for (const { name, status, message } of checks)
    screen.print(wrapRow(`${marks[status]} ${name.padEnd(10)} `, makePrintable(message), screen.columns));
}
