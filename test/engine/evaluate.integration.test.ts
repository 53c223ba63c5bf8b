import { describe, expect, it } from 'vitest';
import { folder } from '../support/folder.ts';
import { engineIn, result } from '../support/engine.ts';

const ZOO = {
  'a.md': '# Zebra\n\nzebra zebra zebra crossing the road at dawn near the river, where it drinks and looks around.\n',
  'b.md': '# Heron\n\nThe heron eats a fish while one zebra looks on from the far side of the pond.\n',
  'c.md': '# Otter\n\nOtters hold hands when they sleep on water, so that they stay together.\n',
};

async function zoo() {
  const engine = engineIn(folder(ZOO));
  await result(engine, 'ingest', { docs: Object.keys(ZOO) });
  return engine;
}

describe('an evaluation', () => {
  it('asks every question, and for an answer only if one is expected', async () => {
    const { retrieval, answers, refusals, items, failed } = await result(await zoo(), 'evaluate', {
      questions: [
        { question: 'zebra dawn', gold: [{ source: 'a.md' }] },
        { question: 'What do otters hold when they sleep?', gold: [{ source: 'c.md', needle: 'hold hands' }], must: [['hands']] },
        { question: 'Who won the football world cup in 1974?', answerable: false },
      ],
    });
    expect(retrieval).toMatchObject({ 'recall@1': 1, mrr: 1 });
    expect(answers).toMatchObject({ right: 1 });
    expect(refusals).toEqual({ precision: 1, recall: 1 });
    expect(items.map(({ id, rank, verdict }) => [id, rank, verdict])).toEqual([
      ['1', 1, undefined],
      ['2', 1, 'right'],
      ['3', undefined, 'declined'],
    ]);
    expect(failed).toBe(0);
  });

  it('lists the sources of gold passages that are not stored', async () => {
    const { missing_sources, retrieval } = await result(await zoo(), 'evaluate', {
      questions: [
        { question: 'zebra dawn', gold: [{ source: 'a.md' }] },
        { question: 'What do otters do?', gold: [{ source: 'otters.md' }, { source: 'c.md' }] },
      ],
    });
    expect(missing_sources).toEqual(['otters.md']);
    expect(retrieval).toMatchObject({ 'recall@1': 1 });
  });

  it('judges the last turn of a conversation, with its own hits', async () => {
    const { items } = await result(await zoo(), 'evaluate', {
      questions: [
        { turns: ['What does the heron eat?', 'What do otters hold when they sleep?'], gold: [{ source: 'c.md' }], must: [['hands']] },
      ],
    });
    expect(items).toMatchObject([{ question: 'What do otters hold when they sleep?', rank: 1, verdict: 'right' }]);
  });

  it('fails with the reason if no question could be asked', async () => {
    const asking = result(engineIn(folder()), 'evaluate', { questions: [{ question: 'zebra', gold: [{ source: 'a.md' }] }] });
    await expect(asking).rejects.toMatchObject({ message: expect.stringMatching(/No question could be asked: .*no collection/) });
  });

  it('proposes questions whose passages it finds', async () => {
    const engine = await zoo();
    const { questions } = await result(engine, 'propose_questions', { count: 3 });
    expect(questions.map(({ gold }) => gold![0]!.source).toSorted()).toEqual(['a.md', 'b.md', 'c.md']);
    const { retrieval } = await result(engine, 'evaluate', { questions });
    expect(retrieval!['recall@5']).toBe(1);
  });

  it('proposes no more questions than there are passages', async () => {
    expect((await result(await zoo(), 'propose_questions', { count: 50 })).questions).toHaveLength(3);
  });
});
