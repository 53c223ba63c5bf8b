import type { Embedder } from '../ports/models.ts';
import { comparedTerms } from '../languages/question.ts';
import { languageOf } from '../languages/detect.ts';
import { languageOrEnglish } from '../languages/languages.ts';
import { terms } from './terms.ts';

/** Returns the cosines of texts and a question, on the scale of the embedder; undefined without an embedder or if it cannot read the question. */
export type Comparison = (texts: readonly string[]) => Promise<number[] | undefined>;

/** Minimum coverage of the question by the embedder. */
const MIN_COVERAGE = 0.5;

/** The dot product of two vectors, which is their cosine if both have unit length. */
export const dot = (a: Float32Array, b: Float32Array): number => a.reduce((sum, value, i) => sum + value * b[i]!, 0);

/** What a comparison needs. */
export interface ComparisonOptions {
  embedder?: Embedder | undefined;
  signal?: AbortSignal | undefined;
}

/** Creates a comparison with a question, which is embedded once. */
export function createComparison(query: string, { embedder, signal }: ComparisonOptions): Comparison {
  if (!embedder || (embedder.coverage?.(query) ?? 1) < MIN_COVERAGE) return async () => undefined;
  let embedded: Promise<Float32Array[]> | undefined;
  return async (texts) => {
    if (texts.length === 0) return undefined;
    embedded ??= embedder.embed([query], { input_type: 'query', signal });
    const [[question], vectors] = await Promise.all([embedded, embedder.embed([...texts], { input_type: 'document', signal })]);
    const [unrelated, alike] = embedder.cosine_range ?? [0, 1]; // some are known only after the question is embedded
    return vectors.map((vector) => (dot(vector, question!) - unrelated) / (alike - unrelated));
  };
}

/** Added to the number of terms, since one shared term of one is weaker evidence than six of six. */
const SMOOTHING = 2;
/** Chinese particles and question words: a pair with one of these letters is not a word. */
const CHINESE_PARTICLE = /[的是了在和有被个么什哪谁怎多少几何吗呢吧着于为与及其之以而所一不]/u;
const WORD = /[\p{L}\p{N}]+(?:[-.'’][\p{L}\p{N}]+)*/gu;
/** Whether capitals mark names in the language of a question; in German every noun has one. */
const capitalsMarkNames = (question: string): boolean => !languageOrEnglish(languageOf(question)).capitalNouns;

/** The compared terms of capitalized words after the first word; if capitals do not mark names, only words with a digit (`E31`). */
export function capitalTerms(question: string): Set<string> {
  const isTelling = capitalsMarkNames(question) ? /^\p{Lu}/u : /^\p{Lu}.*\p{N}/u;
  const [, ...rest] = Array.from(question.matchAll(WORD), ([word]) => word);
  const telling = new Set(comparedTerms(question));
  const capitals = rest.filter((word) => isTelling.test(word)).flatMap((word) => terms(word).slice(0, 1));
  return new Set(capitals.filter((term) => telling.has(term)));
}

/** An analysed text. */
export interface TermHolder {
  holds(term: string): boolean;
}

function toTermHolder(text: string): TermHolder {
  const held = new Set(terms(text));
  return { holds: (term) => held.has(term) };
}

/**
 * Returns a function that computes the share of a question's terms in a text: m of n give m / (n + 2), 0 to 1. The question, which may be as
 * long as a book, is analysed once.
 */
export function createTermShare(
  question: string,
  /** `capital`: the weight of a capitalized word. */
  { capital = 1 }: { capital?: number } = {},
): (text: string | TermHolder) => number {
  const wanted = [...new Set(comparedTerms(question).filter((term) => !CHINESE_PARTICLE.test(term)))];
  const capitals = capital === 1 ? undefined : capitalTerms(question);
  const weightOf = (term: string) => (capitals?.has(term) ? capital : 1);
  const all = wanted.reduce((sum, term) => sum + weightOf(term), 0);
  return (text) => {
    const holder = typeof text === 'string' ? toTermHolder(text) : text;
    const found = wanted.reduce((sum, term) => sum + (holder.holds(term) ? weightOf(term) : 0), 0);
    return found / (all + SMOOTHING);
  };
}
