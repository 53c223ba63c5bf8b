import { expect, it } from 'vitest';
import { lineKind } from '../../src/markdown/lines.ts';

it.each([
  ['- - -', 'rule'],
  ['* *\t*', 'rule'],
  ['__', 'text'],
  ['* * a', 'item'],
  ['--', 'underline'],
  ['|-|', 'separator'],
  ['| :-- | --: |', 'separator'],
  [': - | -', 'text'],
  ['|', 'text'],
  ['|-', 'separator'],
  ['| a | b |', 'text'],
])('the kind of %j is %s', (line, kind) => {
  expect(lineKind(line)).toBe(kind);
});

it('reads lines of megabytes', () => {
  expect(['- ', '* ', '| - ', '|:-', '_'].map((cell) => lineKind(cell.repeat(3_000_000)))).toEqual([
    'rule',
    'rule',
    'separator',
    'separator',
    'rule',
  ]);
});
