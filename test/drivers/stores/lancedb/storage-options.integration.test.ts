import { createServer } from 'node:http';
import { expect, it, onTestFinished } from 'vitest';
import { openLanceDb } from '../../../../src/drivers/stores/lancedb/lancedb.ts';
import { listening } from '../../../support/listening.ts';

const EMPTY =
  '<?xml version="1.0" encoding="UTF-8"?><ListBucketResult xmlns="http://s3.amazonaws.com/doc/2006-03-01/"><Name>bucket</Name><Prefix></Prefix><KeyCount>0</KeyCount><MaxKeys>1000</MaxKeys><IsTruncated>false</IsTruncated></ListBucketResult>';

it('connects to a store in a bucket with the options', async () => {
  const requests: string[] = [];
  const bucket = createServer(({ url }, response) => {
    requests.push(url!);
    response.writeHead(200, { 'content-type': 'application/xml' }).end(EMPTY);
  });
  const { url: endpoint, close } = await listening(bucket);
  onTestFinished(close);
  const options = { endpoint, region: 'eu-west-1', allow_http: true, aws_skip_signature: true };
  const store = await openLanceDb({ url: 's3://bucket/kb', options });
  onTestFinished(() => store.close());
  expect(await store.collections()).toEqual([]);
  expect(requests.every((url) => url.startsWith('/bucket?'))).toBe(true);
  expect(requests.length).toBeGreaterThan(0);
});

it('names an unknown option of a store', async () => {
  for (const value of [{ a: 1 }, ['x'], null])
    await expect(openLanceDb({ url: 's3://bucket/kb', options: { region: value } })).rejects.toMatchObject({
      code: 'configuration',
      message: 'storage.options.region is no text, number, true or false.',
    });
});
