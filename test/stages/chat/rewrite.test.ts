import { expect, test } from 'vitest';
import { rewrite } from '../../../src/stages/chat/rewrite.ts';
import { said, scriptedLlm } from './scripted-llm.ts';

const history = [
  { role: 'user' as const, content: 'How long are parcels on the way in your country?' },
  { role: 'assistant' as const, content: 'One or two working days.' },
];

test('a model is told the conversation and what it is about, and its query comes in one line without quotes', async () => {
  const llm = scriptedLlm(() => ['"delivery time\n', 'to Norway"\n']);
  expect(await rewrite('And to Norway?', { history, session_context: 'A web shop.', llm, timeout: 9 })).toBe('delivery time to Norway');
  expect(said(llm.requests[0]!)).toMatch(/A web shop\.[^]*parcels on the way[^]*And to Norway\?/);
});

test('a query that is empty or absurdly long is an error', async () => {
  await expect(rewrite('And?', { history, llm: scriptedLlm(() => ['']), timeout: 9 })).rejects.toThrow(/empty/);
  await expect(rewrite('And?', { history, llm: scriptedLlm(() => ['terms '.repeat(500)]), timeout: 9 })).rejects.toThrow(/longer/);
});

const carried = (query: string, ...asked: string[]) =>
  rewrite(query, {
    history: asked.flatMap((content) => [
      { role: 'user' as const, content },
      { role: 'assistant' as const, content: 'So it is.' },
    ]),
    llm: scriptedLlm(() => [], { extractive: true }),
    timeout: 9,
  });

test('without a model a follow-up carries the question that it follows', async () => {
  expect(await carried('And to Norway?', 'How long does delivery take?')).toBe('How long does delivery take? And to Norway?');
  expect(await carried('How long does it last?', 'Does the Halden H2 have a warranty?')).toBe(
    'Does the Halden H2 have a warranty? How long does it last?',
  );
  expect(await carried('Und nach Norwegen?', 'Wie lange dauert die Lieferung?')).toBe('Wie lange dauert die Lieferung? Und nach Norwegen?');
});

test.each([
  ['What should I do then?', 'What does error E12 mean?'],
  ['What if I pull the plug meanwhile?', 'How do I update the firmware?'],
  ['Was passiert dabei mit den Rezepten?', 'Wie setze ich die Maschine zurück?'],
  ['Et alors, combien de temps faut-il ?', 'Comment détartrer la machine ?'],
])('what points back is carried: %s', async (query, before) => {
  expect(await carried(query, before)).toBe(`${before} ${query}`);
});

test('a model is shown no more of the conversation than it can hold', async () => {
  const llm = scriptedLlm(() => ['delivery']);
  const long = history.map((entry) => ({ ...entry, content: `${entry.content} ${'word '.repeat(9000)}` }));
  await rewrite('And to Norway?', { history: long, llm, timeout: 9, window: 2000 });
  expect(said(llm.requests[0]!).length).toBeLessThan(2000 * 3.5);
  expect(said(llm.requests[0]!)).toMatch(/parcels on the way[^]*One or two[^]*And to Norway/);
});

test('a chain of follow-ups goes back to the question that stands alone', async () => {
  expect(await carried('And to Peru?', 'Who owns the shop?', 'How long does delivery to Spain take?', 'And to Norway?')).toBe(
    'How long does delivery to Spain take? And to Norway? And to Peru?',
  );
});

test('a question that stands alone is left as it is, and so is one without questions before it', async () => {
  expect(await carried('Which berries does a duck eat in summer?', 'How long does delivery take?')).toBe(
    'Which berries does a duck eat in summer?',
  );
  expect(await carried('And to Norway?')).toBe('And to Norway?');
});
