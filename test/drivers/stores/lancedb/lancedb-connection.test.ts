import { BUCKET_VARIABLES } from '../../../../src/drivers/stores/lancedb/bucket-variables.ts';
import { describe, expect, it, afterEach, vi } from 'vitest';
import { connectTo, readStoreLocation, folderOf } from '../../../../src/drivers/stores/lancedb/lancedb-connection.ts';

describe.runIf(process.platform === 'linux')('a store where no folder can be made', () => {
  it('fails at once', async () => {
    await expect(connectTo(readStoreLocation('/proc/kb/deep/store'), { create: true })).rejects.toMatchObject({
      code: 'configuration',
      message: expect.stringContaining('/proc/kb'),
    });
  });
});

afterEach(() => void vi.unstubAllEnvs());

describe('folderOf', () => {
  it('distinguishes a path from an address', () => {
    expect(
      ['.kb/lancedb', '/data/kb', 'C:\\kb', 'file:///data/my%20kb', 's3://bucket/kb', 'gs://bucket', 'az://kb', 'memory://'].map(folderOf),
    ).toEqual(['.kb/lancedb', '/data/kb', 'C:\\kb', '/data/my kb', undefined, undefined, undefined, undefined]);
  });
});

describe('readStorePlace', () => {
  it("does not pass kb's own options to LanceDB", () => {
    const own = { index_cache_mb: 1, metadata_cache_mb: '2', read_interval: 3 };
    expect(readStoreLocation('s3://bucket/kb', { ...own, region: 'eu-west-1' })).toEqual({
      url: 's3://bucket/kb',
      storageOptions: { region: 'eu-west-1' },
      cache: { index: 2 ** 20, metadata: 2 * 2 ** 20 },
      readInterval: 3,
    });
  });

  it('checks for writes of others with each read of a folder, and twice a second for a bucket', () => {
    expect([readStoreLocation('/data/kb').readInterval, readStoreLocation('gs://bucket/kb').readInterval]).toEqual([0, 0.5]);
  });

  it('allows an endpoint without TLS', () => {
    vi.stubEnv('AWS_ENDPOINT_URL', undefined);
    vi.stubEnv('AWS_ENDPOINT', undefined);
    const allowed = (options: Record<string, unknown>) => readStoreLocation('s3://bucket/kb', options).storageOptions['allow_http'];
    expect([allowed({}), allowed({ endpoint: 'https://s3.test' }), allowed({ endpoint: 'http://s3.test' })]).toEqual([
      undefined,
      undefined,
      'true',
    ]);
    expect(allowed({ endpoint: 'http://s3.test', allow_http: false })).toBe('false');
    vi.stubEnv('AWS_ENDPOINT_URL', 'http://127.0.0.1:9000');
    expect(allowed({})).toBe('true');
  });

  it('passes on the variables of .env, which LanceDB cannot see, unless an option or the process sets the same', () => {
    for (const name of BUCKET_VARIABLES) vi.stubEnv(name, undefined);
    vi.stubEnv('AWS_SESSION_TOKEN', 'of the process');
    const keys = { AWS_ACCESS_KEY_ID: 'id', AWS_SECRET_ACCESS_KEY: 's', AWS_SESSION_TOKEN: 't', AWS_DEFAULT_REGION: 'eu-west-1' };
    const environment = { ...keys, AWS_ENDPOINT_URL: 'http://s3.test', NODE_OPTIONS: 'x', AWS_CONFIG_FILE: 'x' };
    const passed = (options: Record<string, unknown>) => readStoreLocation('s3://bucket/kb', options, environment).storageOptions;
    const expected = { aws_access_key_id: 'id', aws_secret_access_key: 's', aws_default_region: 'eu-west-1' };
    expect(passed({})).toEqual({ ...expected, aws_endpoint_url: 'http://s3.test', allow_http: 'true' });
    const { aws_default_region: _region, ...credentials } = expected;
    const configured = { region: 'us-east-1', endpoint: 'https://s3.other' };
    expect(passed(configured)).toEqual({ ...credentials, ...configured });
    vi.unstubAllEnvs();
  });

  it.each([
    ['index_cache_mb', 0],
    ['metadata_cache_mb', 'much'],
    ['read_interval', -1],
  ])('refuses %s: %s', (name, value) => {
    expect(() => readStoreLocation('/data/kb', { [name]: value })).toThrow(`storage.options.${name} must be a number`);
  });
});
