import { expect, it } from 'vitest';
import { parseRequest } from '../../src/core/parse-request.ts';
import { EditRequest, StoreRequest } from '../../src/schema/requests.ts';
import { DocsInput } from '../../src/schema/source-entries.ts';
import { Storage } from '../../src/schema/config.ts';

const stored = (embedding: unknown) => ({ embedded_chunks: [{ id: 'a', text: 'x', embedding }] });

it('accept a vector of numbers, and report only the first entry that is no number', () => {
  expect(parseRequest(StoreRequest, stored([0.5, 0, -1e-9])).embedded_chunks[0]?.embedding).toEqual([0.5, 0, -1e-9]);
  for (const [vector, problem] of [
    [[1, 'x', 'y', null], 'embedding[1]: a number is expected, not a text.'],
    [[1, 2, null], 'embedding[2]: a number is expected, not null.'],
    [[Infinity], 'embedding[0]: a number is expected, not Infinity.'],
    ['x', 'embedding: a list is expected, not a text.'],
    [Array(16_385).fill(0), 'embedding: at most 16,384 entries are expected.'],
  ] as const)
    expect(() => parseRequest(StoreRequest, stored(vector))).toThrow(`embedded_chunks[0].${problem}`);
});

it('accept one change per chunk', () => {
  const change = (id: string) => ({ id, text: 'x' });
  expect(parseRequest(EditRequest, { chunks: ['a', 'b'].map(change) }).chunks).toHaveLength(2);
  expect(() => parseRequest(EditRequest, { chunks: ['a', 'b', 'a'].map(change) })).toThrow(
    'The chunk «a» is given twice: give each chunk once.',
  );
  const long = 'a'.repeat(5000);
  expect(() => parseRequest(EditRequest, { chunks: [long, long].map(change) })).toThrow(`The chunk «${'a'.repeat(100)}…» is given twice`);
});

it('accept paths as long as the system does', () => {
  const [longest, longer] = ['a'.repeat(4096), 'a'.repeat(4097)];
  for (const docs of [
    (path: string) => path,
    (path: string) => [path],
    (path: string) => ({ folder: path }),
    (path: string) => [{ path }],
  ]) {
    expect(() => parseRequest(DocsInput, docs(longest))).not.toThrow();
    expect(() => parseRequest(DocsInput, docs(longer))).toThrow('at most 4,096 characters');
  }
  const url = Storage.shape.url;
  expect([url.safeParse(longest).success, url.safeParse(longer).success]).toEqual([true, false]);
});
