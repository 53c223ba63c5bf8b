import type { Metadata } from '../schema/items.ts';
import type { CleanPiece } from '../text/model-output.ts';

/** Computes unit vectors of texts. The cosine of two vectors of one embedder is the similarity of the texts. */
export interface Embedder {
  readonly provider: string;
  readonly model: string;
  /** Vector dimensions; 0 if known only after the first response. */
  readonly dimensions: number;
  /** Number of concurrent `embed` calls that is worthwhile. */
  readonly concurrency: number;
  /** Minimum score (0 to 1, as in a retrieved item) of a passage that is about the query; measured for this model. */
  readonly min_retrieval_score: number;
  /** Typical cosines of unrelated texts and of texts with the same meaning; may be known only after the first query. Default: 0 and 1. */
  readonly cosine_range?: readonly [unrelated: number, alike: number];
  /** The same for texts in two languages, if the model supports that. */
  readonly cosine_range_across_languages?: readonly [unrelated: number, alike: number];
  /** Whether the confidence in quoted answers was measured with this model. Without it, no answer counts as certain. Default: false. */
  readonly is_calibrated?: boolean;
  /** Weight of vector scores in hybrid search if the model reads the whole query, 0 to 1. Default: 0.5. */
  readonly vector_weight?: number;
  /** How much of a text the model can read, 0 to 1. Default: all of it. */
  coverage?(text: string): number;
  /** Set if the model compares the meaning of English only: the provider's model for other languages, and which it `reads` ("about 45 languages"). */
  readonly english_only?: { readonly other_model: string; readonly reads: string };
  /** Asks how many tokens the model reads at once; undefined if that is not known. Longer texts are embedded in parts. */
  window?(signal?: AbortSignal): Promise<number | undefined>;
  /** Returns vectors in the order of the texts. Throws a KbError after its retries: `too_large` if fewer texts may succeed, `invalid`, `unauthorized`, `setup`. */
  embed(texts: readonly string[], options: { input_type: 'document' | 'query'; signal?: AbortSignal | undefined }): Promise<Float32Array[]>;
  close(): Promise<void>;
}

/** Orders passages by how well they answer a query. */
export interface Reranker {
  readonly provider: string;
  readonly model: string;
  /** Minimum score of a passage that answers the query; undefined if not measured for the model. */
  readonly min_rerank_score: number | undefined;
  /** One score for each passage; higher is better. */
  rank(query: string, passages: readonly RerankPassage[], options: RankOptions): Promise<number[]>;
}

/** Options of one call of a reranker. */
export interface RankOptions {
  /** The embedder of the collection; absent if it is searched by words alone. */
  embedder?: Embedder | undefined;
  signal?: AbortSignal | undefined;
  /** Wraps the language model that the reranker calls, to observe its calls. */
  instrument?: ((llm: Llm) => Llm) | undefined;
}

/** A passage to rank. */
export interface RerankPassage {
  text: string;
  /** The retrieval score, 0 to 1. */
  score: number;
  metadata: Metadata;
}

/** A message to a language model. */
export interface Message {
  role: 'system' | 'user' | 'assistant';
  content: string;
}

/** A numbered passage for the answer. */
export interface GroundingSource {
  citation: number;
  /** Address of its document. */
  document?: string | undefined;
  title: string;
  text: string;
  /** Text before and after the passage in its section, including the blank lines between. Absent if there is none. */
  before?: string | undefined;
  after?: string | undefined;
  /** The retrieval score, 0 to 1. */
  score?: number | undefined;
  rerank_score?: number | undefined;
  /** Kind of a page that is not running text: `contents`, `changelog`, `index`. */
  page_kind?: string | undefined;
}

/** A request to a language model or an extractive answerer. */
export interface GenerateRequest {
  messages: readonly Message[];
  /** Content of the messages as data, for an answerer that quotes instead of writing. */
  grounding: {
    /** The search query: the question, or the follow-up with its subject. */
    query: string;
    /** The original question, if different. */
    question?: string | undefined;
    /** Earlier answers, if the question only asks for more. They are not quoted again. */
    previous_answers?: string | undefined;
    sources: readonly GroundingSource[];
  };
  max_tokens: number;
  /** Seconds without a token before it gives up. */
  timeout: number;
  signal?: AbortSignal | undefined;
}

/** Token counts of a call, as the provider reports them; else 0. */
export interface Usage {
  input_tokens: number;
  output_tokens: number;
}

/** Metadata of a finished answer. */
export interface Outcome extends Usage {
  /** Why generation stopped early, if it did: `max_tokens`, or the end of the context window. */
  cut_off?: 'max_tokens' | 'window' | undefined;
  /** Quoted lines, for an answerer that quotes: line numbers in a source with its context, from 0, ends inclusive. */
  quoted?: readonly { citation: number; lines: readonly [first: number, last: number] }[] | undefined;
  /** Numbers of the quoted sources, in the order of the answer's own numbering: its `[1]` is the first of these. */
  order?: readonly number[] | undefined;
  /** Calibrated probability that the quotation answers the question, 0 to 1. */
  probability?: number | undefined;
  /** The quoted sentence, row or line that answers best. */
  highlight?: string | undefined;
  /** Whether an answerer that quotes left a part of the question unanswered. */
  unsure?: boolean | undefined;
}

/**
 * The marker that says that the sources do not answer: a citation of no source. At the beginning of an answer it stands for the whole
 * question, after a statement for a part of it. The chat removes it from the answer.
 */
export const NO_ANSWER_MARKER = '[0]';

/**
 * A language model, or an answerer that quotes. `generate` yields pieces of an answer, and returns its usage and outcome. The piece `DISCARD` takes back
 * what was yielded before. It throws a KbError after its retries: `too_large` if shorter sources may succeed.
 */
export interface Llm {
  readonly provider: string;
  readonly model: string;
  /** Quotes `grounding` without reading the messages, so it cannot rewrite questions or summarize histories. */
  readonly extractive?: boolean;
  generate(request: GenerateRequest): AsyncGenerator<CleanPiece, Outcome, void>;
}
