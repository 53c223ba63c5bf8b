import { lookup as resolve } from 'node:dns/promises';
import type { LookupFunction } from 'node:net';
import type { buildConnector, Dispatcher } from 'undici';
import { admit, type AddressPolicy, type Lookup, type Resolved } from './address.ts';
import { openDispatchers } from './dispatchers.ts';

/** A connection that the address guard did not let happen; the message is the reason. */
export class Refused extends Error {}

/** Every address of a name, as this machine resolves it. */
export const systemLookup: Lookup = (hostname) => resolve(hostname, { all: true });

export interface ConnectOptions {
  policy: AddressPolicy;
  lookup: Lookup;
  /** Seconds for a connection to come about. */
  timeout: number;
  /** `HTTPS_PROXY`, `HTTP_PROXY` and `NO_PROXY`, in capitals or not. */
  environment: NodeJS.ProcessEnv;
}

export interface Connections {
  /** What an address is asked with. Throws Refused where a proxy would be asked for one that may not be reached, a KbError (`setup`) where it can't be asked. */
  for(url: URL): Promise<Dispatcher>;
  close(): Promise<void>;
}

/** Tells the socket the addresses that were checked, whatever the name has come to mean since. */
export const pinned =
  (addresses: readonly Resolved[]): LookupFunction =>
  (_hostname, options, callback) => {
    const [first] = addresses;
    if (options.all) callback(null, [...addresses]);
    else callback(null, first!.address, first!.family);
  };

/** Opens connections to checked addresses alone; the proxy of the environment is the operator's own and exempt. */
export async function openConnections({ policy, lookup, timeout, environment }: ConnectOptions): Promise<Connections> {
  const undici = await import('undici');
  const connect: buildConnector.connector = (options, callback) => {
    const url = new URL(`${options.protocol}//${options.host ?? options.hostname}`);
    admit(url, policy, lookup).then(
      (admission) => {
        if ('refused' in admission) return callback(new Refused(admission.refused), null);
        undici.buildConnector({ timeout: timeout * 1000, lookup: pinned(admission.addresses) })(options, callback);
      },
      (error: Error) => callback(error, null),
    );
  };
  const dispatchers = await openDispatchers(environment, { connect, connectTimeout: timeout * 1000 });
  return {
    async for(url) {
      const { dispatcher, isProxied } = dispatchers.for(url);
      if (isProxied) await checkForProxy(url, policy, lookup);
      return dispatcher;
    },
    close: dispatchers.close,
  };
}

/** The proxy resolves the name itself, often one that this machine cannot; what can be resolved here is checked here. */
async function checkForProxy(url: URL, policy: AddressPolicy, lookup: Lookup): Promise<void> {
  const admission = await admit(url, policy, (hostname) => lookup(hostname).catch(() => []));
  if ('refused' in admission) throw new Refused(admission.refused);
}
