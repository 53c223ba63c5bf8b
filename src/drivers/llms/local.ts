import { throwIfAborted } from '../../base/run.ts';
import { NO_ANSWER, type Embedder, type GenerateRequest, type Llm, type Usage } from '../../ports.ts';
import { choose } from './extractive/choose.ts';
import { compose } from './extractive/compose.ts';
import { isAnswered } from './extractive/verdict.ts';
import { passagesOf } from './extractive/passages.ts';
import { scorePassages } from './extractive/scores.ts';

/** What it says where nothing answers, behind the number of no source. */
const DECLINE = `${NO_ANSWER} The sources do not answer this.`;

/** An estimate: English text has about four characters a token; no model counts here. */
const tokensOf = (text: string): number => Math.ceil(text.length / 4);

/** The quotations that answer, from the source with the best one on, as many as `max_tokens` holds, one at least. */
async function quoted({ grounding, max_tokens, signal }: GenerateRequest, embedder: Embedder | undefined): Promise<string> {
  const { query, question, sources } = grounding;
  const passages = sources.flatMap((source, i) => passagesOf(source, i));
  const { scores, nearest } = await scorePassages(query, passages, { question, sources, embedder, signal });
  if (!isAnswered(query, { passages, scores, nearest, sources })) return DECLINE;
  const parts: string[] = [];
  let length = 0;
  for (const quotation of choose(passages, scores, query)) {
    const part = compose(quotation, sources[quotation.source]!.citation);
    length += tokensOf(part);
    if (parts.length > 0 && length > max_tokens) break;
    parts.push(part);
  }
  return parts.join('\n\n');
}

/**
 * The extractive answerer: quotes the sentences of the sources that answer, each with its citation, or declines. It calls no model and makes no
 * words of its own. With an embedder it compares by meaning, too; without one by words alone.
 */
export function openLocalLlm({ embedder }: { embedder?: Embedder | undefined } = {}): Llm {
  return {
    provider: 'local',
    model: 'extractive',
    extractive: true,
    async *generate(request): AsyncGenerator<string, Usage, void> {
      const answer = await quoted(request, embedder);
      for (const [word] of answer.matchAll(/\S+\s*/g)) {
        throwIfAborted(request.signal);
        yield word;
      }
      const { query, sources } = request.grounding;
      const input = [query, ...sources.map(({ title, text }) => `${title}\n${text}`)].reduce((sum, text) => sum + tokensOf(text), 0);
      return { input_tokens: input, output_tokens: tokensOf(answer) };
    },
  };
}
