import { expect, test } from 'vitest';
import { explainLines } from '../../../src/cli/printers/show-hits.ts';
import type { ChatExplain } from '../../../src/schema/answers.ts';

const asked = { query: 'Both?', search_query: 'Both?' };
const explain: ChatExplain = {
  thresholds: { min_retrieval_score: 0.33 },
  searched: ['Both?', 'One\u0007?', 'Two?'],
  passages: [
    {
      id: 'a',
      title: 'Pump\u001b[2J',
      source: 'pump.md',
      rank: 1,
      score: 0.812_34,
      rerank_score: 2,
      arms: { text: { weight: 0.5, rank: 1, score: 7.2 }, fused: 1 },
      citation: 1,
      cited: true,
    },
    { id: 'b', title: 'Bell', source: 'bell.md', rank: 2, score: 0.1, rejected: 'min_retrieval_score', cited: false },
    { id: 'c', title: 'Lamp', source: 'lamp.md', rank: 3, score: 0.5, rejected: 'room', cited: false },
  ],
  stages: [
    { stage: 'retrieval', milliseconds: 12.5 },
    { stage: 'generation', milliseconds: 800 },
  ],
  calls: [
    {
      stage: 'generate',
      provider: 'openai',
      model: 'm',
      input_tokens: 11,
      output_tokens: 7,
      milliseconds: 790,
      messages: [{ role: 'system', content: 'Rules.\nMore\u0007 rules.' }],
    },
  ],
  window: { context_window: 8000, max_tokens: 1024 },
};

test('each passage, each question to the model and each stage has its line, and nothing acts on the terminal', () => {
  expect(explainLines(asked, explain)).toEqual([
    'searched for:',
    '  Both?',
    '  One?',
    '  Two?',
    'thresholds: min_retrieval_score 0.330',
    'passages:',
    '  1. Pump — pump.md: score 0.812; reranked 2; text weight 0.500 rank 1 score 7.200; fused 1: given as [1], cited',
    '  2. Bell — bell.md: score 0.100: below min_retrieval_score',
    '  3. Lamp — lamp.md: score 0.500: left out: no room',
    'window: 8000 tokens, 1024 of them for the answer',
    'asked:',
    '  generate: openai / m, 11 tokens in, 7 out, 790 ms',
    '    system:',
    '      Rules.',
    '      More rules.',
    'time: retrieval 12.5 ms, generation 800 ms',
  ]);
});

test('a turn that needed nothing has nothing to explain', () => {
  expect(explainLines(asked, { thresholds: {}, passages: [], stages: [], calls: [] })).toEqual([]);
});

test('a question that was rewritten for the search is told as it was searched for', () => {
  const rewritten = { query: 'And the seals?', search_query: 'How long is the\nwarranty\u0007 on the seals?' };
  expect(explainLines(rewritten, { thresholds: {}, passages: [], stages: [], calls: [] })).toEqual([
    'searched for: How long is the warranty on the seals?',
  ]);
});

test('why there is no answer has a line, and so has an answerer that is sent no prompt', () => {
  const [call] = explain.calls;
  expect(
    explainLines(asked, {
      thresholds: {},
      passages: [],
      declined: 'Nothing was\u0007 found.',
      stages: [],
      calls: [{ ...call!, provider: 'local', model: 'extractive', messages: [] }],
    }),
  ).toEqual([
    'declined: Nothing was found.',
    'asked:',
    '  generate: local / extractive, 11 tokens in, 7 out, 790 ms',
    '    local quotes the passages and is sent no prompt',
  ]);
});
