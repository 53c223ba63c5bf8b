import { KbError } from '../base/errors.ts';
import type { Config } from '../schema/config.ts';
import { Sources } from '../schema/sources.ts';

/** Whether it says what is to be read. */
export const namesSources = (given: Sources): boolean =>
  Object.keys(Sources.shape).some((name) => given[name as keyof Sources] !== undefined);

/** Throws a KbError (`usage`) where neither a request nor the configuration says what is to be read. */
export function assertSources(request: Sources, { sources }: Config): void {
  if (namesSources(request) || namesSources(sources)) return;
  throw new KbError('usage', 'At least one of docs, urls, api or markdown must be provided.', {
    hint: 'For example {"docs": {"folder": "manuals"}}, or kb ingest --docs manuals; kb ingest also reads what kb.config.yaml lists under sources.',
  });
}
