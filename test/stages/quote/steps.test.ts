import { expect, test } from 'vitest';
import { grow, passageOf } from '../../../src/stages/quote/passages.ts';
import { quoteBlocks } from '../../../src/stages/quote/quote-blocks.ts';
import { sentencesOf } from '../../../src/stages/quote/quote-sentences.ts';

const steps = ['Remove the cartridge.', 'Dissolve the powder.', 'Choose Care and descale.', 'Rinse.'];
const text = `# Descaling\n\n${steps.map((step, i) => `${i + 1}. ${step}`).join('\n')}\n\nIt is done.`;
const blocks = quoteBlocks({ citation: 1, title: 'Descaling', text, score: 1 }, 0);
const grown = (room: number) => grow(blocks, blocks[2]!, { room, worth: () => 1 }).map(({ plain }) => plain.slice(0, 2));

test('steps are quoted from the first, where there is room for it', () => {
  expect(grown(16)).toEqual(['1.', '2.', '3.']);
});

test('without the room they are quoted from the best', () => {
  expect(grown(11)[0]).not.toBe('1.');
});

test('a sentence that goes on in code is quoted with it, or not at all', () => {
  const code = `Each request has a worker of its own.\n\nSuppose the server has the address a.example; then\n\n\`\`\`\n${'ProxyPass '.repeat(9)}\n\`\`\``;
  const read = quoteBlocks({ citation: 1, title: 'Workers', text: code, score: 1 }, 0);
  const kinds = (room: number) => grow(read, read[0]!, { room, worth: () => 1 }).map(({ kind }) => kind);
  expect(kinds(20)).toEqual(['paragraph']);
  expect(kinds(60)).toEqual(['paragraph', 'paragraph', 'code']);
});

test('what a paragraph introduces is quoted with it, or the part of it that fits', () => {
  const code = `Set the variables in the shell:\n\n\`\`\`\n${'export A=1\n'.repeat(40)}\`\`\``;
  const read = quoteBlocks({ citation: 1, title: 'Settings', text: code, score: 1 }, 0);
  const passage = passageOf(grow(read, read[0]!, { room: 30, worth: () => 1 }), { all: read, room: 30, wanted: new Set() });
  expect(passage.text).toMatch(/^Set the variables in the shell:\n\n```\nexport A=1\n[^]*\n```\n\n…$/);
  expect(passage.isOpen).toBe(true);
});

test('a question is no sentence without what the text says to it', () => {
  expect(sentencesOf('Is it worth it? Usually not. It costs 9 euros.')).toEqual(['Is it worth it? Usually not.', 'It costs 9 euros.']);
});
