import { expect, it } from 'vitest';
import { RETRY_LIMITS, openServer } from '../../../../src/drivers/stores/qdrant/qdrant-connection.ts';

it("uses the client's own connections without connection options, with the configured timeout", async () => {
  const ask = openServer({
    url: 'http://127.0.0.1:1',
    key: undefined,
    parameters: { reads: {}, writes: {}, searches: {}, withCollectionOptions: (given) => given },
    dispatcher: async () => undefined,
    retryLimits: RETRY_LIMITS,
  });
  // the client puts these over its own settings, so an undefined value would replace its connections
  const init = await ask(async (_, given) => ({ data: { result: Object.keys(given) } }));
  expect(init.toSorted()).toEqual(['redirect', 'signal']);
});
