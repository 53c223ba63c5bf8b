import { expect, it } from 'vitest';
import type { Layer } from '../../src/core/settings.ts';
import { engineIn, result, WORDS } from '../support/engine.ts';
import { folder } from '../support/folder.ts';
import { openS3, withS3 } from '../support/s3-server.ts';

withS3('kb doctor of a store on S3', () => {
  const storeWith = async (storage: Layer) => {
    const { checks } = await result(engineIn(folder(), { ...WORDS, storage }), 'doctor', {});
    return checks.find(({ name }) => name === 'store')!;
  };

  it('reports the bucket, and whether it may be written', async () => {
    const { url, writer, reader } = await openS3();
    const where = `lancedb at ${url}: 0 collections; ${writer.endpoint}, region us-east-1; a request takes`;
    expect(await storeWith({ url, options: writer })).toEqual({
      name: 'store',
      status: 'ok',
      message: expect.stringMatching(new RegExp(`^${where} \\d+ ms; it may be written$`)),
    });
    expect(await storeWith({ url, options: reader })).toEqual({
      name: 'store',
      status: 'ok',
      message: expect.stringMatching(new RegExp(`^${where} \\d+ ms; it may be read, but not written$`)),
    });
  });

  it('reports why the bucket cannot be used, and how to fix that', async () => {
    const { url, writer } = await openS3();
    const wrong: [Layer, RegExp][] = [
      [
        { url, options: { ...writer, secret_access_key: 'wrong' } },
        /the secret does not belong to the access key\. .*AWS_SECRET_ACCESS_KEY/,
      ],
      [{ url: 's3://missing/kb', options: writer }, /there is no such bucket\. .*storage\.url/],
    ];
    for (const [storage, problem] of wrong)
      expect(await storeWith(storage)).toEqual({ name: 'store', status: 'failed', message: expect.stringMatching(problem) });
  });
});
