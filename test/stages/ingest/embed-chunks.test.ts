import { describe, expect, it } from 'vitest';
import { type ErrorCode, KbError } from '../../../src/core/errors.ts';
import { collect } from '../../../src/core/run.ts';
import type { Embedder } from '../../../src/ports/models.ts';
import { embedChunks, embedTexts } from '../../../src/stages/ingest/embed-chunks.ts';

/** An embedder whose vectors are a text's length, and that refuses a request when `refuses` says why. */
function embedderThat(refuses: (texts: readonly string[]) => ErrorCode | undefined = () => undefined) {
  const calls: string[][] = [];
  const embedder: Embedder = {
    provider: 'test',
    model: 'lengths',
    dimensions: 1,
    concurrency: 2,
    min_retrieval_score: 0,
    coverage: () => 1,
    embed: async (texts) => {
      calls.push([...texts]);
      const code = refuses(texts);
      if (code) throw new KbError(code, `${code}.`, { isRetryable: code === 'unavailable', attempts: 4 });
      return texts.map((text) => Float32Array.of(text.length));
    },
    close: async () => {},
  };
  const embed = (texts: string[], signal?: AbortSignal) => embedTexts(texts, { embedder, input_type: 'document', signal });
  return { embedder, calls, embed };
}

const outcomes = (found: (Float32Array | KbError)[]) => found.map((item) => (item instanceof KbError ? item.code : item[0]));
const texts = (count: number) => Array.from({ length: count }, (_, i) => 'x'.repeat(i + 1));

describe('embedTexts', () => {
  it('embeds all texts in one request, in order', async () => {
    const { embed, calls } = embedderThat();
    expect(outcomes(await embed(texts(5)))).toEqual([1, 2, 3, 4, 5]);
    expect(calls).toHaveLength(1);
  });

  it('halves a request that is too large until it fits', async () => {
    const { embed, calls } = embedderThat((given) => (given.length > 7 ? 'too_large' : undefined));
    expect(outcomes(await embed(texts(64)))).toEqual(Array.from({ length: 64 }, (_, i) => i + 1));
    expect(calls.map((given) => given.length)).toEqual([
      64, 32, 16, 8, 4, 4, 8, 4, 4, 16, 8, 4, 4, 8, 4, 4, 32, 16, 8, 4, 4, 8, 4, 4, 16, 8, 4, 4, 8, 4, 4,
    ]);
  });

  it('loses only one text if that is too large by itself', async () => {
    const { embed } = embedderThat((given) => (given.some((text) => text.length === 3) ? 'too_large' : undefined));
    expect(outcomes(await embed(texts(4)))).toEqual([1, 2, 'too_large', 4]);
  });

  it('finds the bad texts of a batch at any position, and loses no other', async () => {
    for (const bad of [[1], [64], [30], [5, 6, 50]]) {
      const { embed, calls } = embedderThat((given) => (given.some((text) => bad.includes(text.length)) ? 'invalid' : undefined));
      expect(outcomes(await embed(texts(64)))).toEqual(Array.from({ length: 64 }, (_, i) => (bad.includes(i + 1) ? 'invalid' : i + 1)));
      expect(calls.length).toBeLessThanOrEqual(1 + bad.length * 12);
    }
  });

  it('stops sending single texts if the texts are not the cause', async () => {
    const { embed, calls } = embedderThat(() => 'invalid');
    expect(outcomes(await embed(texts(64)))).toEqual(Array.from({ length: 64 }, () => 'invalid'));
    expect(calls.length).toBeLessThanOrEqual(16);
  });

  it('gives every text the error that remains after the retries, without another request', async () => {
    const { embed, calls } = embedderThat(() => 'unavailable');
    const found = await embed(texts(10));
    expect(found).toHaveLength(10);
    for (const item of found) expect(item).toMatchObject({ code: 'unavailable', isRetryable: true, attempts: 4 });
    expect(calls).toHaveLength(1);
  });

  it('throws an error that would affect every further text', async () => {
    for (const code of ['unauthorized', 'setup', 'configuration', 'aborted'] as const) {
      const { embed, calls } = embedderThat(() => code);
      await expect(embed(texts(8))).rejects.toMatchObject({ code });
      expect(calls).toHaveLength(1);
    }
  });

  it('does not send an empty text', async () => {
    const { embed, calls } = embedderThat();
    expect(outcomes(await embed(['', 'ab', ' \n']))).toEqual(['invalid', 2, 'invalid']);
    expect(calls).toEqual([['ab']]);
    expect(outcomes(await embed(['', '']))).toEqual(['invalid', 'invalid']);
    expect(calls).toHaveLength(1);
  });

  it('sends no request after the work was stopped', async () => {
    const { embed, calls } = embedderThat();
    await expect(embed(texts(3), AbortSignal.abort())).rejects.toMatchObject({ code: 'aborted' });
    expect(calls).toEqual([]);
  });
});

describe('embedChunks', () => {
  const chunk = (id: string, text: string, rest: object = {}) => ({ id, text, source: `${id}.md`, metadata: {}, ...rest });

  it('embeds embed_text in batches, and names the model', async () => {
    const { embedder, calls } = embedderThat();
    const chunks = [chunk('a', 'one', { embed_text: 'Title: one' }), chunk('b', 'three'), chunk('c', 'five')];
    const { events, result } = await collect(embedChunks({ chunks, embedder, batch_size: 2, input_type: 'document' }));
    expect(calls).toEqual([['Title: one', 'three'], ['five']]);
    expect(result).toMatchObject({ inputs: 3, embedded: 3, failed: 0, errors: [] });
    expect(result.items[0]).toEqual({ ...chunks[0], embedding: [10], embedder: { provider: 'test', model: 'lengths' } });
    expect(events.map(({ data }) => data.embedded)).toEqual([2, 3]);
  });

  it('reports a failing chunk beside the embedded ones', async () => {
    const { embedder } = embedderThat((given) => (given.includes('POISON') ? 'invalid' : undefined));
    const chunks = [chunk('a', 'one'), chunk('b', 'POISON'), chunk('c', 'POISON', { source: '' })];
    const { result } = await collect(embedChunks({ chunks, embedder, batch_size: 64, input_type: 'document' }));
    expect(result).toMatchObject({ inputs: 3, embedded: 1, failed: 2 });
    expect(result.errors).toEqual(
      ['b.md', 'c'].map((source) => ({ source, source_kind: 'chunk', stage: 'embed', error: 'invalid.', isRetryable: false, attempts: 4 })),
    );
  });

  it('writes numbers that come back as the same 32-bit floats', async () => {
    const { embedder } = embedderThat();
    const vector = Float32Array.from({ length: 1000 }, (_, i) => Math.sin(i) / 3);
    const exact = { ...embedder, embed: async () => [vector] };
    const { result } = await collect(embedChunks({ chunks: [chunk('a', 'one')], embedder: exact, batch_size: 1, input_type: 'document' }));
    const written = JSON.parse(JSON.stringify(result.items[0]!.embedding)) as number[];
    expect(Float32Array.from(written)).toEqual(vector);
    expect(JSON.stringify(written).length).toBeLessThan(14 * vector.length);
  });

  it('throws an error that would affect every further chunk', async () => {
    const { embedder } = embedderThat(() => 'unauthorized');
    await expect(
      collect(embedChunks({ chunks: [chunk('a', 'one')], embedder, batch_size: 1, input_type: 'document' })),
    ).rejects.toMatchObject({ code: 'unauthorized' });
  });
});
