import type { ChatCompletionChunk } from 'openai/resources/chat/completions';
import type { GenerateRequest, Llm, Usage } from '../../ports/models.ts';
import { accessTo, type Access, type ProviderSettings } from '../access.ts';
import { openClient, type OpenAiClient } from '../openai-client.ts';
import type { OpenAiLlmRow } from '../provider-rows.ts';
import { generate, type Ending, type Heard } from './answer.ts';
import { thoughtFilter } from './thoughts.ts';

/**
 * A language model that speaks OpenAI's protocol. Nothing is sent before the first question.
 * @throws KbError `setup` where the key is missing, `configuration` where an address or a model is.
 */
export async function openOpenAiLlm(settings: ProviderSettings): Promise<Llm> {
  const access = accessTo(settings, 'llm');
  const { client, translate } = await openClient(access);
  const ask = async (request: GenerateRequest, signal: AbortSignal): Promise<AsyncIterator<Heard>> =>
    heard(await client.chat.completions.create(body(request, access), { signal, timeout: NEVER }));
  return { provider: access.provider, model: access.model, generate: (request) => generate(request, { access, ask, translate }) };
}

/** Milliseconds after which the client gives up by itself: the clock of the answer is always sooner. */
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

/** What servers send beyond OpenAI's own: a list of parts (Mistral), and the usage in a place of Groq's. */
type Content = string | null | undefined | readonly { type: string; text?: string }[];
type Chunk = Omit<ChatCompletionChunk, 'choices'> & {
  choices?: { delta?: { content?: Content; refusal?: string | null }; finish_reason?: string | null }[];
  x_groq?: { usage?: ChatCompletionChunk['usage'] };
};

/** What the model thinks comes in fields of its own (`reasoning`, `reasoning_content`), in parts of its own or between marks, and is left out. */
async function* heard(chunks: AsyncIterable<ChatCompletionChunk>): AsyncGenerator<Heard, void, void> {
  const withoutThoughts = thoughtFilter();
  for await (const chunk of chunks as AsyncIterable<Chunk>) {
    const [choice] = chunk.choices ?? [];
    yield {
      text: withoutThoughts(textOf(choice?.delta?.content)),
      refusal: choice?.delta?.refusal ?? undefined,
      usage: usageIn(chunk),
      ending: choice?.finish_reason ? endingOf(choice.finish_reason) : undefined,
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
function endingOf(reason: string): Ending | undefined {
  if (reason.startsWith('content_filter')) return 'filter';
  if (reason === 'length') return 'length';
  if (reason === 'model_length') return 'window';
  return reason === 'insufficient_system_resource' || reason === 'error' ? undefined : 'done';
}
