import { describe, expect, it } from 'vitest';
import { KbError } from '../../../../src/core/errors.ts';
import { storeError } from '../../../../src/drivers/stores/lancedb/lancedb-errors.ts';

describe('storeError', () => {
  it.each([
    ['No space left on device (os error 28)', 'unavailable', 'full'],
    ['LanceError(IO): Generic LocalFileSystem error: Permission denied (os error 13)', 'configuration', 'permission denied'],
    ['EROFS: read-only file system, mkdir', 'configuration', 'permission denied'],
    ['ENOTDIR: not a directory, mkdir', 'configuration', 'not a folder'],
    [
      'lance error: Invalid input, the vector column is odd, /usr/local/src/lance-core/src/schema.rs:837:36',
      'internal',
      'the vector column is odd',
    ],
  ])('converts "%s" to an error with the problem and the address', (message, code, sentence) => {
    const error = storeError(new Error(message), '/data/kb');
    expect(error).toMatchObject({ code, message: expect.stringContaining('/data/kb') });
    expect(error.message).toContain(sentence);
    expect(error.message).not.toContain('.rs:');
  });

  it('keeps a KbError as it is', () => {
    const error = new KbError('conflict', 'There is one already.');
    expect(storeError(error, '/data/kb')).toBe(error);
  });
});

it('reports an unknown failure without the words of the library, with the next step', () => {
  const error = storeError(
    new Error('Failed to get next batch from stream: lance error: Not found: tokens.lance, /build/io.rs:1'),
    '/data/kb',
  );
  expect(error).toMatchObject({
    code: 'internal',
    message: 'The store /data/kb failed: Not found: tokens.lance.',
    hint: expect.stringContaining('kb doctor'),
  });
});
