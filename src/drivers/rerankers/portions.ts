import { hasCode } from '../../core/errors.ts';

/** Characters that every model reads: a text that is refused with no more is not too long. */
const READABLE = 500;

/**
 * Scores all texts in as few calls of `ask` as possible: a request that is refused as too large is sent again in halves; a single long text
 * is cut. Throws what `ask` throws.
 */
export async function inPortions(texts: readonly string[], ask: (texts: readonly string[]) => Promise<number[]>): Promise<number[]> {
  try {
    return await ask(texts);
  } catch (error) {
    if (!hasCode(error, 'too_large')) throw error;
    const [text = ''] = texts;
    const middle = Math.ceil(texts.length / 2);
    if (texts.length > 1) return [...(await inPortions(texts.slice(0, middle), ask)), ...(await inPortions(texts.slice(middle), ask))];
    if (text.length <= READABLE) throw error;
    return inPortions([text.slice(0, Math.ceil(text.length / 2))], ask);
  }
}
