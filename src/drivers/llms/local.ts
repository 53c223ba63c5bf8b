import { askedIn, type Asked } from '../../base/asked.ts';
import { throwIfAborted } from '../../base/run.ts';
import { NO_ANSWER, type Embedder, type GenerateRequest, type Llm, type Outcome } from '../../ports/models.ts';
import { choose, type Quotation } from './extractive/choose.ts';
import { compose } from './extractive/compose.ts';
import { addsNothing, joined, unansweredOf } from './extractive/parts.ts';
import { isDoubtful } from './extractive/doubt.ts';
import { isAnswered } from './extractive/verdict.ts';
import { passagesOf, type Passage } from './extractive/passages.ts';
import { asksWhy, reasonsBeside } from './extractive/reasons.ts';
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
    .replace(/^[^\S\n\r\u2028\u2029]*(?:-|\d{1,3}[.)]) /gm, ' ')
    .replace(/\s+/g, ' ')
    .trim();

/** The scores, 0 for what was said already and for what lies far behind the best; where a reason is asked for, for all but reasons beside what was said. */
function unsaid(
  scores: readonly number[],
  passages: readonly Passage[],
  { said, question = '' }: { said: string; question?: string },
): number[] {
  const before = bare(said);
  const isSaid = ({ text }: Passage) => before.includes(bare(text));
  const reasons = asksWhy(question) ? reasonsBeside(passages, isSaid) : undefined;
  const least = NEAR_WHAT_WAS_SAID * Math.max(0, ...scores);
  const isOut = (passage: Passage, score: number) => (reasons ? !reasons.has(passage) : score < least || isSaid(passage));
  return scores.map((score, i) => (isOut(passages[i]!, score) ? 0 : score));
}

type Quoted = { answer: string; places: NonNullable<Outcome['quoted']>; isUnsure: boolean };

interface Found extends Asked {
  quotations: Quotation[];
  /** It answers something near what is asked, at least. */
  isUnsure: boolean;
}

/** What answers each of the questions that are asked in one; of one without an answer nothing. */
async function find({ grounding, signal }: GenerateRequest, embedder: Embedder | undefined): Promise<Found[]> {
  const { query: whole, question: asked = whole, sources, said } = grounding;
  const passages = sources.flatMap((source, i) => passagesOf(source, i));
  const found: Found[] = [];
  for (const { query, question } of askedIn({ query: whole, question: asked })) {
    const scored = await scorePassages(query, passages, { question, sources, embedder, signal });
    const { nearest } = scored;
    const scores = said === undefined ? scored.scores : unsaid(scored.scores, passages, { said, question });
    const quotations = isAnswered(query, { passages, scores, nearest, sources }) ? choose(passages, scores, query) : [];
    const quotedNow = quotations.flatMap((quotation) => quotation.passages);
    const isTold =
      found.length > 0 &&
      addsNothing(
        question,
        quotedNow,
        found.flatMap(({ quotations: all }) => all).flatMap((one) => one.passages),
      );
    found.push({ query, question, quotations: isTold ? [] : quotations, isUnsure: isDoubtful(query, quotedNow, passages) });
  }
  return found;
}

/** The quotations that answer, from the source with the best one on, as many as `max_tokens` holds, one at least; and which part of the question they do not. */
async function quoted(request: GenerateRequest, embedder: Embedder | undefined): Promise<Quoted> {
  const { grounding, max_tokens } = request;
  const { query, question = query, sources } = grounding;
  const found = await find(request, embedder);
  const missing = found.filter(({ quotations }) => quotations.length === 0);
  if (missing.length === found.length) return { answer: DECLINE, places: [], isUnsure: false };
  const parts: string[] = [];
  const places: { citation: number; lines: Passage['lines'] }[] = [];
  let length = 0;
  for (const quotation of joined(found.flatMap(({ quotations }) => quotations))) {
    const { citation } = sources[quotation.source]!;
    const part = compose(quotation, citation, query);
    length += tokensOf(part);
    if (parts.length > 0 && length > max_tokens) break;
    parts.push(part);
    places.push(...quotation.passages.map(({ lines }) => ({ citation, lines })));
  }
  if (missing.length > 0) parts.push(unansweredOf(question, missing));
  return { answer: parts.join('\n\n'), places, isUnsure: missing.length > 0 || found.some(({ isUnsure }) => isUnsure) };
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
      const { answer, places, isUnsure } = await quoted(request, embedder);
      for (const [word] of answer.matchAll(/\S+\s*/g)) {
        throwIfAborted(request.signal);
        yield word;
      }
      const { query, sources } = request.grounding;
      const input = [query, ...sources.map(({ title, text }) => `${title}\n${text}`)].reduce((sum, text) => sum + tokensOf(text), 0);
      return { input_tokens: input, output_tokens: tokensOf(answer), ...(places.length > 0 ? { quoted: places, unsure: isUnsure } : {}) };
    },
  };
}
