import { describe, expect, it } from 'vitest';
import { restructuredTextParser, restructuredToMarkdown } from '../../src/markup/restructured-text.ts';
import { linearly } from '../support/linear-time.ts';

const filled = async (source: string): Promise<string[]> => (await restructuredToMarkdown(source)).text.split('\n').filter(Boolean);

/** The numbers of the lines in the file that each filled line of the text was made from. */
async function located(source: string): Promise<[string, number][]> {
  const { text, marks } = await restructuredToMarkdown(source);
  let at = 0;
  return text.split('\n').flatMap((line): [string, number][] => {
    const mark = marks.findLast((one) => one.at <= at)!;
    const number = mark.line! + text.slice(mark.at, at).split('\n').length - 1;
    at += line.length + 1;
    return line === '' ? [] : [[line, number]];
  });
}

describe('grid tables of reStructuredText', () => {
  it('become tables, with the lines of each cell joined', async () => {
    const source = `Ports of the pump:

+---------+--------+
| Stage   | Port   |
+=========+========+
| Inlet   | \`\`A|1\`\`|
|         | or B   |
+---------+--------+
| Outlet  |        |
+---------+--------+

Close both.`;
    expect(await located(source)).toEqual([
      ['Ports of the pump:', 1],
      ['| Stage | Port |', 4],
      ['| --- | --- |', 4],
      ['| Inlet | `A\\|1` or B |', 6],
      ['| Outlet |  |', 9],
      ['Close both.', 12],
    ]);
  });

  it('may lack a header, be indented, and contain wide characters', async () => {
    const source = '- Item\n\n  +------+-----+\n  | 漢字 | 1   |\n  +------+-----+\n  | b    | 2   |\n  +------+-----+\n';
    expect(await filled(source)).toEqual(['- Item', '|  |  |', '| --- | --- |', '| 漢字 | 1 |', '| b | 2 |']);
  });

  it('repeat cells that span rows, and keep cells that span columns in the first', async () => {
    const source = `+------------+------------+-----------+
| Valve      | State      | Note      |
+============+============+===========+
| main       | open | or closed       |
+------------+------------+-----------+
| bypass     | Cells may  | - one     |
+------------+ span rows. | - two     |
| drain      |            |           |
+------------+------------+-----------+
`;
    expect(await filled(source)).toEqual([
      '| Valve | State | Note |',
      '| --- | --- | --- |',
      '| main | open \\| or closed |  |',
      '| bypass | Cells may span rows. | - one - two |',
      '| drain | Cells may span rows. | - one - two |',
    ]);
  });

  it('get one header from several header rows', async () => {
    const source = '+---+-------+\n| A | B     |\n|   +---+---+\n|   | x | y |\n+===+===+===+\n| 1 | 2 | 3 |\n+---+---+---+\n';
    expect(await filled(source)).toEqual(['| A | B x | y |', '| --- | --- | --- |', '| 1 | 2 | 3 |']);
  });

  it('stay unchanged if lines are too long', async () => {
    const source = '+---+---+\n| a | b |\n| too long | c |\n+---+---+\n\nEnd.';
    expect(await filled(source)).toEqual(['+---+---+', '| a | b |', '| too long | c |', '+---+---+', 'End.']);
    expect(await filled('+---+---+\n no table')).toEqual(['+---+---+', ' no table']);
  });
});

describe('simple tables of reStructuredText', () => {
  it('become tables, with continued lines below an empty first column', async () => {
    const source = `Codes
=====

====  =========  ==========
Code  Meaning    Do
====  =========  ==========
E1    no water   open the
                 inlet, then wait

E2    too hot    –
\\     far        stop
====  =========  ==========

End.`;
    expect(await located(source)).toEqual([
      ['# Codes', 1],
      ['| Code | Meaning | Do |', 5],
      ['| --- | --- | --- |', 5],
      ['| E1 | no water | open the inlet, then wait |', 7],
      ['| E2 | too hot | – |', 10],
      ['|  | far | stop |', 11],
      ['End.', 14],
    ]);
  });

  it('may lack a header, and have hyphens as cells and cells that span columns', async () => {
    expect(await filled('===  ===\n1    2\n-    -\nlengthy x\n===  ===')).toEqual([
      '|  |  |',
      '| --- | --- |',
      '| 1 | 2 |',
      '| - | - |',
      '| lengthy x |  |',
    ]);
    const source = `=====  =====  ======
   Inputs     Output
------------  ------
  A      B    A or B
=====  =====  ======
no     no     no
yes    no     yes
=====  =====  ======`;
    expect(await filled(source)).toEqual([
      '| Inputs A | B | Output A or B |',
      '| --- | --- | --- |',
      '| no | no | no |',
      '| yes | no | yes |',
    ]);
  });

  it('stay text if they are never closed', async () => {
    expect(await filled('===  ===\na    b\n\nText.')).toEqual(['===  ===', 'a    b', 'Text.']);
  });
});

describe('directives of tables in reStructuredText', () => {
  it('get their title above the table', async () => {
    const source = '.. table:: Limits of ``kb``\n   :widths: auto\n\n   ===  ===\n   a    b\n   ===  ===\n   1    2\n   ===  ===\n\nEnd.';
    expect(await filled(source)).toEqual(['**Limits of `kb`**', '| a | b |', '| --- | --- |', '| 1 | 2 |', 'End.']);
  });

  it('read rows that are written as lists', async () => {
    const source = `.. note:: See

   .. list-table:: Frozen
      delights
      :widths: 15 10
      :header-rows: 1

      * - Treat
        - Price
      * - Cone
        - 1.99
          each

          * small
      * -
        - \`x <https://x.example>\`_
      * - alone

End.`;
    expect(await located(source)).toEqual([
      ['**Note:** See', 1],
      ['**Frozen delights**', 3],
      ['| Treat | Price |', 8],
      ['| --- | --- |', 8],
      ['| Cone | 1.99 each * small |', 10],
      ['|  | [x](https://x.example) |', 15],
      ['| alone |', 17],
      ['End.', 19],
    ]);
    expect(await filled('.. list-table:: T\n\n   Not a list.')).toEqual(['**T**', '   Not a list.']);
  });

  it('read rows that are written as CSV', async () => {
    const source = `.. csv-table:: Prices
   :header: "Treat", "Price, net",
            Note
   :widths: 15, 10, 30

   "Cone", 1.99, "says ""yes"", and
   more"
   Bar, 2, a; b

End.`;
    expect(await located(source)).toEqual([
      ['**Prices**', 1],
      ['| Treat | Price, net | Note |', 6],
      ['| --- | --- | --- |', 6],
      ['| Cone | 1.99 | says "yes", and more |', 6],
      ['| Bar | 2 | a; b |', 8],
      ['End.', 10],
    ]);
    expect(await filled('.. csv-table::\n   :header-rows: 1\n   :delim: ;\n\n   a;b\n   1; 2,5\n')).toEqual([
      '| a | b |',
      '| --- | --- |',
      '| 1 | 2,5 |',
    ]);
    expect(await filled('.. csv-table:: Prices\n   :file: prices.csv\n\nEnd.')).toEqual(['**Prices**', 'End.']);
  });
});

it('keeps all lines of broken tables', async () => {
  const source = '.. csv-table::\n\n   "never, closed\n   word\n\nEnd.';
  expect((await filled(source)).join(' ')).toMatch(/never, closed word.*End\./);
});

it.each([
  ['+', '+'],
  ['|', '|'],
  ['=', '='],
  ['rules', '+---+\n'],
  ['a wide rule', '+-+-'],
  ['borders', '=== ===\n'],
  ['borders of all kinds', '=== ===\na\n== ==\n'],
  ['a wide border', '= '],
  ['hyphens', '- '],
  ['rows of lists', '* - a\n'],
  ['quotes', '"'],
  ['quoted', ',"a'],
])('reads 200 KB of %s in linear time', async (_name, piece) => {
  const begins = ['', '+-+-+\n', '=== ===\n', '.. list-table::\n\n   * - a\n     - ', '.. csv-table::\n\n   '];
  const read = async (size: number) => {
    let length = 0;
    for (const begin of begins) {
      const source = begin + piece.repeat(Math.ceil(size / piece.length));
      const { text } = await restructuredTextParser.parse(Buffer.from(`${source}\n${begin}`), {} as never);
      length += text.length;
    }
    return length;
  };
  expect(await linearly(200_000, read)).toBeGreaterThan(0);
});

it('reads large tables in linear time', async () => {
  const grid = (size: number) => `+---+---+\n${'| a | b |\n+   +---+\n'.repeat(size)}| a | b |\n+---+---+\n`;
  const text = await linearly(20_000, async (size) => (await restructuredToMarkdown(grid(size))).text);
  expect(text.split('\n').filter(Boolean)).toHaveLength(20_003);
});
