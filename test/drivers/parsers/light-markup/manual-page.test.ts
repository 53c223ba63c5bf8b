import { describe, expect, it } from 'vitest';
import { placeOf, read } from '../read.ts';

const page = `GROW(1)                       Garden Manual                       GROW(1)

NAME
       grow - plant, and water plants

OPTIONS
   Where to plant
       --bed=NAME
\t      Plant  in  this  bed. See --pot for plants that are kept in\u2010
\t      doors.

\t      Example:
\t       grow --bed=south

       -p, --pot <size>
              Plant in a pot of so many litres.

EXIT CODES
       1      No seed.

       28     The bed is full, and  nothing was planted there, not even the
              smallest seed.

       water_left  Litres in the can.

       # is a comment.

Garden 2.1                      May 2026                          GROW(1)
`;

describe('a printed manual page', () => {
  it('is read with headings, and each option above what defines it', async () => {
    const { text, title } = await read('text', page);
    expect(title).toBe('grow(1)');
    expect(text.replace(/\n{3,}/g, '\n\n').trim()).toBe(`## NAME
grow - plant, and water plants

## OPTIONS
### Where to plant
\`--bed=NAME\`

Plant in this bed. See --pot for plants that are kept indoors.

Example:
grow --bed=south

\`-p, --pot <size>\`

Plant in a pot of so many litres.

## EXIT CODES
\`1\`

No seed.

\`28\`

The bed is full, and nothing was planted there, not even the
smallest seed.

\`water_left\`

Litres in the can.

\\# is a comment.`);
  });

  it('keeps the line of each paragraph', async () => {
    const parsed = await read('text', page);
    const lineOf = (words: string) => {
      const { at, line } = placeOf(parsed, words)!;
      return line! + parsed.text.slice(at, parsed.text.indexOf(words)).split('\n').length - 1;
    };
    for (const words of [
      'grow - plant',
      'Plant in this',
      'grow --bed',
      '-p, --pot',
      'in a pot',
      'No seed',
      'smallest',
      'Litres',
      'comment',
    ])
      expect(page.split('\n')[lineOf(words) - 1]!.replace(/\s+/g, ' ')).toContain(words);
  });

  it('is told by its head: other texts are kept as they are', async () => {
    const notes = 'NAME\n       grow - a program\n\nSEE ALSO\n       water(1)\n';
    expect((await read('text', notes)).text).toBe(notes);
  });
});
