import type { Network } from '../schema/config-sources.ts';
import { type AddressPolicy, type Lookup, Refused } from './address-policy.ts';
import { openConnections, systemLookup, type PinnedConnections } from './connections.ts';
import { KbError, stoppedError } from '../core/errors.ts';
import { addressRefusal, connectionError } from './status-errors.ts';
import { follow, type Door } from './exchange.ts';
import { addressOf, type Http, type HttpAnswer, type HttpRequest } from './message.ts';
import { retry, type RetryOptions } from '../core/retry.ts';
import { redactUrl } from '../core/secrets.ts';

/** Options of the HTTP client of one run. */
export interface HttpOptions {
  network: Network;
  surface: AddressPolicy['surface'];
  /** Origins that the user named. */
  named: readonly string[];
  environment?: NodeJS.ProcessEnv;
  lookup?: Lookup;
  retries?: Pick<RetryOptions, 'attempts' | 'base' | 'longest'>;
}

/**
 * Creates the HTTP client of one run. Which private addresses it may fetch depends on the origins that its user named. Nothing is loaded or
 * connected before the first request.
 */
export function createHttp({ network, surface, named, environment = process.env, lookup = systemLookup, retries }: HttpOptions): Http {
  const policy: AddressPolicy = { allow_private: network.allow_private, surface, named };
  let opened: Promise<PinnedConnections> | undefined;
  const open = () => (opened ??= openConnections({ policy, lookup, timeout: network.timeout, environment }));
  return {
    async request(address, options = {}) {
      const url = addressOf(address, options.params);
      const connections = await open();
      const { inTurn = (work) => work(), signal } = options;
      return retry(() => inTurn(() => attempt(url, options, { network, connections, surface }), signal), { ...retries, signal });
    },
    async close() {
      await (await opened)?.close();
    },
  };
}

async function attempt(url: URL, options: HttpRequest, door: Door): Promise<HttpAnswer> {
  const seconds = options.timeout ?? door.network.timeout;
  const clock = AbortSignal.timeout(seconds * 1000);
  const signal = options.signal ? AbortSignal.any([clock, options.signal]) : clock;
  let at = url;
  const name = () => (at === url ? redactUrl(url) : `${redactUrl(url)} (redirected to ${redactUrl(at)})`);
  try {
    return await follow(url, { ...options, signal }, { ...door, name, arrive: (next) => (at = next) });
  } catch (error) {
    if (options.signal?.aborted) throw stoppedError(error);
    if (error instanceof KbError) throw error;
    if (clock.aborted)
      throw new KbError('unavailable', `${name()} was not read in time: the limit is ${seconds} seconds.`, {
        hint: 'Try again, or raise the timeout.',
        cause: error,
        isRetryable: true,
      });
    throw error instanceof Refused ? addressRefusal(name(), error) : connectionError(name(), error);
  }
}
