import { z } from 'zod';
import { KbError } from '../../../core/errors.ts';
import { LONGEST_WAIT } from '../../../schema/fields.ts';

const replicas = z.int().min(1).max(100);

/** What `storage.options` may hold for Qdrant. None of it says where the server is, or who asks: so callers over the network may set all of it. */
const Options = z.strictObject({
  timeout: z.number().positive().max(LONGEST_WAIT).describe('seconds that an answer may take'),
  consistency: z
    .union([z.enum(['majority', 'quorum', 'all']), replicas])
    .describe('replicas that a read asks: majority, quorum, all, or a number'),
  ordering: z.enum(['weak', 'medium', 'strong']).describe('order of writes: weak, medium or strong'),
  shard_number: replicas.describe('shards of a new collection, a whole number'),
  replication_factor: replicas.describe('copies of each shard of a new collection, a whole number'),
  write_consistency_factor: replicas.describe('copies that must confirm a write to a new collection, a whole number'),
});

/** Their names. */
export const OPTION_NAMES: readonly string[] = Object.keys(Options.shape);

/** What is added to requests, by what they do. */
export interface Parameters {
  reads: { consistency?: 'majority' | 'quorum' | 'all' | number };
  writes: { ordering?: 'weak' | 'medium' | 'strong' };
  collections: { shard_number?: number; replication_factor?: number; write_consistency_factor?: number };
}

/** The options, sorted by what they are for. Throws a KbError (`configuration`) for one that Qdrant does not have, or that does not fit. */
export function readOptions(options: Record<string, unknown> = {}): Parameters & { timeout: number | undefined } {
  const { data, error } = Options.partial().safeParse(options);
  if (!data) throw unfit(error.issues[0]!);
  const { timeout, consistency, ordering, ...collections } = data;
  return { timeout, reads: { ...(consistency && { consistency }) }, writes: { ...(ordering && { ordering }) }, collections } as ReturnType<
    typeof readOptions
  >;
}

function unfit(issue: z.core.$ZodIssue): KbError {
  if (issue.code === 'unrecognized_keys')
    return new KbError('configuration', `storage.options.${issue.keys[0]} is no option of Qdrant.`, {
      hint: `Qdrant has ${OPTION_NAMES.join(', ')}.`,
    });
  const name = issue.path[0] as keyof typeof Options.shape;
  return new KbError('configuration', `storage.options.${name} does not fit.`, {
    hint: `It takes the ${Options.shape[name].description}.`,
  });
}
