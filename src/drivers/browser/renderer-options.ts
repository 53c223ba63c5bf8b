import type { AddressPolicy, Lookup } from '../../http/address-policy.ts';
import type { Network } from '../../schema/config.ts';

/** What a run may reach: the same as `createHttp` is given. */
export interface RendererOptions {
  network: Network;
  surface: AddressPolicy['surface'];
  named: readonly string[];
  environment?: Record<string, string | undefined>;
  lookup?: Lookup;
}
