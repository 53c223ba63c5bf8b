import type { Field as ArrowField, Schema, Table, Vector } from 'apache-arrow';
import { terms } from '../../../base/terms.ts';
import type { CollectionInfo, StoredChunk } from '../../../ports/stores.ts';
import { fieldsText } from './fields.ts';

type Arrow = typeof import('apache-arrow');

/** The columns that are read back; with `vectors`, those too, where there are any. */
export const columnsRead = ({ dimensions }: CollectionInfo, vectors: boolean): string[] => [
  'id',
  'text',
  'lead',
  'embed_text',
  'source',
  'metadata',
  'version',
  'siblings',
  ...(vectors && dimensions > 0 ? ['vector'] : []),
];

/**
 * What a row holds. `terms`: what the chunk is found by, joined by spaces. `fields`: what it is filtered by. Of `embed_text` that ends with the
 * text, as nearly all does, only the beginning is kept (`lead`).
 */
const texts = {
  id: (chunk: StoredChunk) => chunk.id,
  text: (chunk: StoredChunk) => chunk.text,
  lead: ({ embed_text, text }: StoredChunk) =>
    embed_text?.endsWith(text) ? embed_text.slice(0, embed_text.length - text.length) : undefined,
  embed_text: ({ embed_text, text }: StoredChunk) => (embed_text?.endsWith(text) ? undefined : embed_text),
  terms: ({ embed_text, text }: StoredChunk) => terms(embed_text ?? text).join(' '),
  source: (chunk: StoredChunk) => chunk.source,
  source_kind: ({ metadata }: StoredChunk) => (typeof metadata['source_kind'] === 'string' ? metadata['source_kind'] : ''),
  metadata: ({ metadata }: StoredChunk) => JSON.stringify(metadata),
  fields: ({ metadata }: StoredChunk) => fieldsText(metadata),
  version: (chunk: StoredChunk) => chunk.version,
} satisfies Record<string, (chunk: StoredChunk) => string | undefined>;

const OPTIONAL = new Set(['lead', 'embed_text', 'version']);

/** The schema of a collection's table. */
export async function schemaOf({ dimensions }: CollectionInfo): Promise<Schema> {
  const arrow = await import('apache-arrow');
  const fields: ArrowField[] = Object.keys(texts).map((name) => new arrow.Field(name, new arrow.Utf8(), OPTIONAL.has(name)));
  fields.push(new arrow.Field('siblings', new arrow.Int32(), false));
  if (dimensions > 0) fields.push(new arrow.Field('vector', vectorType(arrow, dimensions), false));
  return new arrow.Schema(fields);
}

const vectorType = (arrow: Arrow, dimensions: number) =>
  new arrow.FixedSizeList(dimensions, new arrow.Field('item', new arrow.Float32(), true));

/** Chunks as an Arrow table: its columns are built in one piece, which is several times faster than rows of objects. At least one chunk, of vectors that were checked. */
export async function toArrow(chunks: readonly StoredChunk[], info: CollectionInfo): Promise<Table> {
  const arrow = await import('apache-arrow');
  const columns: Record<string, Vector> = {};
  for (const [name, value] of Object.entries(texts)) columns[name] = textColumn(arrow, chunks.map(value));
  const siblings = Int32Array.from(chunks, (chunk) => chunk.siblings ?? 0);
  columns['siblings'] = new arrow.Vector([
    arrow.makeData({ type: new arrow.Int32(), length: chunks.length, nullCount: 0, data: siblings }),
  ]);
  if (info.dimensions > 0) columns['vector'] = vectorColumn(arrow, chunks, info.dimensions);
  return new arrow.Table(await schemaOf(info), columns);
}

function textColumn(arrow: Arrow, values: readonly (string | undefined)[]): Vector {
  const bytes = Buffer.allocUnsafe(values.reduce((sum, value) => sum + Buffer.byteLength(value ?? ''), 0));
  const offsets = new Int32Array(values.length + 1);
  const present = new Uint8Array(Math.ceil(values.length / 8));
  let missing = 0;
  values.forEach((value, i) => {
    offsets[i + 1] = offsets[i]! + bytes.write(value ?? '', offsets[i]!);
    if (value === undefined) missing++;
    else present[i >> 3]! |= 1 << (i & 7);
  });
  const nulls = missing > 0 ? { nullCount: missing, nullBitmap: present } : { nullCount: 0 };
  return new arrow.Vector([
    arrow.makeData({ type: new arrow.Utf8(), length: values.length, valueOffsets: offsets, data: bytes, ...nulls }),
  ]);
}

function vectorColumn(arrow: Arrow, chunks: readonly StoredChunk[], dimensions: number): Vector {
  const numbers = new Float32Array(chunks.length * dimensions);
  chunks.forEach(({ vector }, i) => numbers.set(vector!, i * dimensions));
  const child = arrow.makeData({ type: new arrow.Float32(), length: numbers.length, nullCount: 0, data: numbers });
  return new arrow.Vector([arrow.makeData({ type: vectorType(arrow, dimensions), length: chunks.length, nullCount: 0, child })]);
}
