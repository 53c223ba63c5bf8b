import { lastAsked, subjectTerms, tellingTerms } from '../../../base/asked.ts';
import type { Embedder, GroundingSource } from '../../../ports/models.ts';
import { sideOf } from './contradiction.ts';
import { identifierHolder, identifiersOf } from './identifiers.ts';
import { indexedFor, isOfUnasked, type Indexed } from './indexed.ts';
import { missingFrom, namedIn } from './names.ts';
import { isOther } from './other-codes.ts';
import { LONGEST_HEAD, type Passage } from './passages.ts';
import { pairsIn, pairsOf } from './pairs.ts';
import { wantedFigure } from './wanted.ts';

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

/**
 * What a row, an item or a line of a table that lost its form gains that has together what stands together in the question (`water tank`). Sentences gain nothing:
 * with 0.2 for them, too, 84.1 % of SQuAD's answers (half 0) are quoted, and 84.9 % without.
 */
const PAIRS = 0.4;

/** How much a word counts that only the column of a row has, beside 1 for one of its cells; a choice. */
const LABEL = 0.5;

/** What a sentence loses that is about something the question does not name, whatever its words: of SQuAD 2.0 (half 1) it quotes as much as without. */
const DANGLING = 0.3;

/** What a line loses that only heads the sentences behind it; set by questions about notes that begin with their title, which SQuAD has none of. */
const HEADING = 0.3;

/** Texts that are compared with the question by meaning: what shares most words with it comes first. */
const MOST_EMBEDDED = 40;

/** An embedder that reads less of the question than this says nothing about it. */
const LEAST_READ = 0.5;

/** BM25's idf. */
const rarity = (having: number, count: number): number => Math.log(1 + (count - having + 0.5) / (having + 0.5));

/** The share that each passage has of the question's pairs that stand in any of them, the rare ones counting more. */
function pairShares(question: string, passages: readonly Passage[]): number[] {
  const asked = pairsOf(question);
  if (asked.size === 0) return passages.map(() => 0);
  const held = passages.map(({ text }) => pairsIn(text, asked));
  const having = (pair: string) => held.filter((own) => own.has(pair)).length;
  const weights = new Map([...asked].map((pair) => [pair, having(pair) > 0 ? rarity(having(pair), passages.length) : 0]));
  const sum = (some: Iterable<string>) => [...some].reduce((total, pair) => total + weights.get(pair)!, 0);
  const total = sum(asked) || 1;
  return held.map((own) => sum(own) / total);
}

/** The terms of the question, each with its weight; the weights add up to 1. */
function weightedTerms(query: string, question: string, passages: readonly Indexed[]): Map<string, number> {
  const distinct = [...new Set(subjectTerms(query))];
  const asked = new Set(tellingTerms(question));
  const weights = distinct.map((term) => {
    const having = passages.filter(({ own }) => own.has(term)).length;
    return rarity(having, passages.length) * (asked.has(term) ? ASKED : 1);
  });
  const total = weights.reduce((sum, weight) => sum + weight, 0) || 1;
  return new Map(distinct.map((term, i) => [term, weights[i]! / total]));
}

function coverages(indexed: readonly Indexed[], weights: ReadonlyMap<string, number>): number[] {
  const sum = (part: (term: string) => number) => [...weights].reduce((total, [term, weight]) => total + weight * part(term), 0);
  return indexed.map(({ passage, own, labels, context }, i) => {
    const near = [indexed[i - 1], indexed[i + 1]].filter((other) => other?.passage.source === passage.source).map((other) => other!);
    const around = (term: string) => context.has(term) || near.some((other) => other.own.has(term) && !other.labels.has(term));
    const held = (term: string) => (labels.has(term) ? LABEL : Number(own.has(term)));
    return OWN * sum(held) + WINDOW * sum((term) => Math.max(held(term), around(term) ? 0.5 : 0));
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

/** Whether it is a sentence, and no line of a list or a table that has lost its form. */
const isProse = ({ kind, text }: Passage): boolean => kind === 'sentence' && /[.!?…:"”’)\]]$/.test(text);

/** Whether it is a line that heads the sentences behind it, though nothing marks it as a heading: it says what they are about, and nothing of it. */
const headsProse = (passage: Passage, next: Passage | undefined): boolean =>
  passage.kind === 'sentence' &&
  passage.text.length <= LONGEST_HEAD &&
  /^\P{Ll}*\p{Ll}.*\p{L}$/u.test(passage.text) &&
  !/\p{N}|:/u.test(passage.text) &&
  next !== undefined &&
  next.source === passage.source &&
  next.block !== passage.block &&
  isProse(next);

/** What a passage gains or loses for what the question asks for: a figure of that kind, what is or what is not. */
function fitness(question: string): (passage: Passage) => number {
  const figure = wantedFigure(question);
  const asked = lastAsked(question);
  return ({ text, heading, leadText }) => (figure?.test(text) ? FIGURE : 0) + POLARITY * sideOf(asked, heading, leadText);
}

/** Whether a source is about something else: it has none of the codes and numbered things of the question, or none of its numbers. */
function isElsewhere(query: string): (source: GroundingSource) => boolean {
  const identifiers = identifiersOf(query);
  const { numbers } = namedIn(query);
  return ({ title, text }) => {
    const whole = `${title}\n${text}`;
    if (identifiers.length > 0 && !identifiers.some(identifierHolder(whole))) return true;
    return numbers.length > 0 && missingFrom({ names: [], numbers }, whole).numbers.length === numbers.length;
  };
}

/** Scores the passages of all sources for a question; none of a source that has none of its numbers and codes, nor of a row about another code. */
export async function scorePassages(
  query: string,
  passages: readonly Passage[],
  { question = query, sources, embedder, signal }: ScoreOptions,
): Promise<Scores> {
  const indexed = passages.map(indexedFor(question));
  const weights = weightedTerms(query, question, indexed);
  const lexical = coverages(indexed, weights);
  const meaning = await cosines(query, indexed, { lexical, embedder, signal });
  const elsewhere = sources.map(isElsewhere(query));
  const isElse = isOther(passages, query);
  const fits = fitness(question);
  const paired = pairShares(lastAsked(question), passages);
  const extra = (i: number) =>
    (headsProse(passages[i]!, passages[i + 1]) ? -HEADING : isProse(passages[i]!) ? 0 : PAIRS * paired[i]!) -
    (isOfUnasked(indexed[i]!, indexed[i - 1], weights) ? DANGLING : 0);
  const scores = indexed.map(({ passage }, i) => {
    const own = lexical[i]! + (meaning?.[i] ?? 0);
    return elsewhere[passage.source] || isElse(passage) || own === 0 ? 0 : Math.max(0, own + fits(passage) + extra(i));
  });
  return { scores, nearest: meaning && Math.max(0, ...meaning) };
}
