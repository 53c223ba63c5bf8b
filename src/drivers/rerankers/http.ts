import { KbError } from '../../base/errors.ts';
import { retry } from '../../base/retry.ts';
import { visible } from '../../base/visible.ts';
import type { Reranker } from '../../ports/models.ts';
import { accessTo, type Access, type ProviderSettings } from '../access.ts';
import { post } from '../provider-post.ts';
import { bodies, scoresIn, type RerankDialect, type RerankQuestion } from './dialects.ts';
import { inPortions } from './portions.ts';

/**
 * A reranking model over HTTP: POST /rerank in the dialect of its row, or in the one that the server turns out to speak. Scores are as the model gives
 * them (0 to 1 for those of the table). `min_rerank_score` was measured for none of them, so that there is no threshold but a configured one.
 * @throws KbError `setup` where the key is missing, `configuration` where an address or a model is.
 */
export async function openHttpReranker(settings: ProviderSettings): Promise<Reranker> {
  const access = accessTo(settings, 'rerank');
  const ask = asker(access);
  return {
    provider: access.provider,
    model: access.model,
    min_rerank_score: undefined,
    rank: (query, passages, { signal }) => {
      const texts = passages.map(({ text }) => visible(text).trim() || '-'); // an empty one would be refused, and all with it
      return inPortions(texts, (portion) => ask({ query, texts: portion }, signal));
    },
  };
}

/** Asks in the dialect that worked last. */
function asker(access: Access<'rerank'>): (question: RerankQuestion, signal: AbortSignal | undefined) => Promise<number[]> {
  const { dialect, alternative } = access.row;
  let spoken: RerankDialect = dialect;
  const askIn = async (chosen: RerankDialect, question: RerankQuestion, signal: AbortSignal | undefined) => {
    const body = bodies[chosen](question, access);
    const answer = await retry(() => post(access, { path: '/rerank', body, signal }), { signal });
    spoken = chosen;
    return scoresIn(answer, question.texts.length) ?? unscored(access, question);
  };
  return async (question, signal) => {
    try {
      return await askIn(spoken, question, signal);
    } catch (error) {
      if (!alternative || spoken === alternative || !missesTexts(error)) throw error;
      return askIn(alternative, question, signal);
    }
  };
}

/** The words of text-embeddings-inference: «missing field `texts`». */
const missesTexts = (error: unknown): boolean => error instanceof KbError && error.code === 'invalid' && /\btexts\b/.test(error.message);

function unscored({ provider, model }: Access, { texts }: RerankQuestion): never {
  throw new KbError('invalid', `${provider} did not give each of ${texts.length} passages one score.`, {
    hint: `Check that the address is that of its API${model && ` and that ${model} is a reranking model`}.`,
  });
}
