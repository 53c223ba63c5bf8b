import type { OpenAI } from 'openai';
import type { KbError } from '../../core/errors.ts';
import { type Access, resolveAccess, type ProviderSettings } from '../providers/access.ts';
import { providerError, parseErrorResponse } from '../providers/provider-errors.ts';
import type { ChatCompletionChunk } from 'openai/resources/chat/completions';
import type { GenerateRequest, Llm, Usage } from '../../ports/models.ts';
import type { OpenAiLlmRow } from '../providers/providers.ts';
import { generate, type AnswerPart, type StopReason } from './generate.ts';
import { reasoningFilter } from '../../text/model-output.ts';

/** An open client; the one place where its errors become KbErrors. */
interface OpenAiClient {
  client: OpenAI;
  translate(error: unknown, signal?: AbortSignal | undefined): KbError;
}

/** Opens the client; nothing is sent. Its own retries are off, because those of `retry` can be stopped, counted and reported. */
async function openClient(access: Access): Promise<OpenAiClient> {
  const { OpenAI } = await import('../providers/openai-library.ts');
  const { key, base_url, provider } = access;
  const client = new OpenAI({
    apiKey: key ?? 'none',
    baseURL: base_url,
    maxRetries: 0,
    logLevel: 'off', // otherwise it prints to standard error
    fetch: withOpenAiErrors(access.fetch),
    // otherwise the client sends the OpenAI account from the environment to every provider
    ...(provider === 'openai' ? {} : { organization: null, project: null }),
    ...(key === undefined ? { defaultHeaders: { Authorization: null } } : {}),
  });
  return { client, translate: (error, signal) => providerError(error, { ...access, signal }) };
}

/** Rewrites error responses in OpenAI's form, the only one that the client reads. */
const withOpenAiErrors =
  (send: typeof fetch): typeof fetch =>
  async (input, init) => {
    const response = await send(input, init);
    if (response.ok) return response;
    const { message, code, status, headers } = parseErrorResponse(response, await response.text());
    return new Response(JSON.stringify({ error: { message, code } }), { status, headers });
  };

/** Opens a language model with OpenAI's protocol; nothing is sent yet. Throws a KbError (`setup` without a key, `configuration` without address or model). */
export async function openOpenAiLlm(settings: ProviderSettings): Promise<Llm> {
  const access = resolveAccess(settings, 'llm');
  const { client, translate } = await openClient(access);
  const send = async (request: GenerateRequest, signal: AbortSignal): Promise<AsyncIterator<AnswerPart>> =>
    readChunks(await client.chat.completions.create(requestBody(request, access), { signal, timeout: MAX_TIMEOUT }));
  return { provider: access.provider, model: access.model, generate: (request) => generate(request, { access, send, translate }) };
}

/** Timeout of the client in milliseconds, the longest possible: the silence timeout applies first. */
const MAX_TIMEOUT = 2 ** 31 - 1;

type Body = Parameters<OpenAiClient['client']['chat']['completions']['create']>[0] & { stream: true };

function requestBody({ messages, max_tokens }: GenerateRequest, { row, model, parameters }: Access<'llm'>): Body {
  const { max_tokens_name, usage, model: defaultModel, parameters: defaultParameters } = row as OpenAiLlmRow;
  return {
    ...(model === defaultModel && defaultParameters),
    ...parameters,
    model,
    messages: [...messages],
    [max_tokens_name]: max_tokens,
    stream: true,
    ...(usage === 'on_request' && { stream_options: { include_usage: true } }),
  };
}

/** Response forms of servers other than OpenAI: a list of parts (Mistral), and usage in another field (Groq). */
type Content = string | null | undefined | readonly { type: string; text?: string }[];
type Chunk = Omit<ChatCompletionChunk, 'choices'> & {
  choices?: { delta?: { content?: Content; refusal?: string | null }; finish_reason?: string | null }[];
  x_groq?: { usage?: ChatCompletionChunk['usage'] };
};

/** Reads the answer without the reasoning, which is sent in separate fields (`reasoning`, `reasoning_content`) or parts, or between tags. */
async function* readChunks(chunks: AsyncIterable<ChatCompletionChunk>): AsyncGenerator<AnswerPart, void, void> {
  const removeReasoning = reasoningFilter();
  for await (const chunk of chunks as AsyncIterable<Chunk>) {
    const [choice] = chunk.choices ?? [];
    yield {
      text: removeReasoning(contentText(choice?.delta?.content)),
      refusal: choice?.delta?.refusal ?? undefined,
      usage: parseUsage(chunk),
      ending: choice?.finish_reason ? stopReasonOf(choice.finish_reason) : undefined,
    };
  }
}

const contentText = (content: Content): string =>
  typeof content === 'string' ? content : (content ?? []).map(({ type, text }) => (type === 'text' ? (text ?? '') : '')).join('');

function parseUsage({ usage, x_groq }: Chunk): Usage | undefined {
  const counts = usage ?? x_groq?.usage;
  return counts ? { input_tokens: counts.prompt_tokens ?? 0, output_tokens: counts.completion_tokens ?? 0 } : undefined;
}

/** `model_length` is Mistral's, `insufficient_system_resource` DeepSeek's, `error` OpenRouter's; Gemini adds a reason to `content_filter`. */
function stopReasonOf(reason: string): StopReason | undefined {
  if (reason.startsWith('content_filter')) return 'filter';
  if (reason === 'length') return 'length';
  if (reason === 'model_length') return 'window';
  return reason === 'insufficient_system_resource' || reason === 'error' ? undefined : 'done';
}
