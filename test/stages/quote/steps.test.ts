import { expect, test } from 'vitest';
import { grow } from '../../../src/stages/quote/passages.ts';
import { quoteBlocks } from '../../../src/stages/quote/quote-blocks.ts';

const steps = ['Remove the cartridge.', 'Dissolve the powder.', 'Choose Care and descale.', 'Rinse.'];
const text = `# Descaling\n\n${steps.map((step, i) => `${i + 1}. ${step}`).join('\n')}\n\nIt is done.`;
const blocks = quoteBlocks({ citation: 1, title: 'Descaling', text, score: 1 }, 0);
const grown = (room: number) => grow(blocks, blocks[2]!, { room, worth: () => 1 }).map(({ plain }) => plain.slice(0, 2));

test('steps are quoted from the first, where there is room for it', () => {
  expect(grown(14)).toEqual(['1.', '2.', '3.']);
});

test('without the room they are quoted from the best', () => {
  expect(grown(9)[0]).not.toBe('1.');
});
