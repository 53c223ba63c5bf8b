import { afterEach, expect, test } from 'vitest';
import { extractApi } from '../../../../src/stages/extract/api/api.ts';
import { answering, apis, settings, tickets } from './apis.ts';
import { openDoor } from '../fetching.ts';
import { plainReader } from '../plain-reader.ts';

const { site, close } = apis();
afterEach(close);

test('as many documents and failures come as were told', async () => {
  const web = await site({
    '/list': answering((query) => tickets(Number(query.get('page')) * 2 - 1, Math.min(3, Number(query.get('page')) * 2))),
    '/lines': { headers: { 'content-type': 'application/x-ndjson' }, body: '{"id":1}\n{"id":\n' },
  });
  const input = [{ url: `${web.url}/list`, pagination: { type: 'page' as const, param: 'page' } }, `${web.url}/lines`, `${web.url}/gone`];
  let told = 0;
  let came = 0;
  for await (const item of extractApi(input, { http: openDoor([web]), reader: plainReader(), settings })) {
    if ('expected' in item) told += item.expected;
    if ('candidate' in item || 'error' in item) expect(++came).toBeLessThanOrEqual(told);
  }
  expect([told, came]).toEqual([6, 6]);
});
