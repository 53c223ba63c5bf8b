import { expect, test } from 'vitest';
import { growPassage, renderPassage } from '../../../src/stages/quote/passages.ts';
import { readQuoteBlocks } from '../../../src/stages/quote/quote-blocks.ts';
import type { Embedder } from '../../../src/ports/models.ts';
import { openQuoteLlm } from '../../../src/stages/quote/quote-llm.ts';

const steps = ['Remove the cartridge.', 'Dissolve the powder.', 'Choose Care and descale.', 'Rinse.'];
const descaling = `# Descaling\n\n${steps.map((step, i) => `${i + 1}. ${step}`).join('\n')}\n\nIt is done.`;
const blocks = [...readQuoteBlocks({ citation: 1, title: 'Descaling', text: descaling, score: 1 }, 0)];
const grown = (room: number) => growPassage(blocks, blocks[2]!, { room, gainOf: () => 1 }).map(({ plain }) => plain.slice(0, 2));

test('quotes steps from the first one if it fits', () => {
  expect(grown(16)).toEqual(['1.', '2.', '3.']);
});

test('quotes steps from the best one if the first does not fit', () => {
  expect(grown(11)[0]).not.toBe('1.');
});

test('quotes a sentence that continues in code with the code, or not at all', () => {
  const code = `Each request has a worker of its own.\n\nSuppose the server has the address a.example; then\n\n\`\`\`\n${'ProxyPass '.repeat(9)}\n\`\`\``;
  const read = [...readQuoteBlocks({ citation: 1, title: 'Workers', text: code, score: 1 }, 0)];
  const kinds = (room: number) => growPassage(read, read[0]!, { room, gainOf: () => 1 }).map(({ kind }) => kind);
  expect(kinds(20)).toEqual(['paragraph']);
  expect(kinds(60)).toEqual(['paragraph', 'paragraph', 'code']);
});

test('quotes the block that a paragraph introduces with it, or the part that fits', () => {
  const code = `Set the variables in the shell:\n\n\`\`\`\n${'export A=1\n'.repeat(40)}\`\`\``;
  const read = [...readQuoteBlocks({ citation: 1, title: 'Settings', text: code, score: 1 }, 0)];
  const passage = renderPassage(growPassage(read, read[0]!, { room: 30, gainOf: () => 1 }), { all: read, room: 30, wanted: new Set() });
  expect(passage.text).toMatch(/^Set the variables in the shell:\n\n```\nexport A=1\n[^]*\n```\n\n…$/);
  expect(passage.isOpen).toBe(true);
});

const head = `| ${['centre', 'city', 'country', 'name', 'street', 'phone'].map((name) => `${name} of it as painted and kept here`).join(' | ')} |\n|${'---|'.repeat(6)}`;
const rowOf = (city: string, number: number) =>
  `| FR-0${number} | ${city} | France | Atelier ${city} | ${number} rue du Four | 555 ${number} |`;
const sources = [rowOf('Nantes', 6), rowOf('Lille', 8)].map((row, i) => ({
  citation: i + 1,
  title: `Page ${i + 1}`,
  text: `${head}\n${row}`,
  score: 0.3,
}));

/** Finds every text as near to every question, at a cosine of .5. */
const embedder: Embedder = {
  provider: 'test',
  model: 'even',
  dimensions: 2,
  concurrency: 1,
  min_retrieval_score: 0,
  embed: async (texts, { input_type }) => texts.map(() => (input_type === 'query' ? Float32Array.of(1, 0) : Float32Array.of(0.5, 0.866))),
  close: async () => {},
};

async function answerTo(query: string): Promise<string> {
  let answer = '';
  const grounding = { query, question: query, sources };
  for await (const said of openQuoteLlm({ embedder }).generate({ messages: [], grounding, max_tokens: 1024, timeout: 60 })) answer += said;
  return answer;
}

test('quotes equally good rows under their header, and completely', async () => {
  expect(await answerTo('Which city of France?')).toContain(`${head}\n${rowOf('Nantes', 6)}\n\n[1]`);
});

test('accepts the row of the requested word, whatever else the question says', async () => {
  expect(await answerTo('How is the pump of the machine painted, and the FR-06?')).toContain('| FR-06 |');
});

test('marks omitted rows and items before and after the quotation', () => {
  const rows = ['Nantes', 'Lille', 'Lyon', 'Brest'].map((city) => `| ${city} | ${'word '.repeat(9).trim()} |`);
  const items = ['Nantes', 'Lille', 'Lyon', 'Brest'].map((city) => `- ${city} ${'word '.repeat(9).trim()}`);
  const quoted = (text: string, at: number) => {
    const all = [...readQuoteBlocks({ citation: 1, title: 'Cities', text, score: 1 }, 0)];
    const passage = growPassage(all, all[at]!, { room: 34, gainOf: () => 1 });
    return renderPassage(passage, { all, room: 34, wanted: new Set() }).text;
  };
  const table = '| City | Words |\n| --- | --- |';
  expect(quoted(`${table}\n${rows.join('\n')}`, 1)).toBe(`${table}\n|…|\n${rows[1]}\n|…|`);
  expect(quoted(`${table}\n${rows.slice(0, 1).join('\n')}`, 0)).toBe(`${table}\n${rows[0]}`);
  expect(quoted(items.join('\n'), 3)).toBe(`…\n\n${items.slice(2).join('\n')}`);
});
