import { queryTerms, terms } from '../../../base/terms.ts';
import type { Embedder, GroundingSource } from '../../../ports/models.ts';
import { sideOf } from './contradiction.ts';
import { holds, identifiersOf } from './identifiers.ts';
import { missingFrom, namedIn } from './names.ts';
import type { Passage } from './passages.ts';
import { lastAsked, wantedFigure, withoutMeasure } from './wanted.ts';

/** How well each passage answers. */
export interface Scores {
  /** One for each passage, 0 and up; comparable within one question. */
  scores: number[];
  /** The greatest cosine of a passage to the question; undefined where meaning was not compared. */
  nearest: number | undefined;
}

export interface ScoreOptions {
  /** What the passages were taken from, in their numbering. */
  sources: readonly GroundingSource[];
  /** What was asked, where the query brings the subject of what was said before along. */
  question?: string | undefined;
  /** Without one, words alone decide. */
  embedder?: Embedder | undefined;
  signal?: AbortSignal | undefined;
}

/**
 * score = cosine + OWN · (coverage by the passage) + WINDOW · (coverage where its neighbours and headings count half). A coverage is the share of the
 * question's terms, weighted by how rare they are among the passages (BM25's idf). Weights fitted by logistic regression on every other answerable
 * question of SQuAD 2.0's development set and rounded; on the others the passage with the answer is first for 77 %, among the first three for 91 %.
 */
const OWN = 0.5;
const WINDOW = 0.6;

/**
 * How often a term of the question itself counts beside one that a follow-up carries along from before: else the old question is answered again. Of 1, 2, 3,
 * 5 and 10 it quotes most of the right passages of examples/follow-ups.jsonl (29 of 44; without it 26).
 */
const ASKED = 3;

/**
 * What a passage gains that has a figure of the kind that is asked for, and what it gains or loses where its heading denies. On SQuAD 2.0 (half 0) a gain of 0.2
 * quotes 85.9 % of the answers, none 85.7 %; both were set by the questions about tables and headings of examples/manuals, which SQuAD has none of.
 */
const FIGURE = 0.25;
const POLARITY = 0.5;

/** Texts that are compared with the question by meaning: what shares most words with it comes first. */
const MOST_EMBEDDED = 40;

/** An embedder that reads less of the question than this says nothing about it. */
const LEAST_READ = 0.5;

interface Indexed {
  passage: Passage;
  /** What it says; of a row with a figure that is asked for, with what stands above its table: without that it is a figure of nothing. */
  own: Set<string>;
  context: Set<string>;
}

/** The terms of the question, each with its weight; the weights add up to 1. */
function weightedTerms(query: string, question: string, passages: readonly Indexed[]): Map<string, number> {
  const distinct = [...new Set(queryTerms(withoutMeasure(query)))];
  const asked = new Set(queryTerms(question));
  const weights = distinct.map((term) => {
    const having = passages.filter(({ own }) => own.has(term)).length;
    return Math.log(1 + (passages.length - having + 0.5) / (having + 0.5)) * (asked.has(term) ? ASKED : 1);
  });
  const total = weights.reduce((sum, weight) => sum + weight, 0) || 1;
  return new Map(distinct.map((term, i) => [term, weights[i]! / total]));
}

function coverages(indexed: readonly Indexed[], weights: ReadonlyMap<string, number>): number[] {
  const sum = (part: (term: string) => number) => [...weights].reduce((total, [term, weight]) => total + weight * part(term), 0);
  return indexed.map(({ passage, own, context }, i) => {
    const near = [indexed[i - 1], indexed[i + 1]].filter((other) => other?.passage.source === passage.source).map((other) => other!.own);
    const around = (term: string) => context.has(term) || near.some((other) => other.has(term));
    return OWN * sum((term) => (own.has(term) ? 1 : 0)) + WINDOW * sum((term) => (own.has(term) ? 1 : around(term) ? 0.5 : 0));
  });
}

/** A sentence speaks for itself; a row, an item or code is read under its heading. */
const isUnderHeading = ({ kind, context }: Passage): boolean => kind !== 'sentence' && context !== '';

const readable = (passage: Passage): string => (isUnderHeading(passage) ? `${passage.context}: ${passage.text}` : passage.text);

/**
 * The cosine of each passage to the question, 0 for those that share too little to be compared; undefined where the embedder cannot read the
 * question. `lexical` says which share most.
 */
async function cosines(
  query: string,
  indexed: readonly Indexed[],
  { lexical, embedder, signal }: Omit<ScoreOptions, 'sources'> & { lexical: readonly number[] },
): Promise<number[] | undefined> {
  if (!embedder || embedder.reads(query) < LEAST_READ) return undefined;
  const compared = [...lexical.keys()].toSorted((a, b) => lexical[b]! - lexical[a]!).slice(0, MOST_EMBEDDED);
  const texts = compared.map((i) => readable(indexed[i]!.passage));
  const [[question], vectors] = await Promise.all([
    embedder.embed([query], { input_type: 'query', signal }),
    embedder.embed(texts, { input_type: 'document', signal }),
  ]);
  const found = indexed.map(() => 0);
  for (const [i, place] of compared.entries()) found[place] = Math.max(0, dot(vectors[i]!, question!));
  return found;
}

const dot = (a: Float32Array, b: Float32Array): number => a.reduce((sum, value, i) => sum + value * b[i]!, 0);

/** What a passage gains or loses for what the question asks for: a figure of that kind, what is or what is not. */
function fitness(question: string): (passage: Passage) => number {
  const figure = wantedFigure(question);
  const asked = lastAsked(question);
  return ({ text, context }) => (figure?.test(text) ? FIGURE : 0) + POLARITY * sideOf(asked, context);
}

/** Whether a source is about something else: it has none of the codes and numbered things of the question, or none of its numbers. */
function isElsewhere(query: string): (source: GroundingSource) => boolean {
  const identifiers = identifiersOf(query);
  const { numbers } = namedIn(query);
  return ({ title, text }) => {
    const whole = `${title}\n${text}`;
    if (identifiers.length > 0 && !identifiers.some((identifier) => holds(whole, identifier))) return true;
    return numbers.length > 0 && missingFrom({ names: [], numbers }, whole).numbers.length === numbers.length;
  };
}

/** Scores the passages of all sources for a question; none of a source that has none of its numbers and codes. */
export async function scorePassages(
  query: string,
  passages: readonly Passage[],
  { question = query, sources, embedder, signal }: ScoreOptions,
): Promise<Scores> {
  const figure = wantedFigure(question);
  const indexed = passages.map((passage): Indexed => {
    const { kind, text, heading, context } = passage;
    const isHeaded = kind === 'row' && figure?.test(text);
    return { passage, own: new Set(terms(isHeaded ? `${heading}\n${text}` : text)), context: new Set(terms(context)) };
  });
  const weights = weightedTerms(query, question, indexed);
  const lexical = coverages(indexed, weights);
  const meaning = await cosines(query, indexed, { lexical, embedder, signal });
  const elsewhere = sources.map(isElsewhere(query));
  const fits = fitness(question);
  const scores = indexed.map(({ passage }, i) => {
    const own = lexical[i]! + (meaning?.[i] ?? 0);
    return elsewhere[passage.source] || own === 0 ? 0 : Math.max(0, own + fits(passage));
  });
  return { scores, nearest: meaning && Math.max(0, ...meaning) };
}
