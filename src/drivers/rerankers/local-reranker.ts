import { keepUnlessFailed } from '../../core/concurrency.ts';
import { isQuestion } from '../../languages/question.ts';
import type { Embedder, Reranker, RerankPassage } from '../../ports/models.ts';
import { BUNDLED } from '../../schema/provider-names.ts';
import { type Comparison, createComparison } from '../../text/comparison.ts';
import { plainText } from '../../text/markdown/plain-text.ts';

/** Maximum characters of a window: two or three sentences (measured to be better than 200). */
const WINDOW = 300;

const segmenter = new Intl.Segmenter('en', { granularity: 'sentence' });
const LONG_SENTENCE = new RegExp(`.{1,${WINDOW}}(?:\\s|$)|.{${WINDOW}}`, 'gsu');

/** Splits each paragraph into sentences, and those that are longer than a window into pieces. */
const splitSentences = (text: string): string[] =>
  text
    .split(/\n\s*\n/)
    .flatMap((paragraph) => Array.from(segmenter.segment(paragraph.replace(/\s+/g, ' ')), ({ segment }) => segment))
    .flatMap((sentence) => (sentence.length > WINDOW ? sentence.match(LONG_SENTENCE)! : [sentence]))
    .map((sentence) => sentence.trim())
    .filter((sentence) => sentence !== '');

/** Groups the sentences of a text into windows of at most WINDOW characters; each begins in the middle of the one before. */
export function splitWindows(text: string): string[] {
  const sentences = splitSentences(text);
  const windows: string[] = [];
  for (let first = 0, end = 0; end < sentences.length; first = Math.max(first + 1, Math.ceil((first + end) / 2))) {
    let window = sentences[first]!;
    for (end = first + 1; end < sentences.length && window.length + sentences[end]!.length < WINDOW; end++) window += ` ${sentences[end]}`;
    windows.push(window);
  }
  return windows;
}

function headingPath({ title, location }: RerankPassage['metadata']): string {
  const headings = (location as { headings?: unknown } | undefined)?.headings;
  return [title, ...(Array.isArray(headings) ? headings : [])].filter((part) => typeof part === 'string').join(' › ');
}

/** Computes the greatest cosine of the query and a window, as the mean of windows alone and under title and headings; undefined if the model does not read the query. */
async function windowCosine(passage: RerankPassage, compare: Comparison): Promise<number | undefined> {
  const windows = splitWindows(plainText(passage.text));
  if (windows.length === 0) return 0;
  const path = headingPath(passage.metadata);
  const cosines = await compare([...windows, ...windows.map((window) => `${path}: ${window}`)]);
  return cosines && (Math.max(...cosines.slice(0, windows.length)) + Math.max(...cosines.slice(windows.length))) / 2;
}

/**
 * Scores passages by the mean of their retrieval score and the cosine of the question and their best window, 0 to 1; calls no service. For a query that is no
 * question (a claim, keywords) the retrieval scores stay, because windows order claims worse (`docs/benchmarks.md`). It compares with the collection's model
 * if that is bundled, else with its own, which is opened when it is first needed. No threshold is set for the scores.
 */
export function openLocalReranker({ model, openEmbedder }: { model: string; openEmbedder: () => Promise<Embedder> }): Reranker & {
  close(): Promise<void>;
} {
  let opening: Promise<Embedder> | undefined;
  const ownEmbedder = keepUnlessFailed(() => (opening = openEmbedder()));
  return {
    provider: BUNDLED,
    model,
    min_rerank_score: undefined,
    async rank(query, passages, { embedder, signal }) {
      const retrievalScores = passages.map(({ score }) => score);
      if (!isQuestion(query)) return retrievalScores;
      const comparingEmbedder = embedder?.provider === BUNDLED ? embedder : await ownEmbedder();
      const compare = createComparison(query, { embedder: comparingEmbedder, signal });
      const cosines = await Promise.all(passages.map((passage) => windowCosine(passage, compare)));
      if (cosines.includes(undefined)) return retrievalScores;
      return retrievalScores.map((score, i) => Math.min(1, Math.max(0, (score + cosines[i]!) / 2)));
    },
    close: async () => await (await opening?.catch(() => undefined))?.close(),
  };
}
