import type { OpenAI } from 'openai';
import type { KbError } from '../../core/errors.ts';
import { type Access, accessTo, type ProviderSettings } from '../providers/access.ts';
import { providerError, refusalIn } from '../providers/provider-errors.ts';
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

/** Opens the client; nothing is sent. Its own retries are off, because `retry` can stop, count and report them. */
async function openClient(access: Access): Promise<OpenAiClient> {
  const { OpenAI } = await import('../providers/openai-library.ts');
  const { key, base_url, provider } = access;
  const client = new OpenAI({
    apiKey: key ?? 'none',
    baseURL: base_url,
    maxRetries: 0,
    logLevel: 'off', // otherwise it prints to standard error
    fetch: withOpenAiErrors(access.fetch),
    // the account at OpenAI that the environment names is not sent to other providers
    ...(provider === 'openai' ? {} : { organization: null, project: null }),
    ...(key === undefined ? { defaultHeaders: { Authorization: null } } : {}),
  });
  return { client, translate: (error, signal) => providerError(error, { ...access, signal }) };
}

/** Rewrites error responses in OpenAI's form, the only one that the client reads. */
const withOpenAiErrors =
  (ask: typeof fetch): typeof fetch =>
  async (input, init) => {
    const response = await ask(input, init);
    if (response.ok) return response;
    const { message, code, status, headers } = refusalIn(response, await response.text());
    return new Response(JSON.stringify({ error: { message, code } }), { status, headers });
  };

/** Opens a language model with OpenAI's protocol; nothing is sent yet. Throws a KbError (`setup` without a key, `configuration` without address or model). */
export async function openOpenAiLlm(settings: ProviderSettings): Promise<Llm> {
  const access = accessTo(settings, 'llm');
  const { client, translate } = await openClient(access);
  const ask = async (request: GenerateRequest, signal: AbortSignal): Promise<AsyncIterator<AnswerPart>> =>
    readChunks(await client.chat.completions.create(body(request, access), { signal, timeout: NEVER }));
  return { provider: access.provider, model: access.model, generate: (request) => generate(request, { access, ask, translate }) };
}

/** Timeout of the client in milliseconds: that of the answer always comes first. */
const NEVER = 2 ** 31 - 1;

type Body = Parameters<OpenAiClient['client']['chat']['completions']['create']>[0] & { stream: true };

function body({ messages, max_tokens }: GenerateRequest, { row, model, parameters }: Access<'llm'>): Body {
  const { limit, usage, model: usual, parameters: usualParameters } = row as OpenAiLlmRow;
  return {
    ...(model === usual && usualParameters),
    ...parameters,
    model,
    messages: [...messages],
    [limit]: max_tokens,
    stream: true,
    ...(usage === 'on_request' && { stream_options: { include_usage: true } }),
  };
}

/** Forms of other servers than OpenAI: a list of parts (Mistral), and usage in another field (Groq). */
type Content = string | null | undefined | readonly { type: string; text?: string }[];
type Chunk = Omit<ChatCompletionChunk, 'choices'> & {
  choices?: { delta?: { content?: Content; refusal?: string | null }; finish_reason?: string | null }[];
  x_groq?: { usage?: ChatCompletionChunk['usage'] };
};

/** Reads the answer without the reasoning, which comes in separate fields (`reasoning`, `reasoning_content`) or parts, or between marks. */
async function* readChunks(chunks: AsyncIterable<ChatCompletionChunk>): AsyncGenerator<AnswerPart, void, void> {
  const removeReasoning = reasoningFilter();
  for await (const chunk of chunks as AsyncIterable<Chunk>) {
    const [choice] = chunk.choices ?? [];
    yield {
      text: removeReasoning(textOf(choice?.delta?.content)),
      refusal: choice?.delta?.refusal ?? undefined,
      usage: usageIn(chunk),
      ending: choice?.finish_reason ? stopReasonOf(choice.finish_reason) : undefined,
    };
  }
}

const textOf = (content: Content): string =>
  typeof content === 'string' ? content : (content ?? []).map(({ type, text }) => (type === 'text' ? (text ?? '') : '')).join('');

function usageIn({ usage, x_groq }: Chunk): Usage | undefined {
  const counted = usage ?? x_groq?.usage;
  return counted ? { input_tokens: counted.prompt_tokens ?? 0, output_tokens: counted.completion_tokens ?? 0 } : undefined;
}

/** `model_length` is Mistral's, `insufficient_system_resource` DeepSeek's, `error` OpenRouter's; Gemini adds a reason to `content_filter`. */
function stopReasonOf(reason: string): StopReason | undefined {
  if (reason.startsWith('content_filter')) return 'filter';
  if (reason === 'length') return 'length';
  if (reason === 'model_length') return 'window';
  return reason === 'insufficient_system_resource' || reason === 'error' ? undefined : 'done';
}
