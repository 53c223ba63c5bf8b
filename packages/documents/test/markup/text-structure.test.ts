import { describe, expect, it } from 'vitest';
import { read, placeOf } from '../support/read.ts';

const german = 'Größe der Dichtung: 12 mm. Prüfen Sie die Maße für die Tür.';

/** `text` in an encoding of one byte a letter. */
const encoded = (text: string, label: string): Uint8Array => {
  const letters = new TextDecoder(label).decode(Uint8Array.from({ length: 256 }, (_, i) => i));
  return Uint8Array.from([...text], (letter) => letters.indexOf(letter));
};
const utf16 = (text: string): Buffer => Buffer.from(text, 'utf16le');

describe('the plain text parser', () => {
  it('keeps text line by line, without carriage returns and NUL bytes', async () => {
    expect(await read('text', 'One.\r\nTwo.\rThree.\0\n')).toEqual({
      text: 'One.\nTwo.\nThree.\n',
      metadata: {},
      marks: [{ at: 0, line: 1 }],
    });
  });

  it.each([
    ['UTF-8', Buffer.from(german)],
    ['UTF-8 with a byte order mark', Buffer.from(`\ufeff${german}`)],
    ['UTF-16 (little end first) with a byte order mark', Buffer.concat([Buffer.from([0xff, 0xfe]), utf16(german)])],
    ['UTF-16 (big end first) with a byte order mark', Buffer.concat([Buffer.from([0xfe, 0xff]), utf16(german).swap16()])],
    ['UTF-16 without a byte order mark', utf16(german)],
    ['windows-1252', encoded(german, 'windows-1252')],
  ])('reads %s', async (_name, bytes) => {
    expect((await read('text', bytes)).text).toBe(german);
  });

  it('reads windows-1251', async () => {
    const russian = 'Фильтр служит шестьдесят литров. Поверните крышку и вставьте новый фильтр.';
    expect((await read('text', encoded(russian, 'windows-1251'))).text).toBe(russian);
  });

  it('reads UTF-16 without Latin letters, in which half of the bytes look like control characters', async () => {
    const russian = 'Фильтр служит шестьдесят литров.';
    const bytes = Buffer.concat([Buffer.from([0xff, 0xfe]), utf16(russian)]);
    expect((await read('text', bytes)).text).toBe(russian);
    expect((await read('html', bytes)).text).toBe(russian);
  });

  it('reads Shift_JIS, even in a short text', async () => {
    const bytes = Buffer.from('96bc914f2c944e97ee0a8db293a191be98592c33300a', 'hex');
    expect((await read('csv', bytes)).text).toContain('| 佐藤太郎 | 30 |');
  });

  it('reads text with a few invalid bytes', async () => {
    const bytes = Buffer.concat([Buffer.from('needle '), Buffer.from([0xff, 0xfe, 0xc0]), Buffer.from(' end')]);
    expect((await read('text', bytes)).text).toMatch(/^needle .* end$/);
  });
});

describe('headings of a plain text', () => {
  it.each([
    [
      'in capitals',
      'PUMP GUIDE\n\nUSE\n\nIt moves\nwater.\n\nSAFETY\n\nNever dry.\n',
      '# PUMP GUIDE\n\n## USE\n\nIt moves\nwater.\n\n## SAFETY\n\nNever dry.\n',
    ],
    ['with numbers', '1. Use\n\nIt moves water.\n\n1.1 Speed\n\nSlow.\n', '## 1. Use\n\nIt moves water.\n\n### 1.1 Speed\n\nSlow.\n'],
    [
      'above, between and inside of rules',
      'Use\n~~~\n\nWater.\n\n====\nPump\n====\n\n*** NOTE ***\n\nDry.\n',
      '## Use\n\n\nWater.\n\n\n# Pump\n\n\n## NOTE\n\nDry.\n',
    ],
    [
      'left of an indented text',
      'Abstract\n\n   It moves water,\n   and stops when\n   there is none.\n\nStatus\n\n   Draft, without\n   warranty.\n',
      '## Abstract\n\n   It moves water,\n   and stops when\n   there is none.\n\n## Status\n\n   Draft, without\n   warranty.\n',
    ],
  ])('are marked in place: %s', async (_name, content, expected) => {
    const { text, marks } = await read('text', content);
    expect(text).toBe(expected);
    expect(marks).toEqual([{ at: 0, line: 1 }]);
  });

  it('provide the title if the first one has level 1', async () => {
    expect((await read('text', 'Pump Guide\n==========\n\nIt moves water.\n')).title).toBe('Pump Guide');
    expect((await read('text', '1. Use\n\nIt moves water.\n\n2. Care\n\nDry it.\n')).title).toBeUndefined();
  });

  it.each([
    ['items of a list', '1. Stop the pump\n\n2. Open the lid\n\n3. Look\n'],
    ['sentences', 'NEVER RUN IT DRY.\n\nIt breaks.\n\n3 Times a day it stops.\n\nIt rests.\n'],
    ['a single shout', 'It moves water.\n\nWARNING\n\nIt is hot.\n'],
    ['lines of a paragraph', 'THE SOFTWARE IS PROVIDED AS IS\nWITHOUT WARRANTY\n\nIt is.\n'],
  ])('do not include %s', async (_name, content) => {
    expect((await read('text', content)).text).toBe(content);
  });
});

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
  it('is read with headings, and each option above its definition', async () => {
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

  it('is recognized by its head, and other texts are kept unchanged', async () => {
    const notes = 'NAME\n       grow - a program\n\nSEE ALSO\n       water(1)\n';
    expect((await read('text', notes)).text).toBe(notes);
  });
});
