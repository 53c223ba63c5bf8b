import type { Table } from '@lancedb/lancedb';
import type { StoredSource } from '../../../ports/stores.ts';
import { countIn } from '../sources.ts';
import { reader } from './rows.ts';

/** What is stored of each source. */
export async function storedSources(table: Table): Promise<Map<string, StoredSource>> {
  const rows = await table.query().select(['source', 'source_kind', 'version', 'siblings']).toArrow();
  const found = new Map<string, StoredSource>();
  for (const batch of rows.batches) {
    const [source, kind, version, siblings] = ['source', 'source_kind', 'version', 'siblings'].map((name) => reader(batch, name));
    for (let at = 0; at < batch.numRows; at++) {
      countIn(found, {
        source: source!(at) as string,
        source_kind: kind!(at) as string,
        version: (version!(at) as string | undefined) ?? '',
        siblings: siblings!(at) as number,
      });
    }
  }
  return found;
}
