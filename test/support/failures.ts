import type { ErrorItem } from '../../src/schema/items.ts';

/** A document that could not be read, as a result tells of it. */
export const failure = (source: string, error: string): ErrorItem => ({
  source,
  source_kind: 'path',
  stage: 'convert',
  error,
  isRetryable: false,
  attempts: 1,
});
