import type { RecordBatch, Table } from 'apache-arrow';
import type { StoredChunk } from '../../../ports/stores.ts';
import type { Metadata } from '../../../schema/items.ts';

type Rows = Table | RecordBatch;

/** Reads one column of rows: the value of the row at a place. Columns are read one by one, because objects of whole rows are slow. */
export function reader(rows: Rows, name: string): (at: number) => unknown {
  const column = rows.getChild(name);
  return (at) => column?.get(at) ?? undefined;
}

/** The chunks that these rows hold, as they were given; with their vectors where those were read. */
export function toChunks(rows: Rows): StoredChunk[] {
  const text = (name: string) => reader(rows, name) as (at: number) => string | undefined;
  const [id, passage, lead, embedText, source, metadata, version] = [
    'id',
    'text',
    'lead',
    'embed_text',
    'source',
    'metadata',
    'version',
  ].map(text);
  const siblings = reader(rows, 'siblings') as (at: number) => number;
  const vector = reader(rows, 'vector') as (at: number) => { toArray(): Float32Array } | undefined;
  return Array.from({ length: rows.numRows }, (_, at) => {
    const beginning = lead!(at);
    const whole = beginning === undefined ? embedText!(at) : beginning + passage!(at)!;
    const numbers = vector(at);
    const made = version!(at);
    return {
      id: id!(at)!,
      text: passage!(at)!,
      ...(whole === undefined ? {} : { embed_text: whole }),
      source: source!(at)!,
      metadata: JSON.parse(metadata!(at)!) as Metadata,
      ...(made === undefined ? {} : { version: made }),
      ...(siblings(at) > 0 ? { siblings: siblings(at) } : {}),
      ...(numbers ? { vector: numbers.toArray().slice() } : {}), // a copy: the original keeps the memory of all rows
    };
  });
}
