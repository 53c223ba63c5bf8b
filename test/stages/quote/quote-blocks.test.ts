import { expect, test } from 'vitest';
import { quoteBlocks } from '../../../src/stages/quote/quote-blocks.ts';

test('names the title of a document once, where its first heading says the same', () => {
  const text = '# Rotor\n\nWhat it is for.\n\n## Cleaning\n\nUse a brush.';
  const blocks = quoteBlocks({ citation: 1, title: 'Rotor › Storing', text, score: 0.5 }, 0);
  expect(blocks.map(({ path, text: block }) => [path.join(' › '), block])).toEqual([
    ['Rotor', 'What it is for.'],
    ['Rotor › Cleaning', 'Use a brush.'],
  ]);
});
