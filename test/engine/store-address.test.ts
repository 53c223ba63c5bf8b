import { mkdirSync, readdirSync, realpathSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { describe, expect, it } from 'vitest';
import { mergeLayers } from '../../src/core/settings.ts';
import { isOperatorsStore, storeUrl } from '../../src/engine/store-address.ts';
import { Config, DEFAULTS } from '../../src/schema/config.ts';
import { engineIn, result, WORDS } from '../support/engine.ts';
import { folder } from '../support/folder.ts';

describe('the address of a store', () => {
  it('is the same for a folder and its links', () => {
    const home = realpathSync(folder());
    mkdirSync(join(home, 'store'));
    symlinkSync(join(home, 'store'), join(home, 'link'));
    const at = (url: string) => storeUrl({ vector_db: 'lancedb', url }, home);
    for (const url of ['store', './store/', 'link', 'link/../store', join(home, 'link'), pathToFileURL(join(home, 'link')).href])
      expect([url, at(url)]).toEqual([url, join(home, 'store')]);
    expect([at('link/new/one/'), at('absent')]).toEqual([join(home, 'store/new/one'), join(home, 'absent')]);
    expect(storeUrl({ vector_db: 'lancedb' }, home)).toBe(join(home, '.kb/lancedb'));
  });

  it('is normalized for a remote store', () => {
    const at = (url: string) => storeUrl({ vector_db: 'lancedb', url }, '/home');
    expect(['s3://Bucket/kb', 'S3://Bucket/kb/', 'memory://'].map(at)).toEqual(['s3://Bucket/kb', 's3://Bucket/kb', 'memory://']);
    expect(storeUrl({ vector_db: 'qdrant', url: 'http://localhost' }, '/home')).toBe(storeUrl({ vector_db: 'qdrant' }, '/home'));
  });

  const windowsPaths = ['\\\\host\\share', 'base\\x', 'C:\\kb', 'C:/kb'];
  const fileAddresses = ['file:/srv/base', 'file:base', 'file:', 'file://host/share', 'file://'];
  const otherAddresses = [
    'mem:',
    'memory:',
    's3:bucket',
    's3:/bucket',
    'gs:bucket/base',
    'az:x',
    'https:',
    'http://127.0.0.1:6333',
    'postgres://a/b',
    'C:base',
    'c:',
  ];
  it.each([...fileAddresses, ...otherAddresses, ...(process.platform === 'win32' ? [] : windowsPaths), '~', '~/base', '~ana/base', ' '])(
    'is refused if it is neither a folder nor object storage: %j',
    async (url) => {
      const home = folder();
      expect(() => storeUrl({ vector_db: 'lancedb', url }, home)).toThrow(/^The address of the store, ".*", (?:begins with|is) .*[.]$/);
      const engine = engineIn(home, mergeLayers(WORDS, { storage: { url } }));
      await expect(result(engine, 'ingest', { markdown: 'Doors are locked.' })).rejects.toMatchObject({ code: 'usage' });
      const copying = result(engineIn(home), 'copy_collection', { name: 'default', to: 'copy', to_url: url });
      await expect(copying).rejects.toMatchObject({ code: expect.stringMatching(/usage|not_found/) });
      expect(readdirSync(home)).toEqual([]);
    },
  );

  it('is a folder if it only has a colon, a space or a tilde in it', () => {
    const home = realpathSync(folder());
    for (const url of ['./mem:', './s3:bucket', 'a~b', 'my base', './~'])
      expect(storeUrl({ vector_db: 'lancedb', url }, home)).toBe(join(home, url));
  });

  it("is the operator's if it is configured or listed, for the same database", () => {
    const home = folder();
    const operators = (settings: object, asked: Parameters<typeof isOperatorsStore>[0]) =>
      isOperatorsStore(asked, { config: Config.parse(mergeLayers(DEFAULTS, { ...settings })), home });
    const cloud = { vector_db: 'qdrant', url: 'https://cloud.example:6333' } as const;
    const near = { vector_db: 'qdrant', url: 'http://localhost:6333' } as const;
    expect([operators({ storage: cloud }, cloud), operators({ storage: cloud }, near)]).toEqual([true, false]);
    expect([operators({}, near), operators({ storage: { vector_db: 'qdrant' } }, near)]).toEqual([false, true]);
    expect(operators({ server: { allowed_store_urls: ['http://127.0.0.1:6333/'] } }, near)).toBe(true);
    expect(operators({}, { vector_db: 'lancedb' })).toBe(true);
    expect(
      operators({ server: { allowed_store_urls: ['http://127.0.0.1:6333/', '~', 's3://kb'] } }, { vector_db: 'lancedb', url: 's3://kb/' }),
    ).toBe(true);
  });
});
