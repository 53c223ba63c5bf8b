import type { GenerateRequest, Llm, Usage } from '../../ports/models.ts';
import { type Access, resolveAccess, type ProviderSettings } from '../providers/access.ts';
import { providerError } from '../providers/provider-errors.ts';
import type { OpenAiLlmRow } from '../providers/providers.ts';
import { isDocument, readEvents, requestAnswer } from './answer-request.ts';
import { generate, type AnswerPart, type StopReason } from './generate.ts';
import { AcceptedParameters, type ChatBody, sendAccepted } from './negotiate.ts';

/** Opens a language model with OpenAI's chat completions API; nothing is sent yet. Throws a KbError (`setup` without a key, `configuration` without address or model). */
export async function openOpenAiLlm(settings: ProviderSettings): Promise<Llm> {
  const access = resolveAccess(settings, 'llm');
  const accepted = new AcceptedParameters();
  const habits = {};
  const translate = (error: unknown, signal: AbortSignal | undefined) => providerError(error, { ...access, signal });
  const send = async (request: GenerateRequest, signal: AbortSignal): Promise<AsyncIterator<AnswerPart>> =>
    readAnswer(await sendAccepted(requestBody(request, access), accepted, (body) => postChat(access, body, signal)));
  return {
    provider: access.provider,
    model: access.model,
    generate: (request) => generate(request, { access, send, translate, habits }),
  };
}

const postChat = (access: Access, body: ChatBody, signal: AbortSignal): Promise<Response> =>
  requestAnswer(access, {
    url: `${access.base_url}/chat/completions`,
    headers: access.key === undefined ? {} : { authorization: `Bearer ${access.key}` },
    body,
    signal,
  });

function requestBody({ messages, max_tokens }: GenerateRequest, { row, model, parameters }: Access<'llm'>): ChatBody {
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

/** The text of a message: a list of parts (Mistral), or text. */
type Content = string | null | undefined | readonly { type: string; text?: string }[];

interface Delta {
  content?: Content;
  refusal?: string | null;
}

interface TokenCounts {
  prompt_tokens?: number;
  completion_tokens?: number;
}

/** The fields that are read of a chunk, or of a whole answer, which has `message` instead of `delta`. Groq reports usage in a field of its own. */
interface Chunk {
  choices?: { delta?: Delta; message?: Delta; finish_reason?: string | null }[];
  usage?: TokenCounts | null;
  x_groq?: { usage?: TokenCounts };
  error?: unknown;
}

/** Reads the answer without the reasoning that is sent in fields of its own (`reasoning`, `reasoning_content`) or in other parts. */
async function* readAnswer(response: Response): AsyncGenerator<AnswerPart, void, void> {
  let finish_reason: string | undefined;
  for await (const data of isDocument(response) ? [await response.text()] : readEvents(response)) {
    if (data.startsWith('[DONE]')) {
      // some servers give no reason at the end of a whole answer
      if (finish_reason === undefined) yield { ending: 'done' };
      return;
    }
    const chunk = JSON.parse(data) as Chunk;
    if (chunk.error) throw { error: typeof chunk.error === 'object' ? chunk.error : { message: String(chunk.error) }, message: '' };
    const [choice] = chunk.choices ?? [];
    const delta = choice?.delta ?? choice?.message;
    finish_reason = choice?.finish_reason ?? finish_reason;
    yield {
      text: contentText(delta?.content),
      refusal: delta?.refusal ?? undefined,
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
