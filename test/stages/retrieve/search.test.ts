import { expect, it, test } from 'vitest';
import { settle } from '../../../src/core/run.ts';
import type { ErrorItem, RetrievedItem } from '../../../src/schema/items.ts';
import { fuseCollections, searchEach, searchesFor } from '../../../src/stages/retrieve/search.ts';
import type { RetrieveResult } from '../../../src/schema/answers.ts';

const item = (id: string, score: number, rerank_score?: number): RetrievedItem => ({
  id,
  chunk_id: id,
  text: id,
  metadata: { source: id },
  score,
  ...(rerank_score === undefined ? {} : { rerank_score }),
});

/** A search that finds for each query what is given for it. */
const finding = (found: Record<string, RetrievedItem[]>, errors: ErrorItem[] = []) =>
  // oxlint-disable-next-line require-yield
  async function* (search_query: string) {
    const items = found[search_query] ?? [];
    return { query: 'asked', search_query, items, retrieved: items.length, errors, failed: errors.length };
  };
const ids = (items: readonly RetrievedItem[]) => items.map(({ id }) => id);

test('searches for each joined question beside the whole, and once for a single question', () => {
  expect(searchesFor('How long is the warranty?')).toEqual(['How long is the warranty?']);
  expect(searchesFor('How long is the warranty and what does the pump cost?')).toEqual([
    'How long is the warranty and what does the pump cost?',
    'How long is the warranty?',
    'what does the pump cost?',
  ]);
  expect(searchesFor('Which pump is it? What does it cost and who sells pumps?').slice(1)).toEqual([
    'Which pump is it? What does it cost?',
    'Which pump is it? who sells pumps?',
  ]);
  const followUp = 'How loud is the small pump? What does the large pump cost?';
  expect(searchesFor(followUp)).toHaveLength(3);
  expect(searchesFor(followUp, { question: 'What does the large pump cost?' })).toEqual([followUp]);
  const asked = 'How long is the warranty and what does the pump cost?';
  expect(searchesFor(asked, { isReranked: true })).toEqual([asked]);
});

test('merges the best of each search, each chunk once with its best score, up to the length of one search', async () => {
  const found = {
    whole: [item('a', 0.6), item('b', 0.5), item('c', 0.4)],
    one: [item('b', 0.8), item('a', 0.5), item('d', 0.4)],
    two: [item('e', 0.7), item('f', 0.3), item('a', 0.2)],
  };
  const { items, retrieved, search_query } = await settle(searchEach(['whole', 'one', 'two'], finding(found)));
  expect(items.map(({ id, score }) => [id, score])).toEqual([
    ['b', 0.8],
    ['e', 0.7],
    ['a', 0.6],
  ]);
  expect([retrieved, search_query]).toEqual([3, 'whole']);
});

test('orders reranked items by their rerank scores', async () => {
  const found = { whole: [item('a', 0.9, 1), item('b', 0.8, 0)], one: [item('c', 0.1, 3)], two: [item('a', 0.5, 2)] };
  expect(ids((await settle(searchEach(['whole', 'one', 'two'], finding(found)))).items)).toEqual(['c', 'a']);
});

test('reports a failure of all searches once', async () => {
  const failure: ErrorItem = { source: 'x', source_kind: 'query', stage: 'rerank', error: 'No.', isRetryable: true, attempts: 1 };
  const { errors, failed } = await settle(searchEach(['whole', 'one'], finding({}, [failure])));
  expect([errors, failed]).toEqual([[failure], 1]);
});

test('passes on a single search unchanged', async () => {
  const items = [item('a', 0.2), item('b', 0.9)];
  expect((await settle(searchEach(['whole'], finding({ whole: items })))).items).toEqual(items);
});

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

it('ranks the first of each collection before the second of any, and equal ranks by score', () => {
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

it('orders reranked items of collections by their rerank scores', () => {
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

it('lists a document once that is stored in both collections', () => {
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

it('reports a failure of both collections once, and a notice if all have it', () => {
  const error = { source: 'q', source_kind: 'query', stage: 'retrieve', error: 'It is down.', isRetryable: true, attempts: 1 } as const;
  const failed = { errors: [error], failed: 1 };
  expect(fuseCollections([found('a', [], failed), found('b', [], failed)], 5)).toMatchObject({ failed: 1, errors: [error] });
  const notice = { notice: 'No such field.' };
  expect(fuseCollections([found('a', [], notice), found('b', [])], 5)).not.toHaveProperty('notice');
  expect(fuseCollections([found('a', [], notice), found('b', [], notice)], 5)).toMatchObject(notice);
});
