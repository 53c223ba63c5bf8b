import { createHttp, type HttpOptions } from '../../../src/http/client.ts';
import { DEFAULTS } from '../../../src/schema/config.ts';
import type { Network } from '../../../src/schema/config-sources.ts';
import type { Document, ErrorItem } from '../../../src/schema/items.ts';
import type { Extracted } from '../../../src/stages/extract/extract.ts';
import type { Site } from '../../support/site.ts';

/** A door as a command line has it, which loses no time over retries. */
export const openDoor = (named: readonly Site[], over: Partial<HttpOptions> = {}) =>
  createHttp({
    network: DEFAULTS.network as Network,
    surface: 'cli',
    named: named.map(({ url }) => url),
    environment: {},
    retries: { attempts: 2, firstWait: 0.01, refusals: 1 },
    ...over,
  });

export interface Gathered {
  documents: Document[];
  errors: ErrorItem[];
  hashes: string[];
  notices: string[];
  scopes: ((source: string) => boolean)[];
  /** Of parts of the world that may not have been listed whole: why. */
  doubts: string[];
}

/** Everything that an extractor yields, its documents read. */
export async function gathered(items: AsyncIterable<Extracted>): Promise<Gathered> {
  const all: Gathered = { documents: [], errors: [], hashes: [], notices: [], scopes: [], doubts: [] };
  for await (const item of items) {
    if ('error' in item) all.errors.push(item.error);
    if ('notice' in item) all.notices.push(item.notice);
    if ('scope' in item && item.scope.doubt !== undefined) all.doubts.push(item.scope.doubt);
    else if ('scope' in item) all.scopes.push(item.scope.covers);
    if (!('candidate' in item)) continue;
    all.hashes.push(item.candidate.content_hash);
    all.documents.push(await item.candidate.document());
  }
  return all;
}
