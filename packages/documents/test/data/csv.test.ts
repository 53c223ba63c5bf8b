import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { placeOf, read } from '../support/read.ts';

const table = '| part | price | note |\n| --- | --- | --- |\n| Pump | 49,90 | large; blue |\n| Seal | 1,20 | round |';

describe('the CSV parser', () => {
  it.each([
    ['semicolons', 'part;price;note\nPump;49,90;"large; blue"\nSeal;1,20;round\n'],
    ['tabs', 'part\tprice\tnote\nPump\t49,90\tlarge; blue\nSeal\t1,20\tround\n'],
    ['bars', 'part|price|note\nPump|49,90|large; blue\nSeal|1,20|round\n'],
    ['commas, quotes and Windows line ends', '\ufeffpart,price,note\r\nPump,"49,90",large; blue\r\nSeal,"1,20",round\r\n'],
  ])('reads a file with %s as a table with its header', async (_name, content) => {
    expect((await read('csv', content)).text).toBe(table);
  });

  it('writes a record on one line, whatever its fields contain', async () => {
    const { text } = await read('csv', 'id,note\n1,"two\nlines"\n2,a | b\n');
    expect(text.split('\n').slice(2)).toEqual(['| 1 | two lines |', '| 2 | a \\| b |']);
  });

  it('counts blank records, too', async () => {
    const parsed = await read('csv', 'id,note\n1,one\n\n\n2,"two\nlines"\n3,three\n');
    expect(parsed.marks).toEqual([
      { at: 0, row: 1 },
      { at: parsed.text.indexOf('| 2 |'), row: 5 },
    ]);
    expect(placeOf(parsed, 'three')?.row).toBe(5);
  });

  it('makes the header as wide as the widest record, and does not pad the others', async () => {
    const { text } = await read('csv', 'a,b\n1,2,3,4\n5\n');
    expect(text).toBe('| a | b |  |  |\n| --- | --- | --- | --- |\n| 1 | 2 | 3 | 4 |\n| 5 |');
  });

  it.each([
    ['two columns, in UTF-16', Buffer.from('\ufeffname\tsize\nBüro\t12\n', 'utf16le'), 'name | size', 'Büro | 12'],
    ['semicolons and decimal commas in each record', 'name;x\nalpha, beta;1,5\nb, c;1,6\n', 'name | x', 'alpha, beta | 1,5'],
    ['commas, and bars within each field', 'id,tags\n1,a|b\n2,c|d\n3,e|f\n', 'id | tags', '1 | a\\|b'],
    ['the delimiter that it names for Excel', 'sep=;\nid;a,b\n1;c,d\n', 'id | a,b', '1 | c,d'],
    ['a ruled header', ' id | name\n----+------\n 1  | Pump\n 2  | Seal\n', 'id | name', '1 | Pump'],
    ['empty columns at the end', 'a,b,,\n1,2,,\n', 'a | b', '1 | 2'],
    ['one column of sentences', 'note\n"Stop, then go."\nRun\n', 'note', 'Stop, then go.'],
  ])('reads the fields of a file with %s', async (_name, content, header, first) => {
    const lines = (await read('csv', content)).text.split('\n');
    expect([lines[0], lines[2]]).toEqual([`| ${header} |`, `| ${first} |`]);
  });

  it.each([
    ['comments', '# Export of March\n# by Ida, Bob\n\nid,name,price\n1,Pump,49\n', '\\# Export of March\n\n\\# by Ida, Bob'],
    ['a title', 'Monthly report,,\nMarch,,\n,,\nid,name,price\n1,Pump,49\n', 'Monthly report\n\nMarch'],
  ])('writes %s above the header as lines', async (_name, content, lines) => {
    const parsed = await read('csv', content);
    expect(parsed.text).toBe(`${lines}\n\n| id | name | price |\n| --- | --- | --- |\n| 1 | Pump | 49 |`);
    expect([placeOf(parsed, 'March')?.row, placeOf(parsed, '| id')?.row]).toEqual([content.startsWith('#') ? 1 : 2, 4]);
  });

  it('writes an empty header if the columns have no names', async () => {
    const parsed = await read('csv', '2024-01-01,12.5,open\n2024-01-02,13.5,closed\n2024-01-03,1.5,open\n');
    expect(parsed.text.split('\n').slice(0, 3)).toEqual(['|  |  |  |', '| --- | --- | --- |', '| 2024-01-01 | 12.5 | open |']);
    expect(placeOf(parsed, '1.5, open'.replace(', ', ' | '))?.row).toBe(1);
    expect((await read('csv', 'region,2019,2020\nNorth,1,2\nSouth,3,4\n')).text).toMatch(/^\| region \| 2019/);
  });

  it('begins a new table if a record below a blank one names other columns', async () => {
    const { text } = await read('csv', 'a,b\n1,2\n3,4\n\nc,d,e\n5,6,7\n');
    expect(text.split('\n\n').map((part) => part.split('\n')[0])).toEqual(['| a | b |', '| c | d | e |']);
  });

  it('keeps the records after an unclosed quote', async () => {
    const { text } = await read('csv', 'id,text\n1,"two\nlines"\n2,"open\n3,next\n4,last\n');
    expect(text.split('\n').slice(2)).toEqual(['| 1 | two lines |', '| 2 | "open |', '| 3 | next |', '| 4 | last |']);
  });

  it('keeps every field', async () => {
    const field = fc.stringMatching(/^[a-z]{1,8}$/);
    await fc.assert(
      fc.asyncProperty(fc.array(fc.array(field, { minLength: 3, maxLength: 3 }), { minLength: 2, maxLength: 30 }), async (records) => {
        const { text } = await read('csv', records.map((fields) => fields.map((value) => `"${value}"`).join(';')).join('\n'));
        const rows = text.split('\n').filter((_, index) => index !== 1);
        expect(rows).toEqual(records.map((fields) => `| ${fields.join(' | ')} |`));
      }),
    );
  });

  it('writes any number of records into one table', async () => {
    const { text } = await read('csv', `Word,Count\n${'pump,3\n'.repeat(100_000)}`);
    expect(text.split('\n')).toHaveLength(100_002);
  });
});
