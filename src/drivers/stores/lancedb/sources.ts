import type { Table } from '@lancedb/lancedb';
import type { StoredSource } from '../../../ports.ts';
import { reader } from './rows.ts';

/** What is stored of each source. A source whose chunks are of several versions has none: it was left half-way by something, and counts as changed. */
export async function storedSources(table: Table): Promise<Map<string, StoredSource>> {
  const rows = await table.query().select(['source', 'source_kind', 'version', 'siblings']).toArrow();
  const found = new Map<string, StoredSource>();
  for (const batch of rows.batches) {
    const [source, kind, version, siblings] = ['source', 'source_kind', 'version', 'siblings'].map((name) => reader(batch, name));
    for (let at = 0; at < batch.numRows; at++) {
      const row = {
        source: source!(at) as string,
        source_kind: kind!(at) as string,
        version: (version!(at) as string | undefined) ?? '',
        siblings: siblings!(at) as number,
      };
      const known = found.get(row.source);
      if (!known) found.set(row.source, { ...row, chunks: 1 });
      else {
        known.chunks++;
        known.siblings = Math.max(known.siblings, row.siblings);
        if (known.version !== row.version) known.version = '';
      }
    }
  }
  return found;
}
