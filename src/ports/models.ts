import type { Metadata } from '../schema/items.ts';

/** Makes vectors of texts. A vector is of unit length; its cosine to another of the same embedder tells how alike the texts are. */
export interface Embedder {
  readonly provider: string;
  readonly model: string;
  /** Length of a vector. 0 where it is known only after the first answer. */
  readonly dimensions: number;
  /** How many calls of `embed` at once pay. */
  readonly concurrency: number;
  /** The score (0 to 1, as in a retrieved item) from which a passage is taken to be about the query; measured for this model. */
  readonly min_retrieval_score: number;
  /** The cosines of texts that have nothing to do with each other and of texts that say the same; 0 and 1 where absent. */
  readonly cosine_range?: readonly [unrelated: number, alike: number];
  /** The same of texts in two languages, where the model compares those. */
  readonly cosine_range_across_languages?: readonly [unrelated: number, alike: number];
  /** What the vectors weigh in hybrid search where it reads all of the query, 0 to 1; 0.5 where absent. */
  readonly vector_weight?: number;
  /** How much of a text the model can read, 0 to 1. */
  coverage(text: string): number;
  /**
   * All vectors in the order of the texts, or a KbError: `too_large` when fewer texts may succeed, `invalid` when a text is at fault,
   * `unauthorized`, `setup`; retries are already spent.
   */
  embed(texts: readonly string[], options: { input_type: 'document' | 'query'; signal?: AbortSignal | undefined }): Promise<Float32Array[]>;
  close(): Promise<void>;
}

/** Orders passages by how well they answer a query. */
export interface Reranker {
  readonly provider: string;
  readonly model: string;
  /** The score from which a passage is taken to answer; undefined where the model has no measured one. */
  readonly min_rerank_score: number | undefined;
  /** One score for each passage; higher is better. */
  rank(query: string, passages: readonly RerankPassage[], options: RankOptions): Promise<number[]>;
}

export interface RankOptions {
  signal?: AbortSignal | undefined;
  /** What a language model that is asked is replaced with: itself, with somebody who listens. */
  watched?: ((llm: Llm) => Llm) | undefined;
}

export interface RerankPassage {
  text: string;
  /** The retrieval score, 0 to 1. */
  score: number;
  metadata: Metadata;
}

export interface Message {
  role: 'system' | 'user' | 'assistant';
  content: string;
}

/** A numbered passage that an answer may be made of. */
export interface GroundingSource {
  citation: number;
  title: string;
  text: string;
  /** What stands before and behind the text in its section, with the blank lines between: the three together read on. Absent where nothing does. */
  before?: string | undefined;
  after?: string | undefined;
  /** The document that it is from: passages of one section of it are cited as one. */
  document?: string | undefined;
  /** The retrieval score, 0 to 1. */
  score?: number | undefined;
  /** The score of a reranker, where one decided the order. */
  rerank_score?: number | undefined;
  /** What the page is where it is no text: `contents`, `changelog`, `index`. */
  page_kind?: string | undefined;
}

export interface GenerateRequest {
  messages: readonly Message[];
  /** What the messages contain, for an answerer that quotes instead of writing. */
  grounding: {
    /** What was searched for: the question, or a follow-up with its subject. */
    query: string;
    /** What was asked, where that is not the same. */
    question?: string | undefined;
    /** What was answered before, where only more is asked for: nothing of it is quoted again. */
    said?: string | undefined;
    sources: readonly GroundingSource[];
  };
  max_tokens: number;
  /** Seconds without a token after which it gives up. */
  timeout: number;
  signal?: AbortSignal | undefined;
}

export interface Usage {
  input_tokens: number;
  output_tokens: number;
}

/** What is known of an answer once it has ended. */
export interface Outcome extends Usage {
  /** What it was cut off by, where it did not come to its end: `max_tokens`, or the end of the model's window. */
  cut_off?: 'max_tokens' | 'window' | undefined;
  /** Where an answerer that quotes has its words from: lines of a source with what stands before and behind it, from 0, ends inclusive. */
  quoted?: readonly { citation: number; lines: readonly [first: number, last: number] }[] | undefined;
  /** The numbers of the sources that it quotes, in the order in which its answer numbers them: its `[1]` is the first of these. */
  order?: readonly number[] | undefined;
  /** The calibrated chance that what it quotes answers the question, 0 to 1. */
  probability?: number | undefined;
  /** The sentence, row or line of what it quotes that answers best. */
  highlight?: string | undefined;
  /** One that quotes knows that a part of the question is not answered. */
  unsure?: boolean | undefined;
}

/** How an answer begins that says that the sources do not answer: with the number of no source. Behind a statement, it says that of a part. The chat takes it out of what people see. */
export const NO_ANSWER = '[0]';

/**
 * Writes answers. Yields pieces of text; returns what it cost and how it ended. Throws a KbError: `too_large` where the messages do not fit into the model's window, so that
 * the same question with shorter sources may succeed; retries are already spent.
 */
export interface Llm {
  readonly provider: string;
  readonly model: string;
  /** It quotes `grounding` and does not read the messages: questions are rewritten and histories summarized without it. */
  readonly extractive?: boolean;
  generate(request: GenerateRequest): AsyncGenerator<string, Outcome, void>;
}
