import { z } from 'zod';
import { Config } from './config.ts';
import { options, overrideKey } from './fields.ts';
import { EmbedderName } from './items.ts';
import { operation, storePlace } from './operation-row.ts';

/** Name, embedder and size of a stored collection. */
export const CollectionSummary = z
  .object({
    name: z.string().describe('Name of the collection'),
    embedding: EmbedderName.describe('Embedder of its vectors'),
    dimensions: z.int().min(0).describe('Vector dimensions; 0 without vectors'),
    chunks: z.int().min(0).describe('Number of chunks'),
    sources: z.int().min(0).describe('Number of documents'),
    bytes: z.int().min(0).nullable().describe('Bytes on disk; null if the store does not report it'),
  })
  .meta({ id: 'CollectionSummary', description: 'Summary of a collection' });
export type CollectionSummary = z.infer<typeof CollectionSummary>;

const ListedCollection = CollectionSummary.extend({
  configured: z.boolean().describe('Whether requests that name no collection use this one'),
  error: z.string().optional().describe('Why the collection cannot be read; nothing but its name is known then'),
}).meta({ id: 'ListedCollection', description: 'A collection in the list' });

/** Result of `list_collections`. */
export const CollectionsResult = z
  .object({ collections: z.array(ListedCollection).describe('Collections, sorted by name') })
  .meta({ id: 'CollectionsResult', description: 'The collections of the store' });
export type CollectionsResult = z.infer<typeof CollectionsResult>;

const name = Config.shape.collection.describe('Name of the collection');
/** Input of the operations that name one collection: show, drop, export and reembed. */
export const CollectionRequest = z
  .strictObject({ name })
  .meta({ id: 'CollectionRequest', description: 'A collection', examples: [{ name: 'manuals' }] });
export type CollectionRequest = z.infer<typeof CollectionRequest>;
/** Input of `list_collections` and `list_snapshots`: no parameters. */
export const CollectionsRequest = z.strictObject({}).meta({ id: 'CollectionsRequest', description: 'No parameters', examples: [{}] });

/** Input of `import_collection`. `lines` are those of an export: a header with the fingerprint, one line per chunk, and a closing line. */
export const ImportRequest = z.strictObject({
  name,
  lines: z.custom<AsyncIterable<string>>().describe('The lines of an export'),
  force: z.boolean().optional().describe('Import what is readable of an export that was cut off or changed'),
});
export type ImportRequest = z.infer<typeof ImportRequest>;

/** Result of `drop_collection`. */
export const DropResult = z
  .object({ name, dropped: z.boolean().describe('Whether the collection existed') })
  .meta({ id: 'DropResult', description: 'Result of dropping a collection' });
export type DropResult = z.infer<typeof DropResult>;
/** Result of `export_collection`; its chunks are `item` events. */
export const ExportResult = z
  .object({ name, exported: z.int().min(0).describe('Chunks written') })
  .meta({ id: 'ExportResult', description: 'Result of an export' });
export type ExportResult = z.infer<typeof ExportResult>;
/** Result of `import_collection`. */
export const ImportResult = z
  .object({ name, imported: z.int().min(0).describe('Chunks read') })
  .meta({ id: 'ImportResult', description: 'Result of an import' });
export type ImportResult = z.infer<typeof ImportResult>;
/** Result of `reembed_collection`. */
export const ReembedResult = z
  .object({
    name,
    embedding: EmbedderName.describe('Embedder of the new vectors'),
    dimensions: z.int().min(0).describe('Vector dimensions; 0 without vectors'),
    embedded: z.int().min(0).describe('Chunks embedded'),
  })
  .meta({ id: 'ReembedResult', description: 'Result of embedding a collection with another model' });
export type ReembedResult = z.infer<typeof ReembedResult>;

const { vector_db, url } = Config.shape.storage.shape;

/** Input of `copy_collection`. */
export const CopyRequest = z
  .strictObject({
    name,
    to: name.describe('Name of the copy'),
    replace: z.boolean().optional().describe('Replace the collection that has the name of the copy'),
    to_vector_db: z.optional(vector_db).describe('Vector database of the copy. Default: that of the collection'),
    to_url: url.describe(
      'Location of the store of the copy, as --storage-url. Default: that of the collection; in another database, its default',
    ),
    to_options: options().describe('Options of the store of the copy, as storage.options'),
  })
  .meta({ id: 'CopyRequest', description: 'A collection to copy', examples: [{ name: 'manuals', to: 'manuals-trial' }] });
export type CopyRequest = z.infer<typeof CopyRequest>;
/** Result of `copy_collection`. */
export const CopyResult = z
  .object({ name, to: CopyRequest.shape.to, copied: z.int().min(0).describe('Chunks copied') })
  .meta({ id: 'CopyResult', description: 'Result of copying a collection' });
export type CopyResult = z.infer<typeof CopyResult>;

const collection = overrideKey(Config.shape.collection, 'collection');

/** Input of operations on the configured collection, unless the request names another. */
export const CollectionNameRequest = z
  .strictObject({ collection })
  .meta({ id: 'CollectionNameRequest', description: 'A collection; the configured one if absent', examples: [{ collection: 'manuals' }] });
export type CollectionNameRequest = z.infer<typeof CollectionNameRequest>;
/** Result of `optimize_collection`, with the size before and after in bytes. */
export const OptimizeResult = z
  .object({
    ...CollectionSummary.pick({ name: true, chunks: true, bytes: true }).shape,
    bytes_before: CollectionSummary.shape.bytes.describe('Bytes on disk before'),
  })
  .meta({ id: 'OptimizeResult', description: 'Result of optimizing a collection' });
export type OptimizeResult = z.infer<typeof OptimizeResult>;

const snapshot = z
  .string()
  .regex(/^[A-Za-z0-9][A-Za-z0-9_-]{0,62}$/, 'a name of letters, digits, _ and - (at most 63, the first a letter or digit)')
  .describe('Name of the snapshot');
/** Input of the operations on one snapshot: restore, verify and delete. */
export const SnapshotRequest = z
  .strictObject({ name: snapshot, collection })
  .meta({ id: 'SnapshotRequest', description: 'A snapshot of a collection', examples: [{ name: '20261122-233012' }] });
export type SnapshotRequest = z.infer<typeof SnapshotRequest>;
/** Input of `create_snapshot`. */
export const CreateSnapshotRequest = z
  .strictObject({
    name: snapshot.optional().describe('Name of the snapshot. Default: date and time (UTC)'),
    keep: z.int().min(1).max(10_000).optional().describe('Remove the oldest snapshots of the collection beyond this number'),
    collection,
  })
  .meta({ id: 'CreateSnapshotRequest', description: 'A snapshot to make', examples: [{ collection: 'manuals', keep: 7 }] });
export type CreateSnapshotRequest = z.infer<typeof CreateSnapshotRequest>;

/** A snapshot in a list. Its `bytes` may be shared with the collection. */
export const CollectionSnapshot = CollectionSummary.extend({
  name: snapshot,
  collection: name.describe('Collection that it was made of'),
  created: z.iso.datetime().describe('When it was made'),
  bytes: CollectionSummary.shape.bytes.describe(
    'Bytes on disk, some of them shared with the collection; null if the store does not report it',
  ),
  error: z.string().optional().describe('Why the snapshot cannot be read; nothing but its name, collection and time is known then'),
}).meta({ id: 'CollectionSnapshot', description: 'Snapshot of a collection' });
export type CollectionSnapshot = z.infer<typeof CollectionSnapshot>;
/** Result of `create_snapshot`, with the older snapshots that `keep` removed. */
export const CreateSnapshotResult = CollectionSnapshot.extend({
  removed: z.array(snapshot).describe('Older snapshots that were removed'),
}).meta({ id: 'CreateSnapshotResult', description: 'Result of making a snapshot' });
export type CreateSnapshotResult = z.infer<typeof CreateSnapshotResult>;
/** Result of `list_snapshots`. */
export const SnapshotsResult = z
  .object({ snapshots: z.array(CollectionSnapshot).describe('Snapshots by collection, oldest first') })
  .meta({ id: 'SnapshotsResult', description: 'The snapshots of the store' });
export type SnapshotsResult = z.infer<typeof SnapshotsResult>;
/** Result of `restore_snapshot`. */
export const RestoreSnapshotResult = z
  .object({ name: snapshot, collection: name, restored: z.int().min(0).describe('Chunks that the collection holds now') })
  .meta({ id: 'RestoreSnapshotResult', description: 'Result of restoring a snapshot' });
export type RestoreSnapshotResult = z.infer<typeof RestoreSnapshotResult>;
/** Result of `verify_snapshot`; a changed snapshot is an error instead. */
export const VerifySnapshotResult = z
  .object({ name: snapshot, collection: name, chunks: CollectionSummary.shape.chunks })
  .meta({ id: 'VerifySnapshotResult', description: 'A snapshot that is as it was made' });
export type VerifySnapshotResult = z.infer<typeof VerifySnapshotResult>;
/** Result of `delete_snapshot`. */
export const DeleteSnapshotResult = z
  .object({ name: snapshot, collection: name })
  .meta({ id: 'DeleteSnapshotResult', description: 'Result of removing a snapshot' });
export type DeleteSnapshotResult = z.infer<typeof DeleteSnapshotResult>;

/** The first line of an export. */
export const ExportHeader = z.object({
  kb_export: z.literal(1),
  name: z.string(),
  provider: z.string(),
  model: z.string(),
  dimensions: z.int().min(0),
});
export type ExportHeader = z.infer<typeof ExportHeader>;

/** The last line of an export. It lets an import detect an export that was cut off or changed. */
export const ExportEnd = z.object({
  kb_export_end: z.literal(1),
  chunks: z.int().min(0),
  /** SHA-256 of all lines before this one, each with its line feed, in hexadecimal. */
  sha256: z.string(),
});
export type ExportEnd = z.infer<typeof ExportEnd>;

/** Each line in between: a chunk with its vector, and what a later ingest needs to skip an unchanged document. */
export const ExportedChunk = z.object({
  id: z.string().min(1),
  text: z.string(),
  embed_text: z.string().optional(),
  source: z.string(),
  metadata: z.record(z.string(), z.unknown()),
  embedding: z.array(z.number()).optional(),
  version: z.string().optional(),
  chunk_count: z.int().optional(),
});
export type ExportedChunk = z.infer<typeof ExportedChunk>;

/** Operations on whole collections and their snapshots. */
export const collectionOperations = {
  list_collections: operation({
    summary: 'List the collections of the store',
    scope: 'read',
    input: CollectionsRequest,
    output: CollectionsResult,
    sections: storePlace,
  }),
  show_collection: operation({
    summary: 'Show what a collection contains',
    scope: 'read',
    input: CollectionRequest,
    output: CollectionSummary,
    sections: storePlace,
  }),
  drop_collection: operation({
    summary: 'Remove a collection and everything in it',
    scope: 'admin',
    input: CollectionRequest,
    output: DropResult,
    sections: storePlace,
  }),
  export_collection: operation({
    summary: 'Export a collection as JSON Lines',
    scope: 'read',
    input: CollectionRequest,
    output: ExportResult,
    sections: storePlace,
  }),
  import_collection: operation({
    summary: 'Create a collection from an export',
    scope: 'write',
    input: ImportRequest,
    output: ImportResult,
    sections: [...storePlace, 'storage.batch_size'],
  }),
  reembed_collection: operation({
    summary: 'Embed a collection again with the configured model',
    scope: 'admin',
    input: CollectionRequest,
    output: ReembedResult,
    sections: [...storePlace, 'embedding'],
  }),
  copy_collection: operation({
    summary: 'Copy a collection under another name, or to another store',
    input: CopyRequest,
    output: CopyResult,
    scope: 'admin',
    sections: storePlace,
  }),
  optimize_collection: operation({
    summary: 'Bring the indexes of a collection up to date and remove its old versions',
    input: CollectionNameRequest,
    output: OptimizeResult,
    scope: 'admin',
    sections: ['collection', ...storePlace],
  }),
  create_snapshot: operation({
    summary: 'Keep the present state of a collection as a snapshot',
    input: CreateSnapshotRequest,
    output: CreateSnapshotResult,
    scope: 'admin',
    sections: ['collection', ...storePlace],
  }),
  list_snapshots: operation({
    summary: 'List the snapshots of all collections',
    input: CollectionsRequest,
    output: SnapshotsResult,
    scope: 'admin',
    sections: storePlace,
  }),
  restore_snapshot: operation({
    summary: 'Replace what a collection holds by a snapshot of it',
    input: SnapshotRequest,
    output: RestoreSnapshotResult,
    scope: 'admin',
    sections: ['collection', ...storePlace],
  }),
  verify_snapshot: operation({
    summary: 'Compare a snapshot with its checksums',
    input: SnapshotRequest,
    output: VerifySnapshotResult,
    scope: 'admin',
    sections: ['collection', ...storePlace],
  }),
  delete_snapshot: operation({
    summary: 'Remove a snapshot',
    input: SnapshotRequest,
    output: DeleteSnapshotResult,
    scope: 'admin',
    sections: ['collection', ...storePlace],
  }),
};
