import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { write } from '../support/folder.ts';
import { kb } from '../support/program.ts';
import { runCommand } from '../support/run-command.ts';

const ROWS = [
  { id: 'first', question: 'zebra dawn', gold: [{ source: 'a.md' }] },
  { id: 'second', question: 'heron', gold: [{ source: 'a.md', needle: 'river' }] },
];

let cwd: string;
beforeAll(async () => {
  cwd = mkdtempSync(join(tmpdir(), 'kb-test-'));
  write(cwd, {
    'a.md': '# Zebra\n\nzebra zebra crossing the road at dawn near the river.\n',
    'b.md': '# Heron\n\nThe heron eats a fish while one zebra looks on from the far side of the pond.\n',
    'golden.jsonl': ROWS.map((row) => JSON.stringify(row)).join('\n'),
    'wide.yaml': 'retrieval:\n  top_k: 20\n',
  });
  await runCommand(['ingest', '--docs', '.'], { cwd });
});
afterAll(() => rmSync(cwd, { recursive: true, force: true }));

describe('kb eval', () => {
  it('prints a table and the worst questions, and writes the report to a file', async () => {
    const done = await kb(['eval', 'golden.jsonl', '--report', 'report.md', '--quiet'], { cwd });
    expect(done).toMatchObject({ code: 0, error: '' });
    expect(done.out).toMatch(/\| all +\| 2 \| 50% \|/);
    expect(done.out).toMatch(/\*\*second\*\* heron: gold passage not found/);
    expect(readFileSync(join(cwd, 'report.md'), 'utf8')).toBe(done.out);
  });

  it('ends with 1 if a gate is missed, and says which', async () => {
    expect((await runCommand(['eval', 'golden.jsonl', '--min-recall', '0.5'], { cwd })).code).toBe(0);
    const missed = await runCommand(['eval', 'golden.jsonl', '--min-recall', '0.9', '--json'], { cwd });
    expect(missed).toMatchObject({ code: 1, error: expect.stringContaining('Missed: --min-recall 0.9: recall@5 is 0.500.') });
    expect(JSON.parse(missed.out)).toMatchObject({ questions: 2, missed: [expect.stringContaining('recall@5')] });
  });

  it('compares two configurations over the same questions', async () => {
    write(cwd, { 'narrow.yaml': 'retrieval:\n  mode: text\n' });
    const done = await runCommand(['eval', 'golden.jsonl', '--compare', 'wide.yaml', 'narrow.yaml', '--json'], { cwd });
    expect(done.code).toBe(0);
    expect(JSON.parse(done.out)).toMatchObject({
      first: { config: 'wide.yaml', result: { questions: 2 } },
      second: { config: 'narrow.yaml' },
      differences: { 'recall@5': { difference: 0, better: 0, worse: 0 } },
    });
  });

  it('proposes rows that it can read', async () => {
    const { out } = await runCommand(['eval', '--generate', '2'], { cwd });
    write(cwd, { 'made.jsonl': out });
    expect((await runCommand(['eval', 'made.jsonl', '--min-recall', '1'], { cwd })).code).toBe(0);
  });

  it('proposes no question about a passage with too little content', async () => {
    const folder = join(cwd, 'short');
    mkdirSync(folder);
    write(folder, { 'a.md': '# A\n\nShort.', 'b.md': `# B\n\n${'The gate is locked at ten by whoever leaves last. '.repeat(3)}` });
    await runCommand(['ingest', '--docs', '.', '--quiet'], { cwd: folder });
    const { out } = await runCommand(['eval', '--generate', '2'], { cwd: folder });
    expect(
      out
        .trim()
        .split('\n')
        .map((line) => basename(JSON.parse(line).gold[0].source)),
    ).toEqual(['b.md']);
  });

  it.each([
    [['eval'], /needs a golden set/],
    [['eval', 'nowhere.jsonl'], /nowhere\.jsonl/],
    [['eval', 'golden.jsonl', '--min-recall', '7'], /a number from 0 to 1/],
    [['eval', 'golden.jsonl', '--min-beauty', '0.5'], /min-beauty/],
    [['eval', 'golden.jsonl', '--compare', 'wide.yaml'], /two configuration files, not 1/],
  ])('refuses %j', async (args, message) => {
    expect(await runCommand(args, { cwd })).toMatchObject({ code: 2, error: expect.stringMatching(message) });
  });
});
