import { expect, it } from 'vitest';
import { parseRequest } from '../../src/core/parse-request.ts';
import type { z } from 'zod';
import { ChatRequest, RetrieveRequest } from '../../src/schema/questions.ts';
import { ChunkRequest, EditRequest, IngestRequest, ScrapeRequest, StoreRequest } from '../../src/schema/requests.ts';
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
    'The chunk "a" is given twice: give each chunk once.',
  );
  const long = 'a'.repeat(5000);
  expect(() => parseRequest(EditRequest, { chunks: [long, long].map(change) })).toThrow(`The chunk "${'a'.repeat(100)}…" is given twice`);
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

it('accept messages that together are as long as a query', () => {
  const history = (...lengths: number[]) => lengths.map((length) => ({ role: 'user', content: 'x'.repeat(length) }));
  expect(parseRequest(ChatRequest, { query: 'a', history: history(50_000, 50_000) }).history).toHaveLength(2);
  expect(() => parseRequest(ChatRequest, { query: 'a', history: history(50_000, 50_001) })).toThrow(
    'history: at most 100,000 characters in all messages together is expected',
  );
});

it('accept names, addresses, titles and metadata of bounded length', () => {
  const rejected = (schema: z.ZodType, request: unknown, message: string) => expect(() => parseRequest(schema, request)).toThrow(message);
  const long = (length: number) => 'x'.repeat(length);
  rejected(RetrieveRequest, { query: 'a', model: long(257) }, 'model: at most 256 characters');
  rejected(ChatRequest, { query: 'a', llm_model: long(257) }, 'llm_model: at most 256 characters');
  rejected(ChatRequest, { query: 'a', persona: long(100_001) }, 'persona: at most 100,000 characters');
  rejected(ScrapeRequest, { url: `http://a.example/${long(8192)}` }, 'url: at most 8,192 characters');
  rejected(IngestRequest, { api: { url: `http://a.example/${long(8192)}` } }, 'api.url: at most 8,192 characters');
  rejected(ChunkRequest, { markdown: 'a', title: long(10_001) }, 'title: at most 10,000 characters');
  rejected(ChunkRequest, { markdown: [{ text: 'a', source: long(8193) }] }, 'markdown[0].source: at most 8,192 characters');
  rejected(
    IngestRequest,
    { markdown: [{ text: 'a', metadata: { note: long(100_000) } }] },
    'markdown[0].metadata: at most 100,000 characters of metadata, written as JSON',
  );
  const fields = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, i) => [`k${i}`, 1]));
  rejected(ChunkRequest, { markdown: [{ text: 'a', metadata: fields(1_001) }] }, 'markdown[0].metadata: at most 1,000 fields of metadata');
  expect(ChunkRequest.safeParse({ markdown: [{ text: 'a', metadata: fields(1_000) }] }).success).toBe(true);
  rejected(IngestRequest, { metadata: { note: Array(20).fill(long(10_000)) } }, 'metadata: at most 100,000 characters');
  rejected(
    ChunkRequest,
    { markdown: [{ text: 'a', marks: [{ at: 0, anchor: long(8193) }] }] },
    'markdown[0].marks[0].anchor: at most 8,192 characters',
  );
});
