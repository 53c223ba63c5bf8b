import { KbError } from '../base/errors.ts';
import { getPath, type Layer } from '../base/settings.ts';
import type { Config } from '../schema/config.ts';
import { authorizer } from './roots.ts';
import { storeUrl } from './resources.ts';

/** Where in the settings a provider's options are: a request may set them, but not where the provider's key is sent. */
const PROVIDER_OPTIONS = ['embedding.options', 'rerank.options', 'chat.llm.options'];

/** The addresses of each kind of store that any request may name: they are this machine's own. */
const DEFAULT_STORES = ['http://127.0.0.1:6333', 'http://localhost:6333'];

export interface Caller {
  /** What the request says about the configuration. */
  layer: Layer;
  /** The configuration with that laid over it. */
  settings: Config;
  config: Config;
  home: string;
  cwd: string;
}

/**
 * Refuses what a request that came over the network may not do as a whole (contract, "Safe by default"): send a key to an address that the caller
 * chose, or open a store that the operator did not allow. Throws a KbError (`forbidden`).
 */
export function assertPermitted(caller: Caller): void {
  for (const path of PROVIDER_OPTIONS) {
    const options = getPath(caller.layer, path);
    if (typeof options !== 'object' || options === null || !Object.hasOwn(options, 'base_url')) continue;
    throw new KbError('forbidden', `${path}.base_url can't be set in a request: a key goes to no address that a caller chose.`, {
      hint: 'The operator sets it in kb.config.yaml.',
    });
  }
  assertStore(caller);
}

function assertStore({ settings, config, home, cwd }: Caller): void {
  const [asked, own] = [settings.storage, config.storage].map((storage) => ({ ...storage, url: storeUrl(storage, home) }));
  if (asked!.vector_db === own!.vector_db && same(asked!.url, own!.url)) return;
  const { allowed_roots, allowed_store_urls } = config.server;
  if (allowed_store_urls.some((url) => same(storeUrl({ ...asked!, url }, home), asked!.url))) return;
  if (asked!.vector_db === 'lancedb' && !/^[a-z][a-z0-9+.-]+:/i.test(asked!.url))
    return authorizer({ allowed_roots, home, cwd })(asked!.url, 'The store');
  if (asked!.vector_db !== 'lancedb' && DEFAULT_STORES.some((url) => same(url, asked!.url))) return;
  throw new KbError('forbidden', 'The store of the request is none that this server may use.', {
    hint: 'The operator lists its address in server.allowed_store_urls.',
  });
}

const same = (one: string, other: string): boolean => one.replace(/\/+$/, '') === other.replace(/\/+$/, '');
