import { expect, test } from 'vitest';
import type { HistoryEntry } from '../../../src/schema/items.ts';
import { summarize } from '../../../src/stages/chat/history.ts';
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

test('a query of nothing but quotes is as good as an empty one', async () => {
  for (const text of ['""', '"', '«»', '" "', '...'])
    await expect(rewrite('And?', { history, llm: scriptedLlm(() => [text]), timeout: 9 })).rejects.toThrow(/empty/);
  expect(await rewrite('And?', { history, llm: scriptedLlm(() => ['"5 < 6"']), timeout: 9 })).toBe('5 < 6');
});

test('what the conversation is about is reason enough to ask a model, and nothing is none', async () => {
  const llm = scriptedLlm(() => ['delivery of the web shop']);
  expect(await rewrite('And how long?', { history: [], session_context: 'A web shop.', llm, timeout: 9 })).toBe('delivery of the web shop');
  expect(llm.requests[0]!.messages.at(-1)!.content).toBe('About the conversation: A web shop.\n\nLast question: And how long?');
  for (const session_context of [undefined, ' '])
    expect(await rewrite('And how long?', { history: [], session_context, llm, timeout: 9 })).toBe('And how long?');
  expect(llm.requests).toHaveLength(1);
});

test('without a model, what the conversation is about goes before a question that has no subject', async () => {
  const about = (query: string, before: HistoryEntry[] = [], session_context = 'The Halden\nespresso machine.') =>
    rewrite(query, { history: before, session_context, llm: scriptedLlm(() => [], { extractive: true }), timeout: 9 });
  expect(await about('How long does it last?')).toBe('The Halden espresso machine. How long does it last?');
  expect(await about('Which berries does a duck eat in summer?')).toBe('Which berries does a duck eat in summer?');
  expect(await about('And to Norway?', [{ role: 'user', content: 'How long does delivery take?' }])).toBe(
    'How long does delivery take? And to Norway?',
  );
  expect(await about('And then?', [{ role: 'user', content: 'Does it leak?' }])).toBe(
    'The Halden espresso machine. Does it leak? And then?',
  );
  expect(await about('And then?', [{ role: 'user', content: 'Does it leak?' }], 'word '.repeat(500))).toBe('Does it leak? And then?');
});

test('a model that thinks first is left enough tokens for it, where its window holds them', async () => {
  const asked = async (window?: number) => {
    const llm = scriptedLlm(() => ['delivery']);
    await rewrite('And to Norway?', { history, llm, timeout: 9, ...(window ? { window } : {}) });
    return llm.requests[0]!.max_tokens;
  };
  expect(await asked()).toBe(1000);
  expect(await asked(4096)).toBe(1000);
  expect(await asked(2000)).toBe(500);
  expect(await asked(400)).toBe(200);
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

test('a chain of follow-ups goes back to the question that stands alone, with what was named last', async () => {
  expect(await carried('And to Peru?', 'Who owns the shop?', 'How long does delivery to Spain take?', 'And to Norway?')).toBe(
    'How long does delivery to Peru take?',
  );
  expect(await carried('And express?', 'How long does delivery take?', 'And to Norway?', 'And to Peru?')).toBe(
    'How long does delivery take? And express?',
  );
});

test('what is named anew takes the place of its like, and the next question is about it', async () => {
  const plans = ['How much is the Plus plan?', 'and the Pro plan?', 'and the Gold plan?'];
  expect(await carried(plans[1]!, ...plans.slice(0, 1))).toBe('How much is the Pro plan?');
  expect(await carried(plans[2]!, ...plans.slice(0, 2))).toBe('How much is the Gold plan?');
  expect(await carried('and how long is the history there?', ...plans)).toBe(
    'How much is the Gold plan? and how long is the history there?',
  );
  expect(await carried('and who may use it?', ...plans, 'and how long is the history there?')).toBe(
    'How much is the Gold plan? and who may use it?',
  );
  expect(await carried('Und nach Polen?', 'Wie lange dauert die Lieferung nach Norwegen?')).toBe(
    'Wie lange dauert die Lieferung nach Polen?',
  );
  expect(await carried('and to South Korea?', 'How long are parcels to New Zealand on the way?')).toBe(
    'How long are parcels to South Korea on the way?',
  );
});

test('the subject is carried on from turns that a summary without a model stands for', async () => {
  const older = ['What does E05 mean?', 'And E12?'].flatMap((content) => [
    { role: 'user' as const, content },
    { role: 'assistant' as const, content: '- user: no question' },
  ]);
  const llm = scriptedLlm(() => [], { extractive: true });
  const summary = await summarize(older, llm, { timeout: 9 });
  expect(await rewrite('And what should I do?', { history: [summary], llm, timeout: 9 })).toBe('What does E12 mean? And what should I do?');
});

test('a name takes the place of a name, behind the same word where there is one', async () => {
  expect(await carried('And the Duo Plus?', 'How much does the Solo weigh?', 'And the Duo?')).toBe('How much does the Duo Plus weigh?');
  expect(await carried('And Leeds?', 'Is there a service centre in Hamburg?')).toBe('Is there a service centre in Leeds?');
  expect(await carried('And Leeds?', 'May I pay in Hamburg?')).toBe('May I pay in Leeds?');
  expect(await carried('And Leeds?', 'Is Kessel in Hamburg?')).toBe('Is Kessel in Hamburg? And Leeds?');
  expect(await carried('And the Duo?', 'Does Wi-Fi work in Hamburg?')).toBe('Does Wi-Fi work in Hamburg? And the Duo?');
  expect(await carried('And Bluetooth?', 'It is slow. Why?')).toBe('It is slow. Why? And Bluetooth?');
  expect(await carried('Und Versand?', 'Wie teuer ist Abholung in Berlin?')).toBe('Wie teuer ist Abholung in Berlin? Und Versand?');
});

test('what is no like of anything takes the place of nothing', async () => {
  expect(await carried('and the weight?', 'What is the colour of the pump?')).toBe('What is the colour of the pump? and the weight?');
  expect(await carried('and a plan?', 'How much is the Plus plan?')).toBe('How much is the Plus plan? and a plan?');
  expect(await carried('and the red pump?', 'Is the pump lighter than the old pump?')).toBe(
    'Is the pump lighter than the old pump? and the red pump?',
  );
});

test('another code, model or year takes the place of the one before', async () => {
  expect(await carried('And E05?', 'What does error E24 mean?')).toBe('What does error E05 mean?');
  expect(await carried('and series 6?', 'How often is the quill of series 5 inspected?')).toBe(
    'How often is the quill of series 6 inspected?',
  );
  expect(await carried('And E05?', 'What does E24 mean on the HP-40?')).toBe('What does E05 mean on the HP-40?');
  expect(await carried('And E05?', 'Are E24 and E25 alike?')).toBe('Are and alike? And E05?');
  expect(await carried('And with 40 litres?', 'May I wash the OV-250 of series 7?')).toBe(
    'May I wash the OV-250 of series 7? And with 40 litres?',
  );
  expect(await carried('And after 3 years?', 'Is the CM-20 covered?')).toBe('Is the CM-20 covered? And after 3 years?');
  expect(await carried('And for series 6 at home?', 'How often is the quill of series 5 inspected?')).toBe(
    'How often is the quill of series 6 inspected? And for series 6 at home?',
  );
  expect(await carried('And why?', 'What does error E24 mean?')).toBe('What does error E24 mean? And why?');
});

test('a year takes the place of no model, and a question without words of its own brings nothing along', async () => {
  const asked = ['How long is the warranty on the HP-40?', 'why?', 'and what is not covered?'];
  expect(await carried('and in 2019?', ...asked)).toBe('How long is the warranty on the HP-40? and what is not covered? and in 2019?');
  expect(await carried('and in 2020?', ...asked, 'and in 2019?')).toBe(
    'How long is the warranty on the HP-40? and what is not covered? and in 2020?',
  );
  expect(await carried('and the seals?', 'How long is the warranty on the HP-40?', 'thanks')).toBe(
    'How long is the warranty on the HP-40? and the seals?',
  );
});

test('a question that stands alone is left as it is, and so is one without questions before it', async () => {
  expect(await carried('Which berries does a duck eat in summer?', 'How long does delivery take?')).toBe(
    'Which berries does a duck eat in summer?',
  );
  expect(await carried('And to Norway?')).toBe('And to Norway?');
});
