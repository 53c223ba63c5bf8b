import { z } from 'zod';

/** What a run says while it works; the envelope of every stream. An `item` is a record that the run hands out, such as a chunk of an export. Numbers in `sequence` grow and may skip values. */
export const Event = z
  .object({
    type: z.enum(['progress', 'page', 'item', 'token', 'error', 'final']),
    stage: z
      .string()
      .describe(
        'What it is at: chat, intent, rewrite, retrieval, quality, generation; ingest, crawl, parse, chunk, embed, store; edit, import, export, reembed, setup, evaluate; of an error the stage of its item; complete in the final event',
      ),
    message: z.string(),
    data: z.record(z.string(), z.unknown()),
    sequence: z.int(),
  })
  .meta({ id: 'Event', description: 'What a run says while it works' });
export type Event = z.infer<typeof Event>;
