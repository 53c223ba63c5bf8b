/** What a provider can be asked for: answers, vectors, an order. */
export type Kind = 'llm' | 'embedding' | 'rerank';

interface Row {
  /** The model where none is configured; absent where only the user can know. */
  model?: string;
}

/** Chat completions as OpenAI defined them. */
export interface OpenAiLlmRow extends Row {
  dialect: 'openai';
  /** How it calls the limit of an answer's tokens. */
  limit: 'max_tokens' | 'max_completion_tokens';
  /** Whether it counts tokens only when `stream_options` ask for it, or always and knows no such field. */
  usage: 'on_request' | 'always';
  /** What its default model is asked beyond that: to think little, since thoughts count as tokens of the answer. Another model may not know it. */
  parameters?: Readonly<Record<string, unknown>>;
}

/** Messages as Anthropic defined them. */
export interface AnthropicLlmRow extends Row {
  dialect: 'anthropic';
}

export interface EmbeddingRow extends Row {
  /** `openai`: POST /embeddings with `input`; `cohere`: POST /embed with `texts`. */
  dialect: 'openai' | 'cohere';
  /** Length of the vectors of its models. */
  dimensions: Readonly<Record<string, number>>;
  /** How it calls the length that is asked for; absent where it knows no such wish. */
  length_name?: 'dimensions' | 'output_dimension';
  /** How it calls the use of a text, and the two uses. */
  input_type?: Readonly<{ name: 'input_type' | 'task'; document: string; query: string }>;
  /** Whether it wants to be told that vectors are written as numbers (`encoding_format: float`). */
  asks_for_floats?: boolean;
  /** Texts that one request may hold. */
  batch: number;
}

export interface RerankRow extends Row {
  /** `cohere`: `top_n`, and `results` that are returned; `voyage`: `top_k`, and `data`. */
  dialect: 'cohere' | 'voyage';
  /** What it speaks instead, perhaps: it is asked so when it misses `texts`. */
  alternative?: 'tei';
  /** Whether it may be asked without the name of a model. */
  is_model_optional?: boolean;
  /** What it is asked beyond that. */
  parameters?: Readonly<Record<string, unknown>>;
}

export interface Provider {
  /** Where it is; absent where `options.base_url` or the variable has to say. */
  base_url?: string;
  /** The environment variable that may say it, too. */
  base_url_variable: string;
  /** The environment variables that may hold the key, the first that is set wins. */
  key_variables: readonly [string, ...string[]];
  /** Headers that say whose account it is, and the environment variables that hold them. */
  account?: Readonly<Record<string, string>>;
  /** Whether it answers without a key. */
  is_open?: boolean;
  llm?: OpenAiLlmRow | AnthropicLlmRow;
  embedding?: EmbeddingRow;
  rerank?: RerankRow;
}
