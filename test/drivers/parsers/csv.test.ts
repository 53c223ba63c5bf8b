import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { placeOf, read } from './read.ts';

const table = '| part | price | note |\n| --- | --- | --- |\n| Pump | 49,90 | large; blue |\n| Seal | 1,20 | round |';

describe('CSV', () => {
  it.each([
    ['semicolons', 'part;price;note\nPump;49,90;"large; blue"\nSeal;1,20;round\n'],
    ['tabs', 'part\tprice\tnote\nPump\t49,90\tlarge; blue\nSeal\t1,20\tround\n'],
    ['bars', 'part|price|note\nPump|49,90|large; blue\nSeal|1,20|round\n'],
    ['commas, quotes and Windows line ends', '\ufeffpart,price,note\r\nPump,"49,90",large; blue\r\nSeal,"1,20",round\r\n'],
  ])('with %s becomes a table with its header', async (_name, content) => {
    expect((await read('csv', content)).text).toBe(table);
  });

  it('keeps a record on one line, whatever is in its fields', async () => {
    const { text } = await read('csv', 'id,note\n1,"two\nlines"\n2,a | b\n');
    expect(text.split('\n').slice(2)).toEqual(['| 1 | two lines |', '| 2 | a \\| b |']);
  });

  it('counts its records, blank ones too', async () => {
    const parsed = await read('csv', 'id,note\n1,one\n\n\n2,"two\nlines"\n3,three\n');
    expect(parsed.marks).toEqual([
      { at: 0, row: 1 },
      { at: parsed.text.indexOf('| 2 |'), row: 5 },
    ]);
    expect(placeOf(parsed, 'three')?.row).toBe(5);
  });

  it('has a header as wide as its widest record, and does not fill up the others', async () => {
    const { text } = await read('csv', 'a,b\n1,2,3,4\n5\n');
    expect(text).toBe('| a | b |  |  |\n| --- | --- | --- | --- |\n| 1 | 2 | 3 | 4 |\n| 5 |');
  });

  it('has every field in its table', async () => {
    const field = fc.stringMatching(/^[a-z]{1,8}$/);
    await fc.assert(
      fc.asyncProperty(fc.array(fc.array(field, { minLength: 3, maxLength: 3 }), { minLength: 2, maxLength: 30 }), async (records) => {
        const { text } = await read('csv', records.map((fields) => fields.map((value) => `"${value}"`).join(';')).join('\n'));
        const rows = text.split('\n').filter((_, index) => index !== 1);
        expect(rows).toEqual(records.map((fields) => `| ${fields.join(' | ')} |`));
      }),
    );
  });
});
