import { KbError } from '../../core/errors.ts';
import { operatorAdvice } from '../../core/advice/advice.ts';

/** What a provider offers: answers, vectors, or an order of passages. */
export type ProviderKind = 'llm' | 'embedding' | 'rerank';

interface Row {
  /** Default model; absent if only the user knows it. */
  model?: string;
}

interface LlmRow extends Row {
  /**
   * Minimum context window in tokens (input and output): that of the smallest model in use, or the default of a model server. Absent if only the user knows it
   * (`chat.llm.context_window`).
   */
  context_window?: number;
}

/** A provider with OpenAI's chat completions API. */
export interface OpenAiLlmRow extends LlmRow {
  dialect: 'openai';
  /** Its parameter for the maximum tokens of an answer. */
  max_tokens_name: 'max_tokens' | 'max_completion_tokens';
  /** Whether it reports token counts only if `stream_options` ask for them, or always (and does not know that field). */
  usage: 'on_request' | 'always';
  /**
   * Further parameters for its default model, which keep its reasoning short: reasoning counts as tokens of the answer. Other models may not accept them.
   */
  parameters?: Readonly<Record<string, unknown>>;
}

/** Ollama, in its own protocol. */
interface OllamaLlmRow extends LlmRow {
  dialect: 'ollama';
}

/** A provider with Anthropic's Messages API. */
interface AnthropicLlmRow extends LlmRow {
  dialect: 'anthropic';
}

/** A provider of embeddings. */
export interface EmbeddingRow extends Row {
  /** `openai`: POST /embeddings with `input`; `ollama`: POST /api/embed with `input`; `cohere`: POST /embed with `texts`. */
  dialect: 'openai' | 'ollama' | 'cohere';
  /** Dimensions of its models. */
  dimensions: Readonly<Record<string, number>>;
  /** Its parameter for the requested dimensions; absent if it has none. */
  dimensions_name?: 'dimensions' | 'output_dimension';
  /** Its parameter for the use of a text, and the two values. */
  input_type?: Readonly<{ name: 'input_type' | 'task'; document: string; query: string }>;
  /** Whether it needs `encoding_format: float` to return numbers. */
  asks_for_floats?: boolean;
  /** Maximum texts per request. */
  batch: number;
}

interface RerankRow extends Row {
  /** `cohere`: `top_n` in the request and `results` in the response; `voyage`: `top_k` and `data`. */
  dialect: 'cohere' | 'voyage';
  /** Alternative dialect, used if it reports that `texts` is missing. */
  alternative?: 'tei';
  /** Whether requests without a model are allowed. */
  is_model_optional?: boolean;
  /** Further parameters of a request. */
  parameters?: Readonly<Record<string, unknown>>;
}

/** A row of the table: a hosted service or model server, and how it is called. */
export interface Provider {
  /** Its address; absent if the user must set `options.base_url` or the variable. */
  base_url?: string;
  /** Environment variable that overrides the address. */
  base_url_variable: string;
  /** Environment variables for the key; the first that is set is used. */
  key_variables: readonly [string, ...string[]];
  /** Headers that identify the account, with the environment variables of their values. */
  account?: Readonly<Record<string, string>>;
  /** Whether it works without a key. */
  is_keyless?: boolean;
  llm?: OpenAiLlmRow | OllamaLlmRow | AnthropicLlmRow;
  embedding?: EmbeddingRow;
  rerank?: RerankRow;
}

/**
 * The table of providers; a new provider is a new row. Models, dimensions and limits are from the documentation named in the comments, as of November 2026.
 */
export const providers = {
  // platform.openai.com/docs: models, deprecations (gpt-6-luna takes the place of the small models before it), embeddings (2048 inputs).
  openai: {
    base_url: 'https://api.openai.com/v1',
    base_url_variable: 'OPENAI_BASE_URL',
    key_variables: ['OPENAI_API_KEY'],
    account: { 'openai-organization': 'OPENAI_ORG_ID', 'openai-project': 'OPENAI_PROJECT_ID' },
    llm: { dialect: 'openai', model: 'gpt-6-luna', context_window: 128_000, max_tokens_name: 'max_completion_tokens', usage: 'on_request' },
    embedding: {
      dialect: 'openai',
      model: 'text-embedding-3-small',
      dimensions: { 'text-embedding-3-small': 1536, 'text-embedding-3-large': 3072, 'text-embedding-ada-002': 1536 },
      dimensions_name: 'dimensions',
      asks_for_floats: true,
      batch: 2048,
    },
  },
  // platform.claude.com/docs/models/overview: the fast one of the current models, which reasons only on request.
  anthropic: {
    base_url: 'https://api.anthropic.com',
    base_url_variable: 'ANTHROPIC_BASE_URL',
    key_variables: ['ANTHROPIC_API_KEY'],
    llm: { dialect: 'anthropic', model: 'claude-haiku-4-5', context_window: 200_000 },
  },
  // ai.google.dev/gemini-api/docs: openai (the compatible endpoint), models, embeddings (100 texts in one request).
  gemini: {
    base_url: 'https://generativelanguage.googleapis.com/v1beta/openai',
    base_url_variable: 'GEMINI_BASE_URL',
    key_variables: ['GEMINI_API_KEY', 'GOOGLE_API_KEY'],
    llm: {
      dialect: 'openai',
      model: 'gemini-3.5-flash',
      context_window: 128_000,
      max_tokens_name: 'max_tokens',
      usage: 'on_request',
      parameters: { reasoning_effort: 'low' },
    },
    embedding: {
      dialect: 'openai',
      model: 'gemini-embedding-001',
      dimensions: { 'gemini-embedding-001': 3072 },
      dimensions_name: 'dimensions',
      asks_for_floats: true,
      batch: 100,
    },
  },
  // console.groq.com/docs: models, deprecations (the Llama models ended in August 2026).
  groq: {
    base_url: 'https://api.groq.com/openai/v1',
    base_url_variable: 'GROQ_BASE_URL',
    key_variables: ['GROQ_API_KEY'],
    llm: {
      dialect: 'openai',
      model: 'openai/gpt-oss-120b',
      context_window: 32_000,
      max_tokens_name: 'max_completion_tokens',
      usage: 'on_request',
      parameters: { reasoning_effort: 'low' },
    },
  },
  // docs.mistral.ai: models, api. It refuses fields that it does not know.
  mistral: {
    base_url: 'https://api.mistral.ai/v1',
    base_url_variable: 'MISTRAL_BASE_URL',
    key_variables: ['MISTRAL_API_KEY'],
    llm: { dialect: 'openai', model: 'mistral-small-latest', context_window: 32_000, max_tokens_name: 'max_tokens', usage: 'always' },
    embedding: {
      dialect: 'openai',
      model: 'mistral-embed',
      dimensions: { 'mistral-embed': 1024, 'codestral-embed': 1536 },
      dimensions_name: 'output_dimension',
      asks_for_floats: true,
      batch: 128,
    },
  },
  // api-docs.deepseek.com: first API call, thinking mode (on by default).
  deepseek: {
    base_url: 'https://api.deepseek.com',
    base_url_variable: 'DEEPSEEK_BASE_URL',
    key_variables: ['DEEPSEEK_API_KEY'],
    llm: {
      dialect: 'openai',
      model: 'deepseek-flash',
      context_window: 64_000,
      max_tokens_name: 'max_tokens',
      usage: 'on_request',
      parameters: { thinking: { type: 'disabled' } },
    },
  },
  // openrouter.ai/docs: the router chooses the model.
  openrouter: {
    base_url: 'https://openrouter.ai/api/v1',
    base_url_variable: 'OPENROUTER_BASE_URL',
    key_variables: ['OPENROUTER_API_KEY'],
    llm: { dialect: 'openai', model: 'openrouter/auto', max_tokens_name: 'max_tokens', usage: 'on_request' },
  },
  // docs.ollama.com: api. A model has to be pulled first; these are those of its examples.
  ollama: {
    base_url: 'http://127.0.0.1:11434',
    base_url_variable: 'OLLAMA_BASE_URL',
    key_variables: ['OLLAMA_API_KEY'],
    is_keyless: true,
    llm: { dialect: 'ollama', model: 'gemma3', context_window: 8192 },
    embedding: {
      dialect: 'ollama',
      model: 'all-minilm',
      dimensions: { 'all-minilm': 384, embeddinggemma: 768, 'nomic-embed-text': 768 },
      dimensions_name: 'dimensions',
      batch: 512,
    },
  },
  // docs.voyageai.com: text embeddings (1000 texts, `encoding_format` is absent or base64), rerankers.
  voyage: {
    base_url: 'https://api.voyageai.com/v1',
    base_url_variable: 'VOYAGE_BASE_URL',
    key_variables: ['VOYAGE_API_KEY'],
    embedding: {
      dialect: 'openai',
      model: 'voyage-4',
      dimensions: { 'voyage-4': 1024, 'voyage-4-large': 1024, 'voyage-4-lite': 1024, 'voyage-3.5': 1024, 'voyage-3.5-lite': 1024 },
      dimensions_name: 'output_dimension',
      input_type: { name: 'input_type', document: 'document', query: 'query' },
      batch: 1000,
    },
    rerank: { dialect: 'voyage', model: 'rerank-2.5' },
  },
  // docs.cohere.com: embed (v2, 96 texts), rerank (v2), models.
  cohere: {
    base_url: 'https://api.cohere.com/v2',
    base_url_variable: 'COHERE_BASE_URL',
    key_variables: ['COHERE_API_KEY', 'CO_API_KEY'],
    embedding: {
      dialect: 'cohere',
      model: 'embed-v4.0',
      dimensions: { 'embed-v4.0': 1536, 'embed-multilingual-v3.0': 1024, 'embed-english-v3.0': 1024 },
      dimensions_name: 'output_dimension',
      input_type: { name: 'input_type', document: 'search_document', query: 'search_query' },
      batch: 96,
    },
    rerank: { dialect: 'cohere', model: 'rerank-v4.0-pro' },
  },
  // docs.jina.ai: embeddings (512 texts), reranker.
  jina: {
    base_url: 'https://api.jina.ai/v1',
    base_url_variable: 'JINA_BASE_URL',
    key_variables: ['JINA_API_KEY'],
    embedding: {
      dialect: 'openai',
      model: 'jina-embeddings-v5-text-small',
      dimensions: { 'jina-embeddings-v5-text-small': 1024, 'jina-embeddings-v5-text-nano': 768, 'jina-embeddings-v3': 1024 },
      dimensions_name: 'dimensions',
      input_type: { name: 'task', document: 'retrieval.passage', query: 'retrieval.query' },
      batch: 512,
    },
    rerank: { dialect: 'cohere', model: 'jina-reranker-v3', parameters: { return_documents: false } },
  },
  // Any server with these protocols: vLLM, llama.cpp, LM Studio, LiteLLM, text-embeddings-inference.
  openai_compatible: {
    base_url_variable: 'OPENAI_COMPATIBLE_BASE_URL',
    key_variables: ['OPENAI_COMPATIBLE_API_KEY'], // not OPENAI_API_KEY: that key must reach OpenAI only
    is_keyless: true,
    llm: { dialect: 'openai', max_tokens_name: 'max_tokens', usage: 'on_request' },
    embedding: { dialect: 'openai', dimensions: {}, dimensions_name: 'dimensions', asks_for_floats: true, batch: 2048 },
    rerank: { dialect: 'cohere', alternative: 'tei', is_model_optional: true },
  },
} as const satisfies Record<string, Provider>;

type Table = typeof providers;
/** Names of the providers that offer a kind. */
export type ProviderOf<K extends ProviderKind> = { [N in keyof Table]: Table[N] extends Record<K, unknown> ? N : never }[keyof Table];

/** Looks up a provider by name; undefined if there is none. */
export const findProvider = (name: string): Provider | undefined =>
  Object.hasOwn(providers, name) ? providers[name as keyof Table] : undefined;

/** Lists the names of the providers that offer `kind`, in the order of the table. */
export const providersOf = <K extends ProviderKind>(kind: K): ProviderOf<K>[] =>
  Object.keys(providers).filter((name): name is ProviderOf<K> => findProvider(name)![kind] !== undefined);

/** Returns the default model of a provider; empty if it has none. */
export const defaultModel = (name: string, kind: ProviderKind): string => findProvider(name)?.[kind]?.model ?? '';

/** Makes the error of a provider whose key is missing; undefined if the key is set or not needed. */
export function missingKeyError(name: string, env: NodeJS.ProcessEnv = process.env): KbError | undefined {
  const provider = findProvider(name);
  if (!provider || provider.is_keyless || provider.key_variables.some((variable) => env[variable]?.trim())) return undefined;
  const [variable] = provider.key_variables;
  return new KbError('setup', `The provider ${name} needs a key, and ${variable} is not set.`, {
    hint: operatorAdvice`Set it in the environment ("export ${variable}=…") or in a file .env beside kb.config.yaml.`,
  });
}
