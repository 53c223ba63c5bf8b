import type { CollectionSummary, CollectionSnapshot } from '../../schema/collection-operations.ts';
import { count, size } from '../../text/count.ts';
import { wrapRow } from '../markdown/flow.ts';
import { printable, type Screen } from '../screen.ts';
import type { DoctorCheck } from '../../schema/diagnosis.ts';

const embedder = ({ embedding, dimensions }: CollectionSummary): string =>
  dimensions === 0 ? 'words alone' : `${embedding.provider} / ${embedding.model}, ${dimensions} dimensions`;

/** Documents, chunks, and the size where the store reports it. */
const contents = ({ sources, chunks, bytes }: Pick<CollectionSummary, 'sources' | 'chunks' | 'bytes'>): string =>
  [count(sources, 'document'), count(chunks, 'chunk'), ...(bytes !== null ? [size(bytes)] : [])].join(', ');

/** A line a collection. */
export function printCollections(collections: readonly (CollectionSummary & { error?: string | undefined })[], screen: Screen): void {
  if (collections.length === 0) screen.print('There are no collections yet. Next: kb ingest --docs FOLDER');
  const width = Math.max(0, ...collections.map(({ name }) => name.length));
  for (const collection of collections) {
    const { name, error } = collection;
    const text = error ?? `${contents(collection)}; ${embedder(collection)}`;
    screen.print(wrapRow(`${screen.color.bold(name.padEnd(width))}  `, text, screen.columns));
  }
}

/** A line a snapshot. */
export function printSnapshots(snapshots: readonly CollectionSnapshot[], screen: Screen): void {
  if (snapshots.length === 0) screen.print('There are no snapshots yet. Next: kb snapshot create');
  const width = Math.max(0, ...snapshots.map(({ name }) => name.length));
  for (const { name, collection, created, error, ...rest } of snapshots) {
    const made = created.slice(0, 16).replace('T', ' ');
    const text = `«${collection}», ${made} UTC: ${error ?? contents(rest)}`;
    screen.print(wrapRow(`${screen.color.bold(name.padEnd(width))}  `, text, screen.columns));
  }
}

/** All that is known of one. */
export function printCollection(collection: CollectionSummary, screen: Screen): void {
  const { name, chunks, sources, bytes } = collection;
  screen.print(screen.color.bold(name));
  for (const [what, value] of [
    ['documents', sources],
    ['chunks', chunks],
    ...(bytes !== null ? [['on disk', size(bytes)]] : []),
    ['embedded', embedder(collection)],
  ])
    screen.print(`  ${String(what).padEnd(10)} ${value}`);
}

/** The check of the configuration file: it could be read, or there would be no other. */
export const configurationCheck = (file: string | undefined): DoctorCheck => ({
  name: 'config',
  status: 'ok',
  message: file ?? 'no kb.config.yaml from here upwards: the defaults hold (kb init writes one)',
});

/** A line a check. */
export function showChecks(checks: readonly DoctorCheck[], screen: Screen): void {
  const { color } = screen;
  const marks = { ok: color.green('✓'), warning: color.yellow('!'), failed: color.red('✗') };
  for (const { name, status, message } of checks)
    screen.print(wrapRow(`${marks[status]} ${name.padEnd(10)} `, printable(message), screen.columns));
}
