import { hasCode } from '../../core/errors.ts';

/** Characters that every model accepts: a text of this length is not refused for being too long. */
const ALWAYS_READABLE = 500;

/**
 * Scores all texts in as few calls of `score` as possible: a request that is refused as too large is split in halves, and a single long text is cut. Throws
 * what `score` throws.
 */
export async function scoreInBatches(texts: readonly string[], score: (texts: readonly string[]) => Promise<number[]>): Promise<number[]> {
  try {
    return await score(texts);
  } catch (error) {
    if (!hasCode(error, 'too_large')) throw error;
    const [text = ''] = texts;
    const middle = Math.ceil(texts.length / 2);
    if (texts.length > 1)
      return [...(await scoreInBatches(texts.slice(0, middle), score)), ...(await scoreInBatches(texts.slice(middle), score))];
    if (text.length <= ALWAYS_READABLE) throw error;
    return scoreInBatches([text.slice(0, Math.ceil(text.length / 2))], score);
  }
}
