import fc from 'fast-check';
import { expect, test } from 'vitest';
import { openLocalReranker, splitWindows } from '../../../src/drivers/rerankers/local-reranker.ts';
import type { Embedder } from '../../../src/ports/models.ts';

const MEANINGS = [/filter|cartridge/gi, /replace|interval|often/gi, /canteen|lunch/gi];

function meaning(text: string): Float32Array {
  const counts = MEANINGS.map((words) => 0.1 + (text.match(words)?.length ?? 0));
  const length = Math.hypot(...counts);
  return Float32Array.from(counts, (count) => count / length);
}

/** An embedder that knows three meanings, an axis each, and tells what it was asked. */
function embedder(provider = 'local', coverage?: Embedder['coverage']): Embedder & { asked: string[] } {
  const asked: string[] = [];
  return {
    provider,
    model: 'meanings',
    dimensions: MEANINGS.length,
    concurrency: 1,
    min_retrieval_score: 0.5,
    ...(coverage && { coverage }),
    asked,
    embed: async (texts) => {
      asked.push(...texts);
      return texts.map(meaning);
    },
    close: async () => {},
  };
}

const none = () => Promise.reject(new Error('not needed'));
const reranker = (openEmbedder: () => Promise<Embedder> = none) => openLocalReranker({ model: 'meanings', openEmbedder });
const passage = (text: string, { score = 0.5, ...metadata }: Record<string, unknown> & { score?: number } = {}) => ({
  text,
  score,
  metadata,
});

const QUESTION = 'How often is the filter cartridge replaced?';
const OTHER = 'Lunch is served in the canteen at noon, and the canteen closes at two. ';

test('ranks the passage first that has a sentence with the same meaning, among any other text', async () => {
  const [all, part, other] = await reranker().rank(
    QUESTION,
    [passage('The filter cartridge is replaced every 90 days.'), passage(`${OTHER.repeat(8)}The filter cartridge is replaced every 90 days.`), passage(OTHER)], // prettier-ignore
    { embedder: embedder() },
  );
  expect(all).toBeGreaterThan(other!);
  expect(part).toBeGreaterThan(other! + 0.1);
});

test('raises a passage whose title and headings match', async () => {
  const text = 'Often: every 90 days, or when the lamp is red.';
  const [plain, titled, headed] = await reranker().rank(
    QUESTION,
    [passage(text), passage(text, { title: 'Replacing the filter' }), passage(text, { location: { headings: ['Replacing the filter'] } })],
    { embedder: embedder() },
  );
  expect(titled).toBeGreaterThan(plain!);
  expect(headed).toBeCloseTo(titled!);
});

test.each(['The filter cartridge lasts 90 days.', 'filter cartridge'])(
  'keeps the retrieval scores for "%s", which is not a question',
  async (query) => {
    const reader = embedder();
    const scores = await reranker().rank(query, [passage(OTHER, { score: 0.4 }), passage(query, { score: 0.2 })], { embedder: reader });
    expect(scores).toEqual([0.4, 0.2]);
    expect(reader.asked).toEqual([]);
  },
);

test("keeps the retrieval scores if the model does not cover the question's language", async () => {
  const reader = embedder('local', () => 0.1);
  const scores = await reranker().rank('过滤器多久更换一次？', [passage('a', { score: 0.2 }), passage('b', { score: 0.4 })], {
    embedder: reader,
  });
  expect(scores).toEqual([0.2, 0.4]);
});

test.each([['openai'], [undefined]])('opens its own model once for a collection embedded by %s', async (provider) => {
  const own = embedder();
  const theirs = provider === undefined ? undefined : embedder(provider);
  let opened = 0;
  const { rank } = reranker(async () => ((opened += 1), own));
  for (let turn = 0; turn < 2; turn++) await rank(QUESTION, [passage(OTHER)], { embedder: theirs });
  expect(opened).toBe(1);
  expect(theirs?.asked ?? []).toEqual([]);
  expect(own.asked).toContain(QUESTION);
});

test('tries to open its model again after a failure', async () => {
  const opened = [Promise.reject(new Error('missing')), Promise.resolve(embedder())];
  const { rank, close } = reranker(() => opened.shift()!);
  await expect(rank(QUESTION, [passage(OTHER)], {})).rejects.toThrow('missing');
  expect(await rank(QUESTION, [passage(OTHER)], {})).toHaveLength(1);
  await close();
});

test('splits text into overlapping windows of whole sentences, at most 300 characters each', () => {
  const text = Array.from({ length: 20 }, (_, i) => `Sentence ${i} says something about the pump and its filter.`).join(' ');
  const windows = splitWindows(text);
  expect(windows.length).toBeGreaterThan(4);
  for (const window of windows) expect(window).toMatch(/^Sentence .{0,280}\.$/);
  for (let i = 0; i < 20; i++) expect(windows.some((window) => window.includes(`Sentence ${i} says`))).toBe(true);
  for (const [i, window] of windows.slice(1).entries()) expect(windows[i]).toContain(window.slice(0, 40));
});

test('keeps each word of any text, and cuts text without sentences between words', () => {
  fc.assert(
    fc.property(fc.array(fc.constantFrom('pump', 'filter.', 'cartridge', 'e.g.', '过滤器', 'x'.repeat(90)), { maxLength: 80 }), (words) => {
      const windows = splitWindows(words.join(' '));
      const held = new Set(windows.flatMap((window) => window.split(' ')));
      for (const word of words) expect(held.has(word)).toBe(true);
      for (const window of windows) expect(window.length).toBeLessThanOrEqual(300);
    }),
  );
  expect(splitWindows('x'.repeat(1000)).join('')).toHaveLength(1000);
});

test('gives each passage one reproducible score between 0 and 1', async () => {
  const word = fc.constantFrom('pump', 'filter', 'cartridge', 'replace', 'the', '过滤器', 'ERR-4042', '');
  const text = fc.array(word, { maxLength: 60 }).map((words) => words.join(' '));
  const passages = fc.array(fc.record({ text, score: fc.double({ min: 0, max: 1, noNaN: true }), metadata: fc.record({ title: text }) }), {
    maxLength: 20,
  });
  await fc.assert(
    fc.asyncProperty(text, passages, async (query, given) => {
      const scores = await reranker().rank(`${query}?`, given, { embedder: embedder() });
      expect(scores).toHaveLength(given.length);
      for (const score of scores) expect(score >= 0 && score <= 1).toBe(true);
      expect(await reranker().rank(`${query}?`, given, { embedder: embedder() })).toEqual(scores);
    }),
  );
});
