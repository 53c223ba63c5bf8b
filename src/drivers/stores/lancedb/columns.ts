import { yieldToEventLoop } from '../../../core/concurrency.ts';
import type { Field as ArrowField, RecordBatch, Schema, Table, Vector } from 'apache-arrow';
import { terms } from '../../../text/terms.ts';
import type { CollectionInfo, Fingerprint, StoredChunk } from '../../../ports/stores.ts';
import { toFieldsText, LABELS, toRowLabels } from './field-entries.ts';
import type { Metadata } from '../../../schema/items.ts';

type Arrow = typeof import('apache-arrow');

/** Lists the columns from which chunks are restored, with that of the vectors if requested. */
export const chunkColumns = ({ dimensions }: CollectionInfo, vectors: boolean): string[] => [
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

/** Columns of text. `terms` is for searches, `fields` for filters; `lead` is the beginning of an `embed_text` that ends with the text. */
const TEXT_COLUMNS = {
  id: (chunk: StoredChunk) => chunk.id,
  text: (chunk: StoredChunk) => chunk.text,
  lead: ({ embed_text, text }: StoredChunk) =>
    embed_text?.endsWith(text) ? embed_text.slice(0, embed_text.length - text.length) : undefined,
  embed_text: ({ embed_text, text }: StoredChunk) => (embed_text?.endsWith(text) ? undefined : embed_text),
  terms: ({ embed_text, text }: StoredChunk) => terms(embed_text ?? text).join(' '),
  source: (chunk: StoredChunk) => chunk.source,
  source_kind: ({ metadata }: StoredChunk) => (typeof metadata['source_kind'] === 'string' ? metadata['source_kind'] : ''),
  metadata: ({ metadata }: StoredChunk) => JSON.stringify(metadata),
  fields: ({ metadata }: StoredChunk) => toFieldsText(metadata),
  version: (chunk: StoredChunk) => chunk.version,
} satisfies Record<string, (chunk: StoredChunk) => string | undefined>;

const OPTIONAL = new Set(['lead', 'embed_text', 'version']);

const EMBEDDER_KEY = 'kb.embedder';

/** Reads the embedder of a table's collection from the schema. */
export const readEmbedder = ({ metadata }: Schema): Fingerprint => JSON.parse(metadata.get(EMBEDDER_KEY)!) as Fingerprint;

/** Makes the schema of a collection's table, with the embedder in its metadata. */
export async function schemaOf({ provider, model, dimensions }: CollectionInfo): Promise<Schema> {
  const arrow = await import('apache-arrow');
  const fields: ArrowField[] = Object.keys(TEXT_COLUMNS).map((name) => new arrow.Field(name, new arrow.Utf8(), OPTIONAL.has(name)));
  fields.push(new arrow.Field(LABELS, listType(arrow), false));
  // `chunk_count` of the port, under its first name
  fields.push(new arrow.Field('siblings', new arrow.Int32(), false));
  if (dimensions > 0) fields.push(new arrow.Field('vector', vectorType(arrow, dimensions), false));
  return new arrow.Schema(fields, new Map([[EMBEDDER_KEY, JSON.stringify({ provider, model, dimensions })]]));
}

const listType = (arrow: Arrow) => new arrow.List(new arrow.Field('item', new arrow.Utf8(), true));

const vectorType = (arrow: Arrow, dimensions: number) =>
  new arrow.FixedSizeList(dimensions, new arrow.Field('item', new arrow.Float32(), true));

/** Converts chunks (at least one, with checked vectors) to an Arrow table. Building whole columns is several times faster than rows of objects. */
export async function toArrowTable(chunks: readonly StoredChunk[], info: CollectionInfo): Promise<Table> {
  const arrow = await import('apache-arrow');
  const schema = await schemaOf(info);
  const yieldIfBusy = yieldToEventLoop(undefined);
  const batches: RecordBatch[] = [];
  for (const rows of rowGroups(chunks)) {
    await yieldIfBusy();
    batches.push(...new arrow.Table(schema, columnsOf(rows, info, arrow)).batches);
  }
  return new arrow.Table(schema, batches);
}

/** Rows and fields of metadata that are converted in one go: some milliseconds of work. */
const MAX_ROWS = 1_000;
const MAX_FIELDS = 20_000;

/** Yields the chunks in groups that are converted in one go. */
function* rowGroups(chunks: readonly StoredChunk[]): Generator<readonly StoredChunk[], void, void> {
  let [start, fields] = [0, 0];
  for (const [i, { metadata }] of chunks.entries()) {
    fields += Object.keys(metadata).length;
    if (i + 1 - start < MAX_ROWS && fields < MAX_FIELDS) continue;
    yield chunks.slice(start, i + 1);
    [start, fields] = [i + 1, 0];
  }
  if (start < chunks.length) yield chunks.slice(start);
}

function columnsOf(chunks: readonly StoredChunk[], info: CollectionInfo, arrow: Arrow): Record<string, Vector> {
  const columns: Record<string, Vector> = {};
  for (const [name, value] of Object.entries(TEXT_COLUMNS)) columns[name] = textColumn(arrow, chunks.map(value));
  columns[LABELS] = listColumn(
    arrow,
    chunks.map(({ metadata }) => toRowLabels(metadata)),
  );
  const siblings = Int32Array.from(chunks, (chunk) => chunk.chunk_count ?? 0);
  columns['siblings'] = new arrow.Vector([
    arrow.makeData({ type: new arrow.Int32(), length: chunks.length, nullCount: 0, data: siblings }),
  ]);
  if (info.dimensions > 0) columns['vector'] = vectorColumn(arrow, chunks, info.dimensions);
  return columns;
}

function listColumn(arrow: Arrow, lists: readonly string[][]): Vector {
  const valueOffsets = new Int32Array(lists.length + 1);
  lists.forEach((list, i) => (valueOffsets[i + 1] = valueOffsets[i]! + list.length));
  const child = textColumn(arrow, lists.flat()).data[0]!;
  return new arrow.Vector([arrow.makeData({ type: listType(arrow), length: lists.length, nullCount: 0, valueOffsets, child })]);
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

type Rows = Table | RecordBatch;

/** Makes a function that reads one column at a row. Columns are read one by one, because objects of whole rows are slow. */
export function createColumnReader(rows: Rows, name: string): (at: number) => unknown {
  const column = rows.getChild(name);
  return (at) => column?.get(at) ?? undefined;
}

/** Restores the chunks of rows as they were given, with their vectors if those were read. */
export function toChunks(rows: Rows): StoredChunk[] {
  const text = (name: string) => createColumnReader(rows, name) as (at: number) => string | undefined;
  const [id, chunkText, lead, embedText, source, metadata, version] = [
    'id',
    'text',
    'lead',
    'embed_text',
    'source',
    'metadata',
    'version',
  ].map(text);
  const siblings = createColumnReader(rows, 'siblings') as (at: number) => number;
  const vector = createColumnReader(rows, 'vector') as (at: number) => { toArray(): Float32Array } | undefined;
  return Array.from({ length: rows.numRows }, (_, at) => {
    const beginning = lead!(at);
    const embedded = beginning === undefined ? embedText!(at) : beginning + chunkText!(at)!;
    const numbers = vector(at);
    const chunkVersion = version!(at);
    return {
      id: id!(at)!,
      text: chunkText!(at)!,
      ...(embedded === undefined ? {} : { embed_text: embedded }),
      source: source!(at)!,
      metadata: JSON.parse(metadata!(at)!) as Metadata,
      ...(chunkVersion === undefined ? {} : { version: chunkVersion }),
      ...(siblings(at) > 0 ? { chunk_count: siblings(at) } : {}),
      ...(numbers ? { vector: numbers.toArray().slice() } : {}), // a copy: the original would keep the memory of all rows
    };
  });
}
