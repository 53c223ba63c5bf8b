import { expect } from 'vitest';
import { createHttp, type HttpOptions } from '../../src/http/client.ts';
import type { Http } from '../../src/http/message.ts';
import type { KbError } from '../../src/core/errors.ts';
import { DEFAULTS } from '../../src/schema/config.ts';
import type { Network } from '../../src/schema/config-sources.ts';
import { openSite, type Site, type SiteRoute } from '../support/site.ts';

type DoorOptions = Partial<Omit<HttpOptions, 'network'>> & { network?: Partial<Network> };

/** Opens sites and doors, and closes what was opened. A door lets the sites named be private and waits no longer than it must. */
export function doorkeeper() {
  const opened: { close(): Promise<void> }[] = [];
  const site = async (routes: Record<string, SiteRoute>): Promise<Site> => {
    const web = await openSite(routes);
    opened.push(web);
    return web;
  };
  const door = (named: readonly Site[], { network = {}, ...options }: DoorOptions = {}): Http => {
    const http = createHttp({
      network: { ...DEFAULTS.network, ...network } as Network,
      surface: 'cli',
      named: named.map(({ url }) => url),
      environment: {},
      retries: { attempts: 3, firstWait: 0.01, refusals: 2 },
      ...options,
    });
    opened.push(http);
    return http;
  };
  const close = async () => {
    await Promise.all(opened.splice(0).map((thing) => thing.close()));
  };
  return { site, door, opened, close };
}

export const text = ({ bytes }: { bytes: Uint8Array }): string => Buffer.from(bytes).toString();

/** What the work failed with. */
export const failure = (work: Promise<unknown>): Promise<KbError> =>
  work.then(
    () => expect.fail('it succeeded'),
    (error: unknown) => error as KbError,
  );
