import { expect, test } from 'vitest';
import { readQuoteBlocks, readWholeBlocks } from '../../../src/stages/quote/quote-blocks.ts';

test('names the title of a document once if its first heading repeats it', () => {
  const text = '# Rotor\n\nWhat it is for.\n\n## Cleaning\n\nUse a brush.';
  const blocks = [...readQuoteBlocks({ citation: 1, title: 'Rotor › Storing', text, score: 0.5 }, 0)];
  expect(blocks.map(({ path, text: block }) => [path.join(' › '), block])).toEqual([
    ['Rotor', 'What it is for.'],
    ['Rotor › Cleaning', 'Use a brush.'],
  ]);
});

test('puts a later section under the headings above it, by their levels', () => {
  const text =
    '## 3.2 Span check\n\nApply air.\n\n### Limits\n\nAt most 2 %.\n\n# 4 Records\n\nKeep them.\n\n## 4.1 Where\n\nIn the archive.';
  const blocks = [...readQuoteBlocks({ citation: 1, title: 'Rotor › 3 Procedure › 3.2 Span check', text, score: 0.5 }, 0)];
  expect(blocks.map(({ path }) => path.join(' › '))).toEqual([
    'Rotor › 3 Procedure › 3.2 Span check',
    'Rotor › 3 Procedure › 3.2 Span check › Limits',
    'Rotor › 4 Records',
    'Rotor › 4 Records › 4.1 Where',
  ]);
});

const blocksOf = (text: string) => [...readQuoteBlocks({ citation: 1, title: 'Rotor', text, score: 0.5 }, 0)];

test.each([
  ['closed further in', 'Run:\n\n```sh\nrotor a\n\nrotor b\n      ```\n\nThen wait.'],
  ['indented as a whole', 'Run:\n\n   ```sh\n   rotor a\n\n   rotor b\n   ```\n\nThen wait.'],
  ['in a quotation', '> Run:\n> ```sh\n> rotor a\n>\n> rotor b\n> ```\n> Then wait.'],
])('keeps code in one block that is %s', (_name, text) => {
  expect(blocksOf(text).map(({ kind, plain, lines }) => [kind, plain, text.split('\n')[lines[1]]!.replace(/^[>\s]+/, '')])).toEqual([
    ['paragraph', 'Run:', 'Run:'],
    ['code', '```sh\nrotor a\n\nrotor b\n```', '```'],
    ['paragraph', 'Then wait.', 'Then wait.'],
  ]);
});

test('does not take a comment in quoted code, or a quoted heading, for a heading of the page', () => {
  const text = '> ## Note\n> ```sh\n> # as root\n> rotor a\n> ```\n\nThen wait.';
  expect(blocksOf(text).map(({ path, plain }) => [...path, plain])).toEqual([
    ['Rotor', 'Note'],
    ['Rotor', '```sh\n# as root\nrotor a\n```'],
    ['Rotor', 'Then wait.'],
  ]);
});

test('treats indented content after an item as part of it', () => {
  const first = '1. Stop it:\n\n   ```sh\n   rotor stop\n   ```\n\n   It coasts down.';
  const second = '2. Open it.\n\n   > Mind the edge.';
  expect(blocksOf(`${first}\n${second}\n\nThen wait.`).map(({ kind, plain, lines }) => [kind, plain, lines])).toEqual([
    ['item', first, [0, 6]],
    ['item', '2. Open it.\n\n   Mind the edge.', [7, 9]],
    ['paragraph', 'Then wait.', [11, 11]],
  ]);
});

// with the lines counted from the beginning for each block, this would take minutes
test('reads a hundred thousand headings of one passage', () => {
  const text = '# refund policy\n\n'.repeat(100_000);
  expect(readWholeBlocks(text).at(-1)).toMatchObject({ kind: 'heading', line: 199_998 });
});
