import { KbError } from '../core/errors.ts';
import { keepUnlessFailed } from '../core/concurrency.ts';

/** The vocabulary of OpenAI's embedding models: the bytes of each token as base64, by its number. */
const vocabulary = keepUnlessFailed(async () => {
  const { bpe_ranks } = (await import('js-tiktoken/ranks/cl100k_base')).default;
  const lines = bpe_ranks.split('\n').filter(Boolean); // each has a mark, the number of its first token, and the tokens from that one on
  return new Map(
    lines.flatMap((line) => {
      const [, first, ...tokens] = line.split(' ');
      return tokens.map((token, i) => [Number(first) + i, token] as const);
    }),
  );
});

/**
 * Decodes tokens of OpenAI's embedding models (cl100k_base), which some clients send in place of a text. Throws a KbError (`usage`) for a number that is no
 * token.
 */
export async function decodeTokens(tokens: readonly number[]): Promise<string> {
  const bytesByToken = await vocabulary();
  const parts = tokens.map((token) => {
    const bytes = bytesByToken.get(token);
    if (bytes === undefined)
      throw new KbError('usage', `input: ${token} is no token of cl100k_base, the vocabulary of OpenAI's embedding models.`, {
        hint: 'Send texts, which every model reads.',
      });
    return Buffer.from(bytes, 'base64');
  });
  return Buffer.concat(parts).toString();
}
