import type { Agent, Dispatcher } from 'undici';
import { proxiesIn, proxyFor } from './proxies.ts';

/** What addresses are asked with: directly, or through the proxy of the environment that is for them. */
export interface Dispatchers {
  /** Throws a KbError (`setup`) where the environment names no proxy that can be asked. */
  for(url: URL): { dispatcher: Dispatcher; isProxied: boolean };
  close(): Promise<void>;
}

/** Connects nothing until something is asked for. `connect` is the way of direct connections: a proxy is the operator's own, and is asked as it is. */
export async function openDispatchers(environment: NodeJS.ProcessEnv, { connect, ...options }: Agent.Options): Promise<Dispatchers> {
  const undici = await import('undici');
  const proxies = proxiesIn(environment);
  const direct = new undici.Agent({ ...options, ...(connect ? { connect } : {}) });
  const opened = new Map<string, Dispatcher>();
  const through = ({ href }: URL): Dispatcher => {
    const dispatcher = opened.get(href) ?? new undici.ProxyAgent({ ...options, uri: href });
    opened.set(href, dispatcher);
    return dispatcher;
  };
  return {
    for(url) {
      const proxy = proxyFor(url, proxies);
      return proxy ? { dispatcher: through(proxy), isProxied: true } : { dispatcher: direct, isProxied: false };
    },
    close: async () => void (await Promise.all([direct, ...opened.values()].map((dispatcher) => dispatcher.destroy()))),
  };
}
