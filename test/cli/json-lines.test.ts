import { describe, expect, it } from 'vitest';
import { splitLines } from '../../src/cli/json-lines.ts';

const lines = (...pieces: string[]): Promise<string[]> =>
  Array.fromAsync(
    splitLines(
      (async function* () {
        yield* pieces;
      })(),
    ),
  );

describe('lines', () => {
  it('end with a line feed, or CRLF, wherever a piece ends', async () => {
    expect(await lines('on', 'e\r', '\ntwo\n\nfo', 'ur')).toEqual(['one', 'two', '', 'four']);
    expect(await lines('one\n')).toEqual(['one']);
    expect(await lines()).toEqual([]);
  });

  it('keep the line and paragraph separators that JSON may contain', async () => {
    const item = JSON.stringify({ text: 'one\u2028two\u2029three\rfour' });
    expect(await lines(`${item}\n${item}\n`)).toEqual([item, item]);
  });
});
