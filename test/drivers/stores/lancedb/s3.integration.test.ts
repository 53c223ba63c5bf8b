import { expect, it, onTestFinished, vi } from 'vitest';
import { openLanceDb } from '../../../../src/drivers/stores/lancedb/lancedb.ts';
import { openS3, withS3, type S3Server } from '../../../support/s3-server.ts';
import { chunk, testStore } from '../../../support/store-contract.ts';

const INFO = { name: 'manuals', provider: 'test', model: 'axes', dimensions: 3 };

/** Opens the store as one more machine would. */
async function machine({ url, writer }: S3Server, options: Record<string, unknown> = writer) {
  const store = await openLanceDb({ url, options });
  onTestFinished(() => store.close());
  return store;
}

withS3('a LanceDB store on S3', () => {
  testStore('lancedb on s3', async () => {
    const { url, writer } = await openS3();
    return await openLanceDb({ url, options: writer });
  });

  it('commits only with conditional puts', async () => {
    const s3 = await openS3();
    const collection = await (await machine(s3)).create(INFO);
    await collection.upsert([chunk('1')]);
    await collection.delete({ ids: ['1'] });
    const commits = s3.counted().filter(({ method, url }) => method === 'PUT' && url.endsWith('.manifest'));
    expect(commits.length).toBeGreaterThan(4);
    expect(commits.map(({ headers }) => headers['if-none-match'])).toEqual(commits.map(() => '*'));
  });

  it('shows new rows to readers, and checks for them at most twice a second', async () => {
    const s3 = await openS3();
    const writing = await (await machine(s3)).create(INFO);
    await writing.upsert([chunk('1', { text: 'the pump' })]);
    await writing.optimize({ whole: true });
    const reading = (await (await machine(s3, s3.reader)).open('manuals'))!;
    const found = async () => (await reading.search({ text: 'pump', limit: 10 })).map((hit) => hit.chunk.id).toSorted();
    expect(await found()).toEqual(['1']);
    await writing.upsert([chunk('2', { text: 'another pump' })]);
    await vi.waitFor(async () => expect(await found()).toEqual(['1', '2']), { timeout: 10_000 });
    await found();
    s3.counted();
    const began = performance.now();
    for (let i = 0; i < 20; i++) await found();
    const looks = s3.counted().filter(({ url }) => url.includes('list-type=2'));
    expect(looks.length).toBeLessThanOrEqual(2 + Math.ceil((performance.now() - began) / 500));
  });

  it('sees at once what another machine wrote before the lock was taken', async () => {
    const s3 = await openS3();
    const [first, second] = [await machine(s3), await machine(s3)];
    const collection = await first.create(INFO);
    const other = (await second.open('manuals'))!;
    for (let i = 0; i < 5; i++) {
      await collection.upsert([chunk(`${i}`)]);
      const release = await second.lock('manuals');
      expect(await other.count()).toBe(i + 1);
      await release();
    }
  });
});

withS3('a store on S3 that cannot be used', () => {
  const failing = async ({ url }: S3Server, options: Record<string, unknown>) => {
    const store = await openLanceDb({ url, options });
    onTestFinished(() => store.close());
    await store.collections();
    await store.create(INFO);
  };

  it.each([
    ['the key is unknown', { access_key_id: 'AKIAUNKNOWN' }, 'the access key is unknown'],
    ['the secret is wrong', { secret_access_key: 'wrong' }, 'the secret does not belong to the access key'],
    ['nothing listens at the endpoint', { endpoint: 'http://127.0.0.1:9' }, "the endpoint can't be reached"],
    ['its endpoint has no name', { endpoint: 'http://nowhere.invalid' }, "the endpoint can't be reached"],
    ['TLS is asked for where there is none', { allow_http: false }, 'its endpoint is no https:// address'],
  ])('reports that %s', async (_, wrong, problem) => {
    const s3 = await openS3();
    await expect(failing(s3, { ...s3.writer, ...wrong })).rejects.toMatchObject({
      message: `The store ${s3.url} can't be used: ${problem}.`,
      hint: expect.stringMatching(/./),
    });
  });

  it('fails with one request if the key is refused, and names its variable', async () => {
    const s3 = await openS3();
    const options = { ...s3.writer, client_max_retries: 3, secret_access_key: 'wrong' };
    await expect(failing(s3, options)).rejects.toMatchObject({
      code: 'configuration',
      isRetryable: false,
      hint: expect.stringMatching(/^Set AWS_SECRET_ACCESS_KEY to the secret of the key in AWS_ACCESS_KEY_ID/),
    });
    expect(s3.counted()).toHaveLength(1);
  });

  it('reports a missing bucket', async () => {
    const s3 = await openS3();
    await expect(failing({ ...s3, url: 's3://other/kb' }, s3.writer)).rejects.toMatchObject({
      code: 'configuration',
      message: "The store s3://other/kb can't be used: there is no such bucket.",
    });
  });

  it('reports a read-only bucket', async () => {
    const s3 = await openS3();
    await expect(failing(s3, s3.reader)).rejects.toMatchObject({
      code: 'configuration',
      message: `The store ${s3.url} can't be used: access was denied.`,
    });
  });
});
