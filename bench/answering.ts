import { type Embedder, NO_ANSWER_MARKER } from '../src/ports/models.ts';
import { DEFAULTS } from '../src/schema/config.ts';
import { assessQuality } from '../src/stages/chat/turn.ts';
import { toGrounding } from '../src/stages/chat/cited-sources.ts';
import { chooseQuotations } from '../src/stages/quote/choose-quotations.ts';
import { computeEvidence, GATE_REDUCTION, judgeEvidence } from '../src/stages/quote/evidence.ts';
import { openQuoteLlm } from '../src/stages/quote/quote-llm.ts';
import { neighboursOf } from '../src/stages/retrieve/neighbours.ts';
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
  /** That the best passage answers, whether or not the gate would have let it through. */
  probability: number;
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
  const { quality, context } = assessQuality(items, settings, {
    min_retrieval_score: embedder ? embedder.min_retrieval_score - GATE_REDUCTION : MIN_SCORE_BY_WORDS,
  });
  const sources = toGrounding(context, await neighboursOf(context, parts.collection));
  const gated = quality.status === 'low_confidence';
  const { text, order } = gated ? { text: '', order: [] } : await written(query, sources, embedder);
  const declined = gated || text.startsWith(NO_ANSWER_MARKER);
  const cited = Array.from(text.matchAll(/\[(\d+)\]/g), ([, number]) =>
    String(context[(order[Number(number) - 1] ?? 0) - 1]?.metadata.source),
  );
  return {
    score: items[0]?.score ?? 0,
    gated,
    declined,
    gold: !declined && (metadata?.answers ?? []).some((answer) => plain(answer).trim() !== '' && plain(text).includes(plain(answer))),
    cites: !declined && cited.some((source) => documents.includes(source)),
    words: text.split(/\s+/).length,
    probability: await probabilityFor(query, sources, embedder),
  };
}

type Sources = ReturnType<typeof toGrounding>;

async function written(
  query: string,
  sources: Sources,
  embedder: Embedder | undefined,
): Promise<{ text: string; order: readonly number[] }> {
  const { max_tokens, timeout } = DEFAULTS.chat.llm;
  let text = '';
  const llm = openQuoteLlm({ embedder });
  const request = { messages: [], grounding: { query, sources }, max_tokens, timeout };
  // the numbers of an answer follow its own order
  const stream = llm.generate(request);
  for (;;) {
    const step = await stream.next();
    if (step.done) return { text, order: step.value.order ?? [] };
    text += step.value;
  }
}

/** How probably the best passage answers, whether or not the gate lets it through. */
async function probabilityFor(query: string, sources: Sources, embedder: Embedder | undefined): Promise<number> {
  const { ranked, compare } = await chooseQuotations(query, { sources, embedder });
  return judgeEvidence(await computeEvidence(query, { sources, ranked, compare })).probability;
}
