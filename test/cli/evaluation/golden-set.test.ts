import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { missedGates, readGates } from '../../../src/cli/evaluation/evaluation-report.ts';
import { readGoldenSet } from '../../../src/cli/evaluation/run-evaluation.ts';
import { folder } from '../../support/folder.ts';
import { summarize } from '../../../src/stages/evaluate/summarize.ts';

const read = async (name: string, text: string) => await readGoldenSet(join(folder({ [name]: text }), name));
const GOLD = [{ question: 'How tall?', gold: [{ source: 'a.md', needle: 'two, three' }], type: 'fact', answerable: true }];

describe('a golden set', () => {
  it('is the same in every format', async () => {
    expect(await read('g.jsonl', `${JSON.stringify(GOLD[0])}\n\n`)).toEqual(GOLD);
    expect(await read('g.json', JSON.stringify(GOLD))).toEqual(GOLD);
    expect(
      await read('g.yaml', '- question: How tall?\n  gold: [{source: a.md, needle: "two, three"}]\n  type: fact\n  answerable: true\n'),
    ).toEqual(GOLD);
    expect(
      await read('g.csv', '\uFEFFquestion,source,needle,heading,type,answerable\r\nHow tall?,a.md,"two, three",,fact,yes\r\n'),
    ).toEqual(GOLD);
  });

  it('may hold conversations, and unanswerable questions', async () => {
    const rows = [
      { turns: ['What is it?', 'And how tall?'], must: [['/two|2/']] },
      { question: 'Who won?', answerable: false },
    ];
    expect(await read('g.jsonl', rows.map((row) => JSON.stringify(row)).join('\n'))).toEqual(rows);
  });

  it.each([
    ['g.jsonl', '{"question": "a"}\n{"question": ""}', /g\.jsonl, line 2: question: /],
    ['g.jsonl', '{"question": "a", "gould": []}', /line 1: gould: .*unknown.*"gold"/],
    ['g.jsonl', '{"question": "a"', /line 1 is not JSON/],
    ['g.jsonl', '{"id": "x"}', /line 1: A row has either a question or turns\./],
    ['g.jsonl', '{"question": "a", "gold": [{"needle": "x"}]}', /line 1: .*A gold passage has a source\./],
    ['g.jsonl', '{"question": "a", "must": [["/(/"]]}', /line 1: must\[0\]\[0\]: .*regular expression/],
    ['g.yaml', 'question: a', /a list of questions is expected/],
    ['g.yaml', '- question: a\n- 7', /question 2: /],
    ['g.csv', 'question,colour\na,b', /no column "colour"/],
    ['g.csv', 'question,answerable\na,perhaps', /row 2: answerable: /],
    ['g.jsonl', '\n', /holds no question/],
  ])('with a mistake names the row: %s %j', async (name, text, message) => {
    await expect(read(name, text)).rejects.toMatchObject({ code: 'usage', message: expect.stringMatching(message) });
  });

  it('that does not exist is named', async () => {
    await expect(readGoldenSet('nowhere.jsonl')).rejects.toMatchObject({
      code: 'usage',
      message: expect.stringContaining('nowhere.jsonl'),
    });
  });
});

describe('gates', () => {
  const result = summarize([{ id: 'a', question: 'a', answerable: true, rank: 2, milliseconds: 1, must: false }], {
    errors: [],
    failed: 0,
    missing_sources: [],
    lists: false,
  });

  it('pass if the figure is equal or greater', () => {
    expect(missedGates(result, readGates({ 'min-recall': '1', 'min-mrr': '0.5', 'min-recall@10': '0.9' }))).toEqual([]);
  });

  it('say which figure is missed, and by how much', () => {
    expect(missedGates(result, readGates({ 'min-recall@1': '0.5' }))).toEqual(['--min-recall@1 0.5: recall@1 is 0.000.']);
  });

  it('are missed if the set has no question for them', () => {
    expect(missedGates(result, readGates({ 'min-right': '0' }))).toEqual([expect.stringContaining('no question')]);
  });

  it.each(['1.5', '-0.1', 'x', ' '])('are rejected with %j', (value) => {
    expect(() => readGates({ 'min-recall': value })).toThrow(/a number from 0 to 1/);
  });
});
