import { isDeepStrictEqual } from 'node:util';
import { KbError } from '../core/errors.ts';
import { Location, type Metadata, SourceKind } from '../schema/items.ts';

/**
 * Metadata keys that kb sets itself, with what their values look like. Documents and chunks of earlier results have them, so such values are accepted where a
 * document or chunk is given, and set again.
 */
const RESERVED_KEYS = {
  source: (value) => typeof value === 'string',
  source_kind: (value) => SourceKind.safeParse(value).success,
  file_type: (value) => typeof value === 'string' && /^[a-z0-9][a-z0-9.+-]*$/.test(value),
  content_hash: (value) => typeof value === 'string' && /^[0-9a-f]{32,128}$/.test(value),
  ingested_at: (value) => typeof value === 'string' && /^\d{4}-\d\d-\d\dT[\d:.]+Z$/.test(value),
  location: (value) => Location.safeParse(value).success,
} satisfies Record<string, (value: unknown) => boolean>;

type ReservedKey = keyof typeof RESERVED_KEYS;

const isReserved = (key: string): key is ReservedKey => Object.hasOwn(RESERVED_KEYS, key);

/** Renames the reserved keys of what a document says about itself, such as front matter: `location` becomes `document_location`. */
export function renameReservedKeys(metadata: Metadata): Metadata {
  if (!Object.keys(metadata).some(isReserved)) return metadata;
  return Object.fromEntries(Object.entries(metadata).map(([key, value]) => [isReserved(key) ? `document_${key}` : key, value]));
}

/** Lists the reserved keys that were renamed. */
export const renamedKeys = (metadata: Metadata): string[] =>
  Object.keys(RESERVED_KEYS).filter((key) => Object.hasOwn(metadata, `document_${key}`));

/** Removes the reserved keys of metadata in a request. Throws a KbError (`invalid`) for a value that kb would not set. */
export function withoutReservedKeys(metadata: Metadata, expected: Metadata = {}): Metadata {
  assertReservedKeys(metadata, expected);
  return Object.fromEntries(Object.entries(metadata).filter(([key]) => !isReserved(key)));
}

/** Throws a KbError (`invalid`) for a reserved key with a value that kb would not set, or another than the expected one. */
export function assertReservedKeys(metadata: Metadata, expected: Metadata = {}): void {
  for (const [key, value] of Object.entries(metadata)) {
    if (!isReserved(key) || value === null || value === undefined) continue;
    if (RESERVED_KEYS[key](value) && (expected[key] === undefined || isDeepStrictEqual(value, expected[key]))) continue;
    throw new KbError('invalid', `metadata.${key}: kb sets this key itself, and would replace the value.`, {
      hint: `Use another key, such as "document_${key}".`,
    });
  }
}

/** The reserved keys of stored metadata. */
export const reservedMetadata = (metadata: Metadata): Metadata =>
  Object.fromEntries(Object.entries(metadata).filter(([key]) => isReserved(key)));
