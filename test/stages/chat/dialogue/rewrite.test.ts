import { expect, test } from 'vitest';
import type { HistoryEntry } from '../../../../src/schema/items.ts';
import { summarizeHistory } from '../../../../src/stages/chat/dialogue/history.ts';
import { rewrite } from '../../../../src/stages/chat/dialogue/rewrite.ts';
import { said, scriptedLlm } from '../scripted-llm.ts';

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
    await expect(rewrite('And?', { history, llm: scriptedLlm(() => [text]), timeout: 9 })).rejects.toThrow(/not a search query/);
  expect(await rewrite('And?', { history, llm: scriptedLlm(() => ['"5 < 6"']), timeout: 9 })).toBe('5 < 6');
});

test.each([
  ['Search query: pump price', 'pump price'],
  ['The rewritten question is: "How much is the pump?"', 'How much is the pump?'],
  ['**Query:** pump price', 'pump price'],
  ["Here's the rewritten query:\n\npump price", 'pump price'],
  ['pump price\n\nExplanation: because it was asked.', 'pump price'],
  ['pump price\n(Note: as asked)', 'pump price'],
  ['```\npump price\n```', 'pump price'],
  ['```text\n**pump price**\n```', 'pump price'],
  ['<think>hmm, a pump.</think>\npump price', 'pump price'],
  ['Hmm, a pump.\n</think>\n\npump price', 'pump price'],
  ['Query timeout: how is it raised?', 'Query timeout: how is it raised?'],
  ['error E05: pump', 'error E05: pump'],
  ["I can't log in to my account, how do I reset the password?", "I can't log in to my account, how do I reset the password?"],
  ['I cannot find the serial number of the HP-40', 'I cannot find the serial number of the HP-40'],
  ['Sorry, what is the warranty?', 'Sorry, what is the warranty?'],
  ['`kb ingest` versus `kb retrieve`', '`kb ingest` versus `kb retrieve`'],
  ['__init__ and __main__', '__init__ and __main__'],
  ['**"pump price"**', 'pump price'],
])('of a reply the query is taken: %j', async (reply, query) => {
  expect(await rewrite('And?', { history, llm: scriptedLlm(() => [...reply]), timeout: 9 })).toBe(query);
});

test.each([
  "I'm sorry, I can't help with that.",
  "I can't rewrite this question.",
  'I am unable to do that.',
  "I don't know what is meant.",
  'Es tut mir leid.',
])('a reply that declines is no query: %s', async (reply) => {
  await expect(rewrite('And?', { history, llm: scriptedLlm(() => [reply]), timeout: 9 })).rejects.toThrow(/not a search query/);
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
  const summary = await summarizeHistory(older, llm, { timeout: 9 });
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
  expect(await carried('And E05?', 'Are E24 and E25 alike?')).toBe('Are E24 and E25 alike? And E05?');
  expect(await carried('And with 40 litres?', 'May I wash the OV-250 of series 7?')).toBe(
    'May I wash the OV-250 of series 7? And with 40 litres?',
  );
  expect(await carried('And after 3 years?', 'Is the CM-20 covered?')).toBe('Is the CM-20 covered? And after 3 years?');
  expect(await carried('And for series 6 at home?', 'How often is the quill of series 5 inspected?')).toBe(
    'How often is the quill of series 5 inspected? And for series 6 at home?',
  );
  expect(await carried('And why?', 'What does error E24 mean?')).toBe('What does error E24 mean? And why?');
});

test('a number belongs to the name before it, and takes the place of no other', async () => {
  const skua = 'How much does the Skua 27 cost?';
  expect(await carried('and the Fulmar 38?', skua)).toBe('How much does the Fulmar 38 cost?');
  expect(await carried('How fast is it?', skua, 'and the Fulmar 38?')).toBe('How much does the Fulmar 38 cost? How fast is it?');
  expect(await carried('and the fulmar 38?', skua)).toBe(`${skua} and the fulmar 38?`);
  expect(await carried('and the 38?', skua)).toBe('How much does the Skua 38 cost?');
  expect(await carried('And the Galaxy S24?', 'How much does the iPhone 15 cost?')).toBe('How much does the Galaxy S24 cost?');
  expect(await carried('and of the Ranger 250?', 'What is the tank of the Boxer 500?')).toBe('What is the tank of the Ranger 250?');
  expect(await carried('und die Fulmar 38?', 'Was kostet die Skua 27 in Hamburg?')).toBe('Was kostet die Fulmar 38 in Hamburg?');
  expect(await carried('und die Fulmar?', 'Was kostet die Skua 27?')).toBe('Was kostet die Skua 27? und die Fulmar?');
  expect(await carried('and in Python 3.12?', 'What changed in version 2.3?')).toBe('What changed in version 2.3? and in Python 3.12?');
  expect(await carried('and §7?', 'What does §5 of contract 12 say?')).toBe('What does §7 of contract 12 say?');
});

test.each([
  ['那重量呢？', '青禾 A3 适用多大面积？'],
  ['那么重量呢？', '青禾 A3 适用多大面积？'],
  ['那，重量是多少？', '青禾 A3 适用多大面积？'],
  ['では価格はいくらですか？', 'この機械の保証期間は？'],
  ['じゃあ価格はいくらですか？', 'この機械の保証期間は？'],
  ['그럼 가격은 얼마입니까?', '이 기계의 보증 기간은?'],
  ['그리고 가격은 얼마입니까?', '이 기계의 보증 기간은?'],
  ['until when?', 'Can I carry over annual leave?'],
  ['by whom?', 'Can I carry over annual leave?'],
  ['Before or after?', 'Is the filter rinsed when the pump is cleaned?'],
  ['Ab wann?', 'Wie lange ist die Garantie?'],
  ['Von wem?', 'Wie lange ist die Garantie?'],
  ['Depuis quand ?', 'La garantie couvre la pompe ?'],
])('what hardly says anything by itself is carried: %s', async (query, before) => {
  expect(await carried(query, before)).toBe(`${before} ${query}`);
});

test('what only begins like a follow-up stands alone', async () => {
  for (const query of [
    '那不勒斯在哪里？',
    '那曲的海拔是多少？',
    '那达慕大会什么时候举行？',
    'Wie schnell läuft die Pumpe?',
    'Until when is the office open?',
  ])
    expect(await carried(query, 'How long does delivery take?')).toBe(query);
});

test('small talk between two questions is no question', async () => {
  expect(await carried('And to Norway?', 'How long does delivery take?', 'good morning')).toBe(
    'How long does delivery take? And to Norway?',
  );
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
