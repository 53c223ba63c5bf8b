import { expect, test } from 'vitest';
import { withoutTablePadding } from '../../../../src/drivers/parsers/light-markup/padded-tables.ts';

const wide = (flag: string, text: string) => `| ${flag.padStart(16)} | ${text.padEnd(400)} |`;
const padded = `Flags:\n\n${wide('Flag', 'Arguments')}\n|${'-'.repeat(17)}:|${'-'.repeat(402)}|\n${wide('`--auth`', 'a pair  of words')}\n\nMore   text.\n`;

test('removes the padding of a wide table, line by line', () => {
  expect(withoutTablePadding(padded)).toBe('Flags:\n\n| Flag | Arguments |\n|---:|---|\n| `--auth` | a pair  of words |\n\nMore   text.\n');
});

test('leaves tables of an ordinary width, code and text as they are', () => {
  const plain = `| a     | b ${' '.repeat(30)}|\n| ----- | ----- |\n| 1     | 2     |\n\n~~~\n| x ${' '.repeat(300)}|\n|---|\n~~~\n\n${'-'.repeat(60)}\n`;
  expect(withoutTablePadding(plain)).toBe(plain);
});
