import { expect, it } from 'vitest';
import type { RetrieveResult } from '../../../src/schema/answers.ts';
import { fuseCollections } from '../../../src/stages/retrieve/fuse.ts';

type Hit = [id: string, score: number, rerank_score?: number];

const found = (collection: string, hits: Hit[], rest: Partial<RetrieveResult> = {}) => ({
  collection,
  result: {
    query: 'q',
    search_query: 'q',
    retrieved: hits.length,
    items: hits.map(([id, score, rerank_score]) => ({
      id,
      chunk_id: id,
      text: `Text of ${id}.`,
      metadata: { source: id },
      score,
      ...(rerank_score === undefined ? {} : { rerank_score }),
    })),
    failed: 0,
    errors: [],
    ...rest,
  },
});
const listed = ({ items }: RetrieveResult) => items.map(({ collection, id }) => `${collection} ${id}`);

it('the first of each collection stands before the second of any, equal ranks by score', () => {
  const fused = fuseCollections(
    [
      found('a', [
        ['1', 0.5],
        ['2', 0.4],
        ['3', 0.3],
      ]),
      found('b', [
        ['4', 0.9],
        ['5', 0.2],
      ]),
    ],
    4,
  );
  expect(listed(fused)).toEqual(['b 4', 'a 1', 'a 2', 'b 5']);
  expect(fused.retrieved).toBe(4);
});

it('reranked items are ordered by their rerank scores', () => {
  expect(
    listed(
      fuseCollections(
        [
          found('a', [
            ['1', 0.1, 9],
            ['2', 0.1, 8],
          ]),
          found('b', [['3', 0.9, 1]]),
        ],
        5,
      ),
    ),
  ).toEqual(['a 1', 'a 2', 'b 3']);
});

it('a document that is stored in both is there once', () => {
  expect(
    listed(
      fuseCollections(
        [
          found('a', [['1', 0.5]]),
          found('b', [
            ['1', 0.5],
            ['2', 0.1],
          ]),
        ],
        5,
      ),
    ),
  ).toEqual(['a 1', 'b 2']);
});

it('a failure that both meet is told once, and a notice where it holds for all', () => {
  const error = { source: 'q', source_kind: 'query', stage: 'retrieve', error: 'It is down.', isRetryable: true, attempts: 1 } as const;
  const failed = { errors: [error], failed: 1 };
  expect(fuseCollections([found('a', [], failed), found('b', [], failed)], 5)).toMatchObject({ failed: 1, errors: [error] });
  const notice = { notice: 'No such field.' };
  expect(fuseCollections([found('a', [], notice), found('b', [])], 5)).not.toHaveProperty('notice');
  expect(fuseCollections([found('a', [], notice), found('b', [], notice)], 5)).toMatchObject(notice);
});
