import { openDispatchers } from '../base/dispatchers.ts';

/**
 * A `fetch` for one provider, through the proxies of the environment. It follows no redirect, since a key is for the address that it was given for,
 * and has no clock of its own: who asks knows how long an answer may take. It throws what `fetch` throws, and a KbError (`setup`) for a variable that
 * names no proxy.
 */
export function openFetch(environment: NodeJS.ProcessEnv): typeof fetch {
  let opened: Promise<typeof fetch> | undefined;
  return async (input, init) => await (await (opened ??= open(environment)))(input, init);
}

async function open(environment: NodeJS.ProcessEnv): Promise<typeof fetch> {
  const undici = await import('undici');
  const dispatchers = await openDispatchers(environment, { headersTimeout: 0, bodyTimeout: 0 });
  // The types of the package and of Node's own copy of it differ where the things do not.
  const proxied = undici.fetch as unknown as (input: unknown, init: object) => Promise<Response>;
  return async (input, init) => {
    const { dispatcher } = dispatchers.for(new URL(input instanceof Request ? input.url : input));
    return await proxied(input, { ...init, redirect: 'manual', dispatcher });
  };
}
