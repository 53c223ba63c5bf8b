import { throwIfAborted } from '../../base/run.ts';
import { NO_ANSWER, type Embedder, type GenerateRequest, type Llm, type Outcome } from '../../ports/models.ts';
import { choose } from './extractive/choose.ts';
import { compose } from './extractive/compose.ts';
import { isAnswered } from './extractive/verdict.ts';
import { passagesOf, type Passage } from './extractive/passages.ts';
import { scorePassages } from './extractive/scores.ts';

/** What it says where nothing answers, behind the number of no source. */
const DECLINE = `${NO_ANSWER} The sources do not answer this.`;

/** An estimate: English text has about four characters a token; no model counts here. */
const tokensOf = (text: string): number => Math.ceil(text.length / 4);

/** A passage that was not quoted yet is worth quoting from this share of the best one's score; a choice, not a measurement. */
const NEAR_WHAT_WAS_SAID = 0.5;

/** As words stand in a quotation and in what it is taken from: without numbers of sources, marks of lists and differences of white space. */
const bare = (text: string): string =>
  text
    .replace(/\[\d+\]/g, ' ')
    .replace(/^\s*- /gm, ' ')
    .replace(/\s+/g, ' ')
    .trim();

/** The scores, 0 for what was said already and for what lies far behind the best. */
function unsaid(scores: readonly number[], passages: readonly Passage[], said: string): number[] {
  const before = bare(said);
  const least = NEAR_WHAT_WAS_SAID * Math.max(0, ...scores);
  return scores.map((score, i) => (score < least || before.includes(bare(passages[i]!.text)) ? 0 : score));
}

type Quoted = { answer: string; places: NonNullable<Outcome['quoted']> };

/** The quotations that answer, from the source with the best one on, as many as `max_tokens` holds, one at least. */
async function quoted({ grounding, max_tokens, signal }: GenerateRequest, embedder: Embedder | undefined): Promise<Quoted> {
  const { query, question, sources, said } = grounding;
  const passages = sources.flatMap((source, i) => passagesOf(source, i));
  const scored = await scorePassages(query, passages, { question, sources, embedder, signal });
  const { nearest } = scored;
  const scores = said === undefined ? scored.scores : unsaid(scored.scores, passages, said);
  if (!isAnswered(query, { passages, scores, nearest, sources })) return { answer: DECLINE, places: [] };
  const parts: string[] = [];
  const places: { citation: number; lines: Passage['lines'] }[] = [];
  let length = 0;
  for (const quotation of choose(passages, scores, query)) {
    const { citation } = sources[quotation.source]!;
    const part = compose(quotation, citation);
    length += tokensOf(part);
    if (parts.length > 0 && length > max_tokens) break;
    parts.push(part);
    places.push(...quotation.passages.map(({ lines }) => ({ citation, lines })));
  }
  return { answer: parts.join('\n\n'), places };
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
    async *generate(request): AsyncGenerator<string, Outcome, void> {
      const { answer, places } = await quoted(request, embedder);
      for (const [word] of answer.matchAll(/\S+\s*/g)) {
        throwIfAborted(request.signal);
        yield word;
      }
      const { query, sources } = request.grounding;
      const input = [query, ...sources.map(({ title, text }) => `${title}\n${text}`)].reduce((sum, text) => sum + tokensOf(text), 0);
      return { input_tokens: input, output_tokens: tokensOf(answer), ...(places.length > 0 ? { quoted: places } : {}) };
    },
  };
}
