import type { Embedder } from '../ports/models.ts';

/** Returns the cosines of texts and a question, on the scale of the embedder; undefined without an embedder or if it cannot read the question. */
export type Comparison = (texts: readonly string[]) => Promise<number[] | undefined>;

/** Minimum coverage of the question by the embedder. */
const LEAST_READ = 0.5;

const dot = (a: Float32Array, b: Float32Array): number => a.reduce((sum, value, i) => sum + value * b[i]!, 0);

/** Creates a comparison with a question, which is embedded once. */
export function createComparison(
  query: string,
  { embedder, signal }: { embedder?: Embedder | undefined; signal?: AbortSignal | undefined },
): Comparison {
  if (!embedder || (embedder.coverage?.(query) ?? 1) < LEAST_READ) return async () => undefined;
  const [unrelated, alike] = embedder.cosine_range ?? [0, 1];
  let embedded: Promise<Float32Array[]> | undefined;
  return async (texts) => {
    if (texts.length === 0) return undefined;
    embedded ??= embedder.embed([query], { input_type: 'query', signal });
    const [[question], vectors] = await Promise.all([embedded, embedder.embed([...texts], { input_type: 'document', signal })]);
    return vectors.map((vector) => (dot(vector, question!) - unrelated) / (alike - unrelated));
  };
}
