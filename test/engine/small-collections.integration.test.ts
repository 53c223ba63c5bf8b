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

test('a handbook of eight pages answers plain questions, and is sure of it', () => {
  const right = asked.filter(({ question, result }) => judgeAnswer(question, result) === 'right');
  const sure = right.filter(({ result }) => result.answer_confidence.level === 'high');
  expect(right.length).toBeGreaterThanOrEqual(22);
  expect(sure.length / right.length).toBeGreaterThanOrEqual(0.85);
});

test('it declines questions on other subjects, and is sure of nothing that it does not say', () => {
  const unanswerable = asked.filter(({ question }) => question.answerable === false);
  const elsewhere = unanswerable.filter(({ question }) => question.type === 'elsewhere');
  const declined = elsewhere.filter(({ result }) => result.answer_confidence.level === 'none');
  expect(declined.length / elsewhere.length).toBeGreaterThanOrEqual(0.95);
  expect(unanswerable.filter(({ result }) => result.answer_confidence.level === 'high').length).toBeLessThanOrEqual(1);
});

test('the row of a code is a sure answer, and the addresses in a table are in no language', async () => {
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
