import type { Schemas } from '@qdrant/js-client-rest';
import { z } from 'zod';
import { KbError } from '../../../core/errors.ts';
import { MAX_PATH_LENGTH, MAX_WAIT } from '../../../schema/fields.ts';

const replicas = z.int().min(1).max(100);
const seconds = z.number().positive().max(MAX_WAIT);

/** Options that requests over the network may set: none of them holds an address or a credential. */
const REQUEST_OPTION_SCHEMAS = {
  timeout: seconds.describe('seconds that an answer may take'),
  connect_timeout: seconds.describe('seconds that connecting may take'),
  retries: z.int().min(0).max(10).describe('number of times that a request is sent again, from 0 to 10'),
  consistency: z
    .union([z.enum(['majority', 'quorum', 'all']), replicas])
    .describe('replicas that a read asks: majority, quorum, all, or a number'),
  ordering: z.enum(['weak', 'medium', 'strong']).describe('order of writes: weak, medium or strong'),
  hnsw_ef: z.int().min(1).max(10_000).describe('candidates that a search by vectors keeps, a whole number'),
  oversampling: z
    .number()
    .min(1)
    .max(100)
    .describe('multiple of the limit that is compared exactly where vectors are quantized, from 1 to 100'),
  shard_number: replicas.describe('shards of a new collection, a whole number'),
  replication_factor: replicas.describe('copies of each shard of a new collection, a whole number'),
  write_consistency_factor: replicas.describe('copies that must confirm a write to a new collection, a whole number'),
  quantization: z.enum(['scalar', 'binary']).describe('quantization of the vectors of a new collection: scalar or binary'),
  datatype: z.enum(['float32', 'float16']).describe('numbers of the vectors of a new collection: float32 or float16'),
  on_disk: z.boolean().describe('true or false: whether vectors and indexes of a new collection lie on disk, not in memory'),
  hnsw_m: z.int().min(0).max(200).describe('edges of a node in the index of a new collection, from 0 (no index) to 200'),
  hnsw_ef_construct: z.int().min(4).max(10_000).describe('candidates for the edges of a node in a new collection, a whole number from 4'),
};

const Options = z.strictObject({
  ...REQUEST_OPTION_SCHEMAS,
  urls: z.array(z.string().min(1)).max(20).describe('list of the addresses of all nodes, storage.url among them'),
  ca_file: z.string().min(1).max(MAX_PATH_LENGTH).describe('path of a file of certificates (PEM) that the server may be signed by'),
});

/** The names of the options that requests over the network may set. */
export const REQUEST_OPTIONS: readonly string[] = Object.keys(REQUEST_OPTION_SCHEMAS);

type NewCollection = Schemas['CreateCollection'];

/** Parameters that are added to requests, by their kind. */
export interface Parameters {
  reads: { consistency?: 'majority' | 'quorum' | 'all' | number };
  writes: { ordering?: 'weak' | 'medium' | 'strong' };
  /** For searches by vectors. */
  searches: Schemas['SearchParams'];
  /** Adds the options to the request that creates a collection. */
  withCollectionOptions<T extends NewCollection>(given: T): T;
}

/** Options of the connection. */
interface ConnectionSettings {
  timeout: number | undefined;
  connect_timeout: number | undefined;
  retries: number | undefined;
  urls: string[];
  ca_file: string | undefined;
}

/** Reads the options, grouped by their use. Throws a KbError (`configuration`) for an unknown or invalid one. */
export function readOptions(options: Record<string, unknown> = {}): { parameters: Parameters; connection: ConnectionSettings } {
  const { data, error } = Options.partial().safeParse(options);
  if (!data) throw invalidOptionError(error.issues[0]!);
  const {
    timeout,
    connect_timeout,
    retries,
    urls = [],
    ca_file,
    consistency,
    ordering,
    hnsw_ef,
    oversampling,
    ...collectionOptions
  } = data;
  const parameters = {
    reads: { ...(consistency && { consistency }) },
    writes: { ...(ordering && { ordering }) },
    searches: { ...(hnsw_ef && { hnsw_ef }), quantization: { rescore: true, ...(oversampling && { oversampling }) } },
    withCollectionOptions: <T extends NewCollection>(given: T): T => ({ ...given, ...applyCollectionOptions(collectionOptions, given) }),
  };
  return { parameters, connection: { timeout, connect_timeout, retries, urls, ca_file } };
}

type CollectionOptions = Partial<
  Pick<
    z.infer<typeof Options>,
    | 'shard_number'
    | 'replication_factor'
    | 'write_consistency_factor'
    | 'quantization'
    | 'datatype'
    | 'on_disk'
    | 'hnsw_m'
    | 'hnsw_ef_construct'
  >
>;

function applyCollectionOptions(
  { quantization, datatype, on_disk, hnsw_m, hnsw_ef_construct, ...distribution }: CollectionOptions,
  { vectors, sparse_vectors }: NewCollection,
): NewCollection {
  const vector = { ...(datatype && { datatype }), ...(on_disk === undefined ? {} : { on_disk }) };
  const index = {
    ...(hnsw_m === undefined ? {} : { m: hnsw_m }),
    ...(hnsw_ef_construct && { ef_construct: hnsw_ef_construct }),
    ...(on_disk === undefined ? {} : { on_disk }),
  };
  const addToEach = <T extends object | null | undefined>(named: T, more: object): T =>
    Object.fromEntries(Object.entries(named ?? {}).map(([name, one]) => [name, { ...(one as object), ...more }])) as T;
  return {
    ...distribution,
    vectors: addToEach(vectors, vector)!,
    sparse_vectors: addToEach(sparse_vectors ?? {}, on_disk === undefined ? {} : { index: { on_disk } }),
    ...(Object.keys(index).length > 0 && { hnsw_config: index }),
    // quantized vectors are small enough to stay in memory; the original vectors are read only for the best candidates
    ...(quantization === 'scalar' && { quantization_config: { scalar: { type: 'int8' as const, quantile: 0.99, always_ram: true } } }),
    ...(quantization === 'binary' && { quantization_config: { binary: { always_ram: true } } }),
  };
}

function invalidOptionError(issue: z.core.$ZodIssue): KbError {
  if (issue.code === 'unrecognized_keys')
    return new KbError('configuration', `storage.options.${issue.keys[0]} is no option of Qdrant.`, {
      hint: `Qdrant has ${Object.keys(Options.shape).join(', ')}.`,
    });
  const name = issue.path[0] as keyof typeof Options.shape;
  return new KbError('configuration', `storage.options.${name} does not fit.`, {
    hint: `It takes the ${Options.shape[name].description}.`,
  });
}
