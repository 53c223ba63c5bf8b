import { openJsonServer, type JsonAnswer, type JsonRequest, type JsonServer } from './json-server.ts';

type Body = Record<string, unknown>;

/** How a service for embeddings is asked and answers, by its documentation. */
interface Wire {
  path: string;
  /** The name of the texts, and the fields that it knows beside them. */
  texts: 'input' | 'texts';
  fields: string[];
  /** Texts in one request, at most. */
  most: number;
  answer(vectors: number[][], model: unknown): Body;
  refusal(message: string, status: number): unknown;
  /** Its words for more text than one request may hold. */
  tooLong: string;
  tooMany: string;
}

const listed = (vectors: number[][], model: unknown) => ({
  object: 'list',
  model,
  data: vectors.map((embedding, index) => ({ object: 'embedding', index, embedding })),
  usage: { prompt_tokens: 5, total_tokens: 5 },
});
const openAiRefusal = (message: string) => ({ error: { message, type: 'invalid_request_error', param: null, code: null } });

/** Each as the service is, by name of the provider. `openai_compatible` is vLLM. */
export const embeddingWires: Record<string, Wire> = {
  openai: {
    path: '/embeddings',
    texts: 'input',
    fields: ['model', 'encoding_format', 'dimensions', 'user'],
    most: 2048,
    answer: listed,
    refusal: openAiRefusal,
    tooLong: 'Requested 375703 tokens, max 300000 tokens per request',
    tooMany: "'$.input' is too long. Maximum array length is 2048, but got an array of length 2049 instead.",
  },
  voyage: {
    path: '/embeddings',
    texts: 'input',
    fields: ['model', 'input_type', 'truncation', 'output_dimension', 'output_dtype'],
    most: 1000,
    answer: listed,
    refusal: (detail) => ({ detail }),
    tooLong:
      "Request to model 'voyage-4' failed. The max allowed tokens per submitted batch is 120000. Your batch has 121138 tokens after truncation. Please lower the number of tokens in the batch.",
    tooMany: 'The batch size limit is 1000. Your batch is too large.',
  },
  cohere: {
    path: '/embed',
    texts: 'texts',
    fields: ['model', 'input_type', 'embedding_types', 'output_dimension', 'max_tokens', 'truncate'],
    most: 96,
    answer: (float) => ({
      id: 'e-1',
      response_type: 'embeddings_by_type',
      embeddings: { float },
      texts: [],
      meta: { api_version: { version: '2' } },
    }),
    refusal: (message) => ({ id: 'e-1', message }),
    tooLong: 'too many tokens: total number of tokens in the request exceeds the limit of 128000',
    tooMany: 'invalid request: total number of texts must be at most 96 - received 97',
  },
  gemini: {
    path: '/embeddings',
    texts: 'input',
    fields: ['model', 'encoding_format', 'dimensions'],
    most: 100,
    answer: (vectors, model) => ({
      object: 'list',
      model,
      data: vectors.map((embedding, index) => ({ object: 'embedding', ...(index > 0 && { index }), embedding })), // the first has none
    }),
    refusal: (message, code) => [{ error: { code, message, status: 'INVALID_ARGUMENT' } }],
    tooLong: 'The input token count (1200293) exceeds the maximum number of tokens allowed (1048576).',
    tooMany: '* BatchEmbedContentsRequest.requests: at most 100 requests can be in one batch\n',
  },
  mistral: {
    path: '/embeddings',
    texts: 'input',
    fields: ['model', 'encoding_format', 'output_dimension', 'output_dtype'],
    most: 512,
    answer: listed,
    refusal: (message) => ({ object: 'error', message, type: 'invalid_request_prompt', param: null, code: '3210' }),
    tooLong: 'Too many tokens overall, split into more batches.',
    tooMany: 'Too many inputs in request, split into more batches.',
  },
  jina: {
    path: '/embeddings',
    texts: 'input',
    fields: ['model', 'task', 'dimensions', 'normalized', 'embedding_type', 'truncate'],
    most: 512,
    answer: listed,
    refusal: (detail) => ({ detail }),
    tooLong: 'Input text exceeds the maximum context length of 32768 tokens.',
    tooMany: 'The number of inputs is too large: at most 512 inputs are allowed.',
  },
  ollama: {
    path: '/api/embed',
    texts: 'input',
    fields: ['model', 'truncate', 'dimensions'],
    most: Infinity,
    answer: (embeddings, model) => ({ model, embeddings, prompt_eval_count: 5 }),
    refusal: (error) => ({ error }),
    tooLong: 'the input length exceeds the context length',
    tooMany: '',
  },
  openai_compatible: {
    path: '/embeddings',
    texts: 'input',
    fields: ['model', 'encoding_format', 'dimensions'],
    most: Infinity,
    answer: listed,
    refusal: (message, code) => ({ error: { message, type: 'BadRequestError', param: null, code } }),
    tooLong: "This model's maximum context length is 512 tokens. However, you requested 700 tokens in the input for embedding generation.",
    tooMany: '',
  },
};

export interface EmbeddingBehaviour {
  /** The vector of a text. */
  vector?(text: string): number[];
  /** Characters in one request, beyond which it is refused in the words of the service. */
  longest?: number;
  /** Instead of everything else, where it gives something: a status and the words of the refusal, or an answer as it is. */
  instead?(
    request: JsonRequest,
    count: number,
  ): { status: number; said: string; headers?: Record<string, string> } | JsonAnswer | undefined;
}

/** A server that speaks as the service of that name does, and refuses what the service would refuse. */
export async function openEmbeddingServer(name: string, behaviour: EmbeddingBehaviour = {}): Promise<JsonServer> {
  const wire = embeddingWires[name]!;
  const refuse = (said: string, status = 400, headers = {}): JsonAnswer => ({ status, headers, body: wire.refusal(said, status) });
  return openJsonServer((request, count) => {
    const instead = behaviour.instead?.(request, count);
    if (instead) return 'said' in instead ? refuse(instead.said, instead.status, instead.headers) : instead;
    if (request.path !== wire.path) return refuse(`There is no ${request.path}`, 404);
    const texts = request.body[wire.texts] as string[];
    const strange = Object.keys(request.body).find((field) => field !== wire.texts && !wire.fields.includes(field));
    if (!Array.isArray(texts)) return refuse(`${wire.texts} is required`, 422);
    if (strange) return refuse(`Unrecognized request argument supplied: ${strange}`);
    if (texts.length > wire.most) return refuse(wire.tooMany);
    if (texts.join('').length > (behaviour.longest ?? Infinity)) return refuse(wire.tooLong);
    return { body: wire.answer(texts.map(behaviour.vector ?? plainVector), request.body.model) };
  });
}

/** Three numbers that tell texts apart by their length and first letter. */
const plainVector = (text: string): number[] => [text.length, text.codePointAt(0) ?? 0, 1];
