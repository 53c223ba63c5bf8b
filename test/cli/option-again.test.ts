import { expect, it } from 'vitest';
import { optionAgain } from '../../src/cli/option-again.ts';

it('what says where and how something was stored is to be typed again, as a shell takes it', () => {
  expect(optionAgain({})).toBe('');
  expect(optionAgain({ collection: 'manuals', docs: ['a.md'], json: true, 'chunk-size': '800' })).toBe(' --collection manuals');
  expect(
    optionAgain({
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
