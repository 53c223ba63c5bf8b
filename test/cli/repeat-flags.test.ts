import { expect, it } from 'vitest';
import { repeatFlags } from '../../src/cli/repeat-flags.ts';

it('what says where and how something was stored is to be typed again, as a shell takes it', () => {
  expect(repeatFlags({})).toBe('');
  expect(repeatFlags({ collection: 'manuals', docs: ['a.md'], json: true, 'chunk-size': '800' })).toBe(' --collection manuals');
  expect(
    repeatFlags({
      config: "my bases/it's.yaml",
      collection: 'words',
      'storage-url': 'http://127.0.0.1:6333',
      'vector-db': 'qdrant',
      'embedding-provider': 'none',
      'embedding-model': 'm',
      set: [
        'storage.options={a: 1}',
        'embedding.batch_size=8',
        'embedding.options.base_url=http://127.0.0.1:1/v1',
        'chunking.chunk_size=9',
      ],
    }),
  ).toBe(
    String.raw` --config 'my bases/it'\''s.yaml' --collection words --vector-db qdrant --storage-url http://127.0.0.1:6333` +
      ' --embedding-provider none --embedding-model m' +
      " --set 'storage.options={a: 1}' --set embedding.options.base_url=http://127.0.0.1:1/v1",
  );
});

it.each([
  [{ set: ['storage.options.password=hunter2'] }, " --set 'storage.options.password=…'"],
  [{ set: ['embedding.options.api_key=abc='] }, " --set 'embedding.options.api_key=…'"],
  [{ set: ['embedding.options.credentials.user=ann'] }, " --set 'embedding.options.credentials.user=…'"],
  [{ set: ['storage.options={tls: {client_secret: hunter2}, a: 1}'] }, " --set 'storage.options=…'"],
  [{ set: ['storage.url=https://ann:hunter2@host.example/x'] }, ' --set storage.url=https://host.example/x'],
  [{ set: ['storage.options={proxy: "http://ann:hunter2@host.example"}'] }, ` --set 'storage.options={proxy: "http://host.example"}'`],
  [{ 'storage-url': 'https://ann:hunter2@host.example/x' }, ' --storage-url https://host.example/x'],
  [{ 'storage-url': 'https://host.example/x?api_key=hunter2&a=1' }, " --storage-url 'https://host.example/x?a=1'"],
  [{ 'storage-url': './what?/base' }, " --storage-url './what?/base'"],
])('credentials are not repeated: %j', (flags, expected) => {
  expect(repeatFlags(flags)).toBe(expected);
});
