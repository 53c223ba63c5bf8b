import { evidenceOf, type Evidence } from '../src/drivers/llms/extractive/evidence.ts';
import { passagesOf } from '../src/drivers/llms/extractive/passages.ts';
import { scorePassages } from '../src/drivers/llms/extractive/scores.ts';
import { verdictOf, type Verdict } from '../src/drivers/llms/extractive/verdict.ts';
import { openLocalLlm } from '../src/drivers/llms/local.ts';
import { NO_ANSWER, type Embedder } from '../src/ports/models.ts';
import { DEFAULTS } from '../src/schema/config.ts';
import { assess } from '../src/stages/chat/quality.ts';
import { toGrounding } from '../src/stages/chat/sources.ts';
import type { RetrieveInput, RetrieveParts } from '../src/stages/retrieve/retrieve.ts';
import { MIN_SCORE_BY_WORDS } from '../src/stages/retrieve/similarity.ts';
import type { BenchQuery } from './beir.ts';
import { found } from './collection.ts';

/** A question with what answers it, where something does. */
export interface Question extends BenchQuery {
  metadata?: { answers?: string[] };
  documents?: string[];
}

/** What became of a question. */
export interface Answered {
  /** Of the best hit. */
  score: number;
  gated: boolean;
  declined: boolean;
  /** An answer of the set stands in the quotation. */
  gold: boolean;
  /** A document of the set's judgements is cited. */
  cites: boolean;
  words: number;
  evidence: Evidence | undefined;
  verdict: Verdict | undefined;
}

/** As SQuAD compares answers: small letters, no punctuation, no articles, single blanks; and no citations. */
const plain = (text: string): string =>
  ` ${text
    .replace(/\[\d+\]/g, ' ')
    .toLowerCase()
    .normalize('NFKC')
    .replace(/[\p{P}\p{S}]/gu, ' ')
    .replace(/\b(a|an|the)\b/g, ' ')
    .replace(/\s+/g, ' ')
    .trim()} `;

/** The modes of a search, and `words`: mode text with no embedder, as without one configured. */
export type Mode = RetrieveInput['mode'] | 'words';

/** Asks as chat does by default, without a model. */
export async function answered(question: Question, asked: Mode, parts: RetrieveParts & { embedder: Embedder }): Promise<Answered> {
  const { text: query, metadata, documents = [] } = question;
  const [mode, embedder] = asked === 'words' ? (['text', undefined] as const) : [asked, parts.embedder];
  const items = await found({ query, mode, top_k: DEFAULTS.retrieval.top_k }, { ...parts, embedder });
  const settings = { ...DEFAULTS.chat.retrieval_quality, low_confidence_mode: 'return_no_answer' } as const;
  const { quality, context } = assess(items, settings, { min_retrieval_score: embedder?.min_retrieval_score ?? MIN_SCORE_BY_WORDS });
  const gated = quality.status === 'low_confidence';
  const text = gated ? '' : await written(query, context, embedder);
  const declined = gated || text.startsWith(NO_ANSWER);
  const cited = Array.from(text.matchAll(/\[(\d+)\]/g), ([, number]) => String(context[Number(number) - 1]?.metadata.source));
  const evidence = await evidenceFor(query, items.slice(0, settings.max_context_chunks), embedder);
  return {
    score: items[0]?.score ?? 0,
    gated,
    declined,
    gold: !declined && (metadata?.answers ?? []).some((answer) => plain(answer).trim() !== '' && plain(text).includes(plain(answer))),
    cites: !declined && cited.some((source) => documents.includes(source)),
    words: text.split(/\s+/).length,
    evidence,
    verdict: evidence && verdictOf(evidence),
  };
}

type Context = Parameters<typeof toGrounding>[0];

async function written(query: string, context: Context, embedder: Embedder | undefined): Promise<string> {
  const { max_tokens, timeout } = DEFAULTS.chat.llm;
  let text = '';
  for await (const piece of openLocalLlm({ embedder }).generate({
    messages: [],
    grounding: { query, sources: toGrounding(context) },
    max_tokens,
    timeout,
  }))
    text += piece;
  return text;
}

/** The evidence in the best passage, whether or not the gate would have let it through; undefined where no source has a number of the question. */
async function evidenceFor(query: string, context: Context, embedder: Embedder | undefined): Promise<Evidence | undefined> {
  const sources = toGrounding(context);
  const passages = sources.flatMap((source, i) => passagesOf(source, i));
  const { scores, nearest } = await scorePassages(query, passages, { sources, embedder });
  const highest = Math.max(...scores);
  const best = highest > 0 ? passages[scores.indexOf(highest)] : undefined;
  return best && evidenceOf(query, { best, passages, sources, nearest });
}
