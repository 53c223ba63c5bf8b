import { z } from 'zod';

/** Metadata keys that kb itself sets. */
const OWN_KEYS = ['source', 'title', 'source_kind', 'file_type', 'content_hash', 'location', 'page_kind', 'ingested_at'];

/** Limits: characters of a key and a text, entries of a list, keys. */
const LONGEST_KEY = 200;
const LONGEST_TEXT = 10_000;
const MOST_ENTRIES = 1_000;
const MOST_KEYS = 200;

const text = z.string().max(LONGEST_TEXT);

/** Metadata that the caller adds to every document of a request. It is flat, so that every key can be used in filters. */
export const GivenMetadata = z
  .record(z.string(), z.union([text, z.number(), z.boolean(), z.array(text).max(MOST_ENTRIES)]))
  .check(({ value, issues }) => {
    const keys = Object.keys(value);
    const own = keys.find((key) => OWN_KEYS.includes(key));
    if (own !== undefined)
      issues.push({ code: 'custom', message: `a key of your own (kb itself sets ${OWN_KEYS.join(', ')})`, path: [own], input: value });
    const unfit = keys.find((key) => key.trim() === '' || key.length > LONGEST_KEY);
    if (unfit !== undefined)
      issues.push({ code: 'custom', message: `a key of 1 to ${LONGEST_KEY} characters`, path: [unfit], input: value });
    if (keys.length > MOST_KEYS) issues.push({ code: 'custom', message: `at most ${MOST_KEYS} keys`, path: [], input: value });
  })
  .describe(
    'Metadata for every document, such as {"team": "north"}: texts, numbers, true or false, lists of texts. It wins over what documents say of themselves',
  );
export type GivenMetadata = z.infer<typeof GivenMetadata>;

/** Whether kb itself sets a metadata key. */
export const isOwnKey = (key: string): boolean => OWN_KEYS.includes(key);
