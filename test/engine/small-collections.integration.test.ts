import { readFileSync, rmSync, mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { packageRoot } from '../../src/core/project.ts';
import { settle } from '../../src/core/run.ts';
import { createEngine } from '../../src/engine/engine.ts';
import type { Engine } from '../../src/ports/engines.ts';
import { Config, DEFAULTS } from '../../src/schema/config.ts';
import type { ChatResult } from '../../src/schema/answers.ts';
import type { GoldenQuestion } from '../../src/schema/evaluation.ts';
import { judgeAnswer } from '../../src/stages/evaluate/judge.ts';

const books = join(packageRoot, 'bench', 'handbooks');
const questionsIn = (path: string): GoldenQuestion[] =>
  readFileSync(path, 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as GoldenQuestion);

let folder: string;
let engine: Engine;
const asked: { question: GoldenQuestion; result: ChatResult }[] = [];

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'kb-test-'));
  const config = Config.parse({ ...DEFAULTS, storage: { ...DEFAULTS.storage, url: folder } });
  engine = createEngine({ config, home: join(books, 'helpdesk') });
  await settle(engine.run('ingest', { docs: { folder: 'docs' } }));
  const questions = [...questionsIn(join(books, 'helpdesk', 'questions.jsonl')), ...questionsIn(join(books, 'elsewhere.jsonl'))];
  for (const question of questions) asked.push({ question, result: await settle(engine.run('chat', { query: question.question! })) });
});

afterAll(async () => {
  await engine.close();
  rmSync(folder, { recursive: true, force: true });
});

test('a handbook of eight pages answers plain questions with high confidence', () => {
  const right = asked.filter(({ question, result }) => judgeAnswer(question, result) === 'right');
  const sure = right.filter(({ result }) => result.answer_confidence.level === 'high');
  expect(right.length).toBeGreaterThanOrEqual(24);
  expect(sure.length).toBeGreaterThanOrEqual(21);
});

test('a small collection declines unrelated questions, and is never confident about them', () => {
  const unanswerable = asked.filter(({ question }) => question.answerable === false);
  const elsewhere = unanswerable.filter(({ question }) => question.type === 'elsewhere');
  const declined = elsewhere.filter(({ result }) => result.answer_confidence.level === 'none');
  expect(declined.length / elsewhere.length).toBeGreaterThanOrEqual(0.95);
  expect(unanswerable.filter(({ result }) => result.answer_confidence.level === 'high').length).toBeLessThanOrEqual(1);
});

test('the row of a code is a confident answer, and addresses in a table have no language', async () => {
  const manuals = ['troubleshooting.md', 'service-centres.csv'].map((name) => join(packageRoot, 'examples', 'manuals', name));
  await settle(engine.run('ingest', { docs: manuals, storage: { collection: 'manuals' } }));
  const ask = (query: string) => settle(engine.run('chat', { query, collection: 'manuals' }));
  const code = await ask('What does error E24 mean?');
  expect(code.answer).toContain('above 12.5 bar');
  expect(code.answer_confidence.level).toBe('high');
  const { answer } = await ask('What is the phone number of the service centre in Lille?');
  expect(answer).toContain('+33 3 53 01 14 69');
  expect(answer).not.toContain('The sources are in');
});

test('a table is quoted for a question in other words, and never with confidence if it matches only by one name', async () => {
  const hours =
    '| Day | Shop Berlin | Shop Hamburg |\n|---|---|---|\n| Monday–Friday | 10:00–19:00 | 09:30–18:30 |\n| Saturday | 10:00–16:00 | closed |';
  const centres =
    '| Centre | City | Country | Street |\n|---|---|---|---|\n| FR-01 | Nantes | France | 6 rue du Four |\n| DE-01 | Kiel | Germany | 3 Hafenstrasse |';
  const markdown = [
    { source: 'hours.md', text: `# Opening hours\n\n${hours}` },
    { source: 'centres.md', text: `# Service centres\n\n${centres}` },
  ];
  await settle(engine.run('ingest', { markdown, storage: { collection: 'tables' } }));
  const ask = (query: string) => settle(engine.run('chat', { query, collection: 'tables' }));
  expect((await ask('When does the Berlin store close on weekdays?')).answer).toContain('10:00–19:00');
  expect((await ask('What are the opening hours of the shop in Munich?')).answer_confidence.level).not.toBe('high');
  for (const query of ['What is the capital of France?', 'Who is the mayor of Kiel?'])
    expect((await ask(query)).answer_confidence.level).not.toBe('high');
});

test('a pasted message is explained although its code is not written, and a question about such a code is declined', async () => {
  const text = `# Server name\n\nIf the server could not reliably determine its fully qualified domain name, set ServerName to the address that clients use.`;
  await settle(engine.run('ingest', { markdown: [{ source: 'names.md', text }], storage: { collection: 'messages' } }));
  const ask = (query: string) => settle(engine.run('chat', { query, collection: 'messages' }));
  const pasted = await ask("AH00558: Could not reliably determine the server's fully qualified domain name");
  expect(pasted.answer).toContain('set ServerName');
  expect((await ask('How do I set the server name with AH00559?')).answer_confidence.level).toBe('none');
});
