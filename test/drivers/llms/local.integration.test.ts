import { afterAll, beforeAll, expect, test } from 'vitest';
import { openLocalEmbedder } from '../../../src/drivers/embedders/local.ts';
import { openLocalLlm } from '../../../src/drivers/llms/local.ts';
import type { Embedder } from '../../../src/ports/models.ts';

let embedder: Embedder;
beforeAll(async () => {
  embedder = await openLocalEmbedder();
});
afterAll(() => embedder.close());

const texts = [
  'The canteen closes at two in the afternoon. Guests pay five euros for a meal. Trays go back to the counter.',
  'Flights need the approval of the head of the department. Train journeys are booked in second class.',
  'The lift is serviced in May. While that goes on, the stairs at the north side are open.',
];

async function ask(query: string): Promise<string> {
  const sources = texts.map((text, i) => ({ citation: i + 1, title: 'Staff handbook', text }));
  let answer = '';
  for await (const piece of openLocalLlm({ embedder }).generate({
    messages: [],
    grounding: { query, sources },
    max_tokens: 200,
    timeout: 60,
  }))
    answer += piece;
  return answer;
}

test('with the bundled model a question in other words is answered from the right source', async () => {
  expect(await ask('What does lunch cost for visitors?')).toContain('Guests pay five euros for a meal. [1]');
  expect(await ask('Who has to agree before I may travel by plane?')).toContain(
    'Flights need the approval of the head of the department. [2]',
  );
  expect(await ask('When is the elevator maintained?')).toContain('The lift is serviced in May. [3]');
});

test('with the bundled model a question on another subject is declined', async () => {
  for (const query of ['What is the boiling point of mercury?', 'Who composed the opera Carmen?', 'How do I treat a sprained ankle?']) {
    expect(await ask(query)).toMatch(/^\[0\]/);
  }
});
