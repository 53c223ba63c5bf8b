import { expect, test } from 'vitest';
import type { Embedder, GroundingSource } from '../../../src/ports/models.ts';
import { MAX_UNCERTAIN_PROBABILITY } from '../../../src/stages/quote/evidence.ts';
import { english } from '../../../src/languages/english.ts';
import { openQuoteLlm } from '../../../src/stages/quote/quote-llm.ts';

const manual = `The Helios 300 is a circulation pump. It ships with a mounting plate and two seals.

The filter cartridge FC-77 must be replaced every 90 days. Close both valves before that. They must stay closed for a minute.

| Code | Meaning | What to do |
|---|---|---|
| ERR-4041 | The water pressure is too low | Refill the circuit |
| ERR-4042 | The flow sensor is disconnected | Reseat connector J7 |

For cleaning the impeller you need:

- warm water
- a soft brush`;
const leave = 'Everyone has 28 days of paid leave a year. Up to five unused days can be carried over into the next year.';
const sourcesOf = (...texts: string[]): GroundingSource[] =>
  texts.map((text, i) => ({ citation: i + 1, title: `Page ${i + 1} › Part`, text, score: 0.7 }));

/** Finds every text as near to every question. */
const at = (cosine: number): Embedder => ({
  provider: 'test',
  model: 'even',
  dimensions: 2,
  concurrency: 1,
  min_retrieval_score: 0,
  is_calibrated: true,
  coverage: () => 1,
  embed: async (texts, { input_type }) =>
    texts.map(() => (input_type === 'query' ? Float32Array.of(1, 0) : Float32Array.of(cosine, Math.sqrt(1 - cosine ** 2)))),
  close: async () => {},
});

interface Asking {
  sources?: GroundingSource[];
  embedder?: Embedder;
  question?: string;
  previous_answers?: string;
  signal?: AbortSignal;
}

async function ask(query: string, { sources = sourcesOf(manual, leave), embedder, question, previous_answers, signal }: Asking = {}) {
  const grounding = { query, question, previous_answers, sources };
  const run = openQuoteLlm({ embedder }).generate({ messages: [], grounding, max_tokens: 1024, timeout: 60, signal });
  const pieces: string[] = [];
  for (;;) {
    const step = await run.next();
    if (step.done) return { answer: pieces.join(''), pieces, outcome: step.value };
    pieces.push(step.value);
  }
}

/** Ends an answer that is not certain. */
const DOUBT = english.messages.uncertain;
const words = (text: string): number =>
  text
    .replace(DOUBT, '')
    .replace(/\s*\[\d+\]/g, '')
    .split(/\s+/)
    .filter(Boolean).length;

test('quotes a whole passage under its headings, with its citation, word by word', async () => {
  const { answer, pieces, outcome } = await ask('How often must the filter cartridge be replaced?');
  expect(answer).toMatch(/^\*\*Page 1 › Part\*\*\n\n/);
  expect(answer).toContain('The filter cartridge FC-77 must be replaced every 90 days. Close both valves before that.');
  expect(answer.endsWith(`\n\n[1]\n\n${DOUBT}`)).toBe(true);
  expect(pieces.length).toBeGreaterThan(5);
  expect(outcome.output_tokens).toBe(Math.ceil(answer.length / 4));
  expect(outcome.input_tokens).toBeGreaterThan(outcome.output_tokens);
});

test('returns the answering sentence and the probability of the answer', async () => {
  const { outcome } = await ask('How often must the filter cartridge be replaced?', { embedder: at(0.6) });
  expect(outcome.highlight).toBe('The filter cartridge FC-77 must be replaced every 90 days.');
  expect(outcome.probability).toBeGreaterThan(0.5);
  expect(outcome.probability).toBeLessThan(1);
});

test('is not certain of an answer by words alone, unless it defines the code that is asked for', async () => {
  const port = 'The ident box listens on port 113 by default. The server of the hut asks it for a name, and the server listens.';
  const { outcome } = await ask('On which port does the server of the hut listen by default?', { sources: sourcesOf(port) });
  expect(outcome.probability).toBeLessThan(0.75);
  const table = '| Code | Meaning |\n|---|---|\n| E24 | The pressure of the pump is above 12.5 bar |\n| E25 | The tank is empty |';
  expect((await ask('What does the error code E24 of the pump mean?', { sources: sourcesOf(table) })).outcome.probability).toBeGreaterThan(
    0.75,
  );
});

test('quotes an item with its code from its beginning, and returns a sentence of it', async () => {
  const item = '1. Close both valves.\n\n   ```sh\n   valve --close all\n   ```\n\n   The pump coasts down within a minute.';
  const source = { citation: 1, title: 'Manual', text: item.slice(item.indexOf('   The pump')), score: 0.7 };
  const before = `Do this:\n\n${item.slice(0, item.indexOf('   The pump'))}`;
  const { answer, outcome } = await ask('Within what time does the pump coast down?', { sources: [{ ...source, before }] });
  expect(answer).toContain(`Do this:\n\n${item} [1]`);
  expect(outcome.highlight).toBe('The pump coasts down within a minute.');
});

test('embeds a question once', async () => {
  const embedder = at(0.6);
  const asked: string[] = [];
  const embed: Embedder['embed'] = (texts, options) => {
    if (options.input_type === 'query') asked.push(...texts);
    return embedder.embed(texts, options);
  };
  await ask('How often must the filter cartridge be replaced?', { embedder: { ...embedder, embed } });
  expect(asked).toEqual(['How often must the filter cartridge be replaced?']);
});

test('quotes up to three passages, and says so, if it is not certain that the best one answers', async () => {
  const texts = [
    'The gate of the yard is locked at night.',
    'A guard locks the gate of the yard.',
    'The yard has a gate.',
    'The gate is old.',
  ];
  const unsure = await ask('When is the gate of the yard locked?', { sources: sourcesOf(...texts), embedder: at(0.4) });
  expect(unsure.answer.match(/\[\d\]/g)).toEqual(['[1]', '[2]', '[3]']);
  expect(unsure.answer.endsWith(`\n\n${DOUBT}`)).toBe(true);
  const sure = await ask('When is the gate of the yard locked?', { sources: sourcesOf(texts[0]!), embedder: at(0.9) });
  expect(sure.answer).not.toContain(DOUBT);
});

test('does not cut steps for other passages', async () => {
  const steps = Array.from({ length: 7 }, (_, i) => `${i + 1}. Turn the valve of pump ${i} to the left until it stops, and wait.`);
  const { answer } = await ask('How do I close the valves?', {
    sources: sourcesOf(steps.join('\n'), 'The valves are blue.'),
    embedder: at(0.25),
  });
  expect(answer).toContain(DOUBT);
  expect(answer).toContain(steps.join('\n'));
});

test('is never certain with an embedder for which the confidence was not measured', async () => {
  const question = 'When is the gate of the yard locked?';
  const sources = sourcesOf('The gate of the yard is locked at night.');
  const { is_calibrated: _, ...other } = at(0.9);
  expect((await ask(question, { sources, embedder: at(0.9) })).outcome.probability).toBeGreaterThan(MAX_UNCERTAIN_PROBABILITY);
  expect((await ask(question, { sources, embedder: other })).outcome.probability).toBeLessThanOrEqual(MAX_UNCERTAIN_PROBABILITY);
});

test('numbers its sources in the order of the answer', async () => {
  const { answer, outcome } = await ask('How many days of paid leave does everyone have?');
  expect(answer).toContain('Everyone has 28 days of paid leave a year.');
  expect(answer).toContain('[1]');
  expect(outcome.order?.[0]).toBe(2);
  expect(outcome.quoted?.[0]).toEqual({ citation: 2, lines: [0, 0] });
});

test('quotes a row under its table header, and a list after its introduction', async () => {
  const table = `| Code | Meaning |\n|---|---|\n${Array.from({ length: 60 }, (_, i) => `| ERR-${4000 + i} | The sensor number ${i} is cut off |`).join('\n')}`;
  const { answer } = await ask('What does ERR-4042 mean?', { sources: sourcesOf(table) });
  expect(answer).toContain('| Code | Meaning |\n|---|---|\n');
  expect(answer).toContain('| ERR-4042 | The sensor number 42 is cut off |');
  expect(answer).toMatch(/\|\n\n\[1\]$/);
  expect((await ask('Is a soft brush needed for the impeller?')).answer).toContain(
    'For cleaning the impeller you need:\n\n- warm water\n- a soft brush',
  );
});

test('quotes at most 120 words, as whole sentences or whole lines of code, with ellipses', async () => {
  const long = Array.from({ length: 40 }, (_, i) => `The valve number ${i} opens at ${i} bar of pressure.`).join(' ');
  const prose = await ask('At what pressure does the valve number 30 open?', { sources: sourcesOf(long) });
  expect(words(prose.answer)).toBeLessThanOrEqual(120);
  expect(prose.answer).toContain('The valve number 30 opens at 30 bar of pressure.');
  expect(prose.answer).toMatch(/\*\*\n\n… The valve number \d+ .*pressure\.( …)? \[1\]/s);
  const code = `To set up the valve, run:\n\n\`\`\`sh\n${Array.from({ length: 80 }, (_, i) => `valve --set-up --number ${i}`).join('\n')}\n\`\`\``;
  const { answer } = await ask('How do I set up the valve?', { sources: sourcesOf(code) });
  expect(words(answer)).toBeLessThanOrEqual(120);
  expect(answer).toMatch(/valve --set-up --number \d+\n```\n\n… \[1\]/);
});

test('continues into neighbouring text, but does not begin there', async () => {
  const source = {
    citation: 1,
    title: 'Manual',
    text: 'of the pump lasts a year. It is blue.',
    score: 0.7,
    before: 'The seal of ',
    after: ' Keep it dry.',
  };
  const { answer, outcome } = await ask('How long does the seal of the pump last?', {
    sources: [{ ...source, text: 'the pump lasts a year. It is blue.' }],
  });
  expect(answer).toContain('The seal of the pump lasts a year. It is blue. Keep it dry. [1]');
  expect(outcome.quoted).toEqual([{ citation: 1, lines: [0, 0] }]);
});

test('quotes two shorter passages if both fit equally', async () => {
  const sources = sourcesOf('The limit of the gold plan is ten seats.', 'The limit of the gold plan is nine seats in Norway.');
  const { answer, outcome } = await ask('What is the limit of the gold plan?', { sources });
  expect(answer).toContain('ten seats. [1]');
  expect(answer).toContain('Norway. [2]');
  expect(outcome.order).toEqual([1, 2]);
});

test('quotes near duplicates once, but both passages if they differ in a number', async () => {
  const page = 'The limit of the gold plan is ten seats for each office, and nobody may share a seat with a friend at work.';
  const source = 'The limit of the ``gold`` :term:`plan` is ten seats for each office, and nobody may share a seat with a friend at work.';
  const query = 'What is the limit of the gold plan?';
  expect((await ask(query, { sources: sourcesOf(page, source) })).answer.match(/nobody may share/g)).toHaveLength(1);
  const numbered = sourcesOf(page.replace('ten', '10'), page.replace('ten', '12'));
  expect((await ask(query, { sources: numbered })).answer.match(/nobody may share/g)).toHaveLength(2);
});

test('prefers a value for a question about a default, and avoids a change log unless it is asked for', async () => {
  const parameter = '**`work_mem` (`integer`)**\n\nThe memory of a sort before it writes to a file. The default is four megabytes.';
  const sources = sourcesOf('Sorts that take the memory of work_mem are told in the log of the server.', parameter);
  expect((await ask('What is the default memory of work_mem?', { sources })).answer).toMatch(/work_mem.*four megabytes\./s);
  const [news, page] = sourcesOf('The filter was made of paper and is now of steel.', 'The filter of the pump is made of steel.');
  const pages = [{ ...news!, page_kind: 'changelog' }, page!];
  expect((await ask('What is the filter made of?', { sources: pages })).outcome.order?.[0]).toBe(2);
});

test('reduces links to their text, and escapes numbers that look like citations', async () => {
  const text = 'See [the valve](https://example.com/v) of the pump [3], ![drawn](x.png) which opens at five bar.';
  const { answer } = await ask('When does the valve of the pump open?', { sources: sourcesOf(text) });
  expect(answer).toContain('See the valve of the pump \\[3\\], which opens at five bar. [1]');
});

test('declines with the no-answer marker what the sources do not mention, and a missing identifier', async () => {
  for (const query of [
    'Who painted the ceiling of the Sistine Chapel?',
    'What does ERR-9999 mean?',
    'What does ERR-4099 mean for the flow sensor?',
  ]) {
    const { answer, outcome } = await ask(query, { embedder: at(0.1) });
    expect(answer).toBe('[0] The sources do not answer this.');
    expect(outcome.quoted).toBeUndefined();
  }
  expect((await ask('Anything?', { sources: [] })).answer).toMatch(/^\[0\]/);
});

test('answers each part of a question, and names an unanswered part', async () => {
  const both = await ask('How often must the filter cartridge be replaced, and how many days of paid leave does everyone have?');
  expect(both.answer).toContain('every 90 days');
  expect(both.answer).toContain('28 days of paid leave');
  expect(words(both.answer)).toBeLessThanOrEqual(120);
  const one = await ask('How often must the filter cartridge be replaced, and who painted the Sistine Chapel?');
  expect(one.answer).toContain('every 90 days');
  expect(one.answer).toContain('The sources do not answer “who painted the Sistine Chapel?”.');
  expect(one.outcome.unsure).toBe(true);
});

test('answers a pasted message by its words if the sources lack its code', async () => {
  const text = 'At the start it warns: «Could not determine the name of the server, using rocinante for ServerName». Set ServerName.';
  const sources = sourcesOf(text).map((source) => ({ ...source, score: 0.5 }));
  const { answer } = await ask('AH00558: Could not determine the name of the server', { sources, embedder: at(0.45) });
  expect(answer).toContain('Set ServerName.');
});

test('treats a quoted default as a value', async () => {
  const sources = sourcesOf("The service shows the default log level as it is set.\n\nDefault: `'info'`, which is the log level of all.");
  const { answer } = await ask('What is the default log level?', { sources, embedder: at(0.8) });
  expect(answer.indexOf('info')).toBeGreaterThan(0);
});

test('does not repeat earlier quotations', async () => {
  const sources = sourcesOf('The gate is locked at ten.\n\nThe gate is locked because dogs came in at night.');
  const said = '**Page 1 › Part**\n\nThe gate is locked at ten. [1]';
  const { answer } = await ask('When is the gate locked? why?', { sources, question: 'why?', previous_answers: said });
  expect(answer).toContain('because dogs came in at night');
  const all = `${said} The gate is locked because dogs came in at night.`;
  expect((await ask('When is the gate locked? why?', { sources, question: 'why?', previous_answers: all })).answer).toMatch(/^\[0\]/);
});

test('names the language of the sources if it differs from that of the question', async () => {
  const sources = sourcesOf('The filter of the pump must be replaced every 90 days, and it is made of steel.');
  const german = await ask('Wie oft muss der Filter der Pumpe gewechselt werden?', { sources, embedder: at(0.9) });
  expect(german.answer).toContain('Die Quellen sind auf Englisch.');
  const inEnglish = await ask('How often must the filter of the pump be replaced?', { sources, embedder: at(0.9) });
  expect(inEnglish.answer).not.toContain('The sources are in');
});

test('stops when the signal is aborted', async () => {
  const stop = new AbortController();
  stop.abort();
  await expect(ask('How often must the filter cartridge be replaced?', { signal: stop.signal })).rejects.toThrow(/stopped/);
});

test('cites each passage by its own source, even within one section, and keeps the order of the reranker', async () => {
  const [gold, norway] = sourcesOf('The limit of the gold plan is ten seats.', 'The limit of the gold plan is nine seats in Norway.');
  const place = { title: 'Plans › Limits' };
  const query = 'What is the limit of the gold plan?';
  const one = await ask(query, {
    sources: [
      { ...gold!, ...place },
      { ...norway!, ...place },
    ],
  });
  expect(one.answer).toMatch(/ten seats\. \[1\][^]*Norway\. \[2\]/);
  expect(one.outcome.order).toEqual([1, 2]);
  const other = { citation: 1, title: 'Coffee', text: 'Coffee is for all plans.', score: 0.7, rerank_score: 0.9 };
  const reranked = await ask(query, { sources: [other, { ...gold!, citation: 2, rerank_score: 0.1 }] });
  expect(reranked.answer).toMatch(/ten seats\. \[2\]/);
  expect(reranked.outcome.order).toEqual([1, 2]);
});

test('keeps escaped types of a document', async () => {
  const text = 'The pump takes `options` \\<Object> and a seal <b>of</b> rubber.';
  expect((await ask('What does the pump take?', { sources: sourcesOf(text) })).answer).toContain(
    'takes `options` \\<Object> and a seal of rubber.',
  );
});

test('quotes the text of a long item and its answering parts', async () => {
  const options = Array.from({ length: 30 }, (_, i) => `  - \`option${i}\` of the valve is set to ${i} by hand`);
  options.splice(20, 0, '  - `maxPressure` of the valve before it opens\n    by itself');
  const text = `- \`options\` of the valve:\n${options.join('\n')}`;
  const { answer } = await ask('At what pressure does the valve open by itself?', { sources: sourcesOf(text) });
  expect(answer).toMatch(/- `options` of the valve:\n {2}…\n {2}- `/);
  expect(answer).toContain('before it opens\n    by itself');
  expect(words(answer)).toBeLessThanOrEqual(120);
});

const filter = 'How often must the filter cartridge be replaced?';
const scored = (sources: readonly GroundingSource[], ...scores: number[]) => sources.map((source, i) => ({ ...source, score: scores[i]! }));

test('declines if the same words and cosines have a lower score', async () => {
  const asked = (score: number) => ask(filter, { sources: scored(sourcesOf(manual), score), embedder: at(0.3) });
  expect((await asked(0)).answer).toMatch(/^\[0\]/);
  expect((await asked(0.6)).answer).toContain('every 90 days');
});

test('is more certain without close rivals than with them', async () => {
  const probability = async (...scores: number[]) =>
    (await ask(filter, { sources: scored(sourcesOf(manual, leave, leave, leave, leave), ...scores), embedder: at(0.5) })).outcome
      .probability!;
  expect(await probability(0.6, 0.05, 0.04, 0.03, 0.02)).toBeGreaterThan((await probability(0.6, 0.59, 0.58, 0.57, 0.56)) + 0.15);
});

test('is less certain if a passage of another document fits as well, but not one of the same document', async () => {
  const embed: Embedder['embed'] = async (texts) =>
    texts.map((text) => (/cartridge/.test(text) ? Float32Array.of(0.6, 0.8) : Float32Array.of(0.5, 0.866)));
  const probability = async (...documents: string[]) => {
    const sources = scored(sourcesOf(manual, leave), 0.3, 0.2).map((source, i) => ({ ...source, document: documents[i]! }));
    return (await ask(filter, { sources, embedder: { ...at(0.5), embed } })).outcome.probability!;
  };
  expect(await probability('pump.md', 'leave.md')).toBeLessThan((await probability('pump.md', 'pump.md')) - 0.05);
});

test('is more certain if one sentence matches than if only the passage does', async () => {
  const even = at(0.2);
  const embed: Embedder['embed'] = async (texts, options) => {
    const vectors = await even.embed(texts, options);
    return texts.map((text, i) => (/^Part: [^.]*every 90 days\.$/.test(text) ? Float32Array.of(0.8, 0.6) : vectors[i]!));
  };
  const sources = scored(sourcesOf(manual), 0.3);
  const asked = async (embedder: Embedder) => (await ask('When is the cartridge due?', { sources, embedder })).outcome.probability!;
  expect(await asked({ ...even, embed })).toBeGreaterThan((await asked(even)) + 0.15);
});

test('is more certain of an answer to «how many» with a figure', async () => {
  const asked = async (text: string) =>
    (await ask('How many valves has the pump?', { sources: sourcesOf(text), embedder: at(0.5) })).outcome;
  expect((await asked('The pump has 4 valves.')).probability!).toBeGreaterThan((await asked('The pump has many valves.')).probability!);
});

test('names the language of the sources if the answer is a command', async () => {
  const [command, prose] = sourcesOf('```\nnpm publish paket\n```', leave) as [GroundingSource, GroundingSource];
  const { answer } = await ask('Wie veröffentliche ich mein Paket mit npm?', { sources: [command, prose], embedder: at(0.9) });
  expect(answer).toContain('npm publish paket');
  expect(answer).toMatch(/Die Quellen sind auf Englisch\.$/);
});

test('does not quote only the first item of a list', async () => {
  const step = (n: number) => `${n}. Then ${'turn the left knob and wait '.repeat(5)}until lamp ${n} is off.`;
  const text = `The boiler is descaled every three months.\n\n${'It takes half an hour of an evening. '.repeat(8)}\n\n${[1, 2, 3, 4].map(step).join('\n')}`;
  const { answer } = await ask('How often is the boiler descaled?', { sources: sourcesOf(text) });
  expect(answer).toContain('every three months');
  expect(answer).not.toContain('Then turn');
});

test('names the option above a quotation from the middle of its definition', async () => {
  const filler = 'The lamp turns amber for as long as it lasts, and nobody has to look at it or to wait for it to go out again. '.repeat(6);
  const text = `\`--pause <minutes>\`\n\n${filler}\n\nA paused pump keeps its pressure for an hour.\n\n\`--stop\`\n\nEmpties the circuit.`;
  const { answer } = await ask('How long does a paused pump keep its pressure?', { sources: sourcesOf(text) });
  expect(answer).toMatch(/`--pause <minutes>`\n\n…\n\nA paused pump keeps its pressure for an hour\./);
});

test('answers a question that consists of a value by the row with that cell', async () => {
  const rows = '| Seal | 4.50 |\n| Valve | 117 |\n| Pump | 118 496 |';
  const sources = [{ citation: 1, title: 'Prices', text: `| part | price |\n|---|---|\n${rows}`, score: 0.24 }];
  expect((await ask('117', { sources, embedder: at(0.06) })).answer).toContain('| Valve | 117 |');
  expect((await ask('496', { sources, embedder: at(0.06) })).answer).toContain('do not answer');
});

test('quotes an option before its special cases, unless the question names these', async () => {
  const options = [
    '`--exclude-tag-all=FILE`\n\nExclude files and directories containing FILE.',
    '`--exclude-tag=FILE`\n\nExclude files beside FILE.',
    '`--exclude=PATTERN`\n\nExclude files matching PATTERN.',
    '`--exclude-vcs`\n\nExclude files of version control.',
  ];
  const sources = sourcesOf(options.join('\n\n'));
  const first = async (query: string) => /`(--[\w-]+)/.exec((await ask(query, { sources, embedder: at(0.6) })).answer)?.[1];
  expect(await first('How do I exclude files?')).toBe('--exclude');
  expect(await first('How do I exclude files with a tag?')).toMatch(/^--exclude-tag/);
  expect(await first('How do I exclude files with --exclude-vcs?')).toBe('--exclude-vcs');
});

test('quotes the entry of the option that is asked about, and is not certain of an answer that only mentions it', async () => {
  const entries = [
    '`-m NUM`\n\nStop after NUM matching lines. With `-c`, no more than NUM are counted.',
    '`-v`\n\nSelect the lines that do not match.',
  ];
  const asked = (text: string) =>
    ask('What does grep -c do with matching lines?', { sources: sourcesOf(`# grep\n\n${text}`), embedder: at(0.8) });
  const mentioned = await asked(entries.join('\n\n'));
  const defined = await asked([...entries, '`-c`\n\nPrint how many matching lines there are.'].join('\n\n'));
  expect(defined.answer).toMatch(/`-c`\s+Print how many/);
  expect(mentioned.outcome.probability).toBeLessThanOrEqual(MAX_UNCERTAIN_PROBABILITY);
  expect(defined.outcome.probability).toBeGreaterThan(MAX_UNCERTAIN_PROBABILITY);
});

test('is never certain of the answer to a follow-up that carries the question before it', async () => {
  const query = 'When is the gate locked?';
  const alone = await ask(query, { embedder: at(0.9) });
  const carried = await ask(`Where is the gate? ${query}`, { question: query, embedder: at(0.9) });
  expect(alone.outcome.probability).toBeGreaterThan(MAX_UNCERTAIN_PROBABILITY);
  expect(carried.outcome.probability).toBeLessThanOrEqual(MAX_UNCERTAIN_PROBABILITY);
});
