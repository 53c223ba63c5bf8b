import type { GenerateRequest, Llm, Message, Usage } from '../../ports/models.ts';
import { type Access, resolveAccess, type ProviderSettings } from '../providers/access.ts';
import { providerError } from '../providers/provider-errors.ts';
import { readEvents, requestAnswer } from './answer-request.ts';
import { AcceptedParameters, type ChatBody, sendAccepted } from './negotiate.ts';
import { generate, type AnswerPart, type StopReason } from './generate.ts';

/** Version of the protocol (platform.claude.com/docs/api/versioning). */
const VERSION = '2023-06-01';

/** Opens a language model with Anthropic's Messages API; nothing is sent yet. Throws a KbError (`setup` without a key, `configuration` without an address). */
export async function openAnthropicLlm(settings: ProviderSettings): Promise<Llm> {
  const access = resolveAccess(settings, 'llm');
  const translate = (error: unknown, signal: AbortSignal | undefined) => providerError(error, { ...access, signal });
  const accepted = new AcceptedParameters();
  const send = async (request: GenerateRequest, signal: AbortSignal): Promise<AsyncIterator<AnswerPart>> =>
    readParts(await sendAccepted(requestBody(request, access), accepted, (body) => postMessages(access, body, signal)));
  const habits = {};
  return {
    provider: access.provider,
    model: access.model,
    generate: (request) => generate(request, { access, send, translate, habits }),
  };
}

const requestBody = ({ max_tokens, messages }: GenerateRequest, { model, parameters }: Access): ChatBody => ({
  ...parameters,
  model,
  max_tokens,
  stream: true,
  ...separateSystemMessages(messages),
});

/** A text up to which a server keeps what it has computed for the prompt. */
const cachedText = (text: string) => [{ type: 'text', text, cache_control: { type: 'ephemeral' } }];

/** Asks to cache the system message, and the history before the last message. */
function withCachePoints({ system, messages, ...body }: ChatBody): Record<string, unknown> {
  const last = messages.length - 1;
  return {
    ...body,
    ...(typeof system === 'string' && { system: cachedText(system) }),
    messages: messages.map((message, i) => (i === last - 1 ? { ...message, content: cachedText(message.content) } : message)),
  };
}

const postMessages = (access: Access, body: ChatBody, signal: AbortSignal): Promise<Response> =>
  requestAnswer(access, {
    url: `${access.base_url.replace(/\/v1$/, '')}/v1/messages`, // users write the address with and without /v1
    headers: { 'anthropic-version': VERSION, ...(access.key && { 'x-api-key': access.key }) },
    body: withCachePoints(body),
    signal,
  });

/** Separates the system messages, as the protocol requires. The caller ensures that the others alternate, the user first, and are not empty. */
export function separateSystemMessages(messages: readonly Message[]): { system?: string; messages: Message[] } {
  const system = messages.filter(({ role }) => role === 'system').map(({ content }) => content);
  const turns = messages.filter(({ role }) => role !== 'system').map(({ role, content }) => ({ role, content }));
  return { ...(system.length > 0 && { system: system.join('\n\n') }), messages: turns };
}

/** Events that are read; others (`ping`, begin and end of a block, those of later versions) are ignored. */
interface StreamEvent {
  type: string;
  message?: { usage?: TokenCounts };
  delta?: { type?: string; text?: string; stop_reason?: string | null };
  usage?: TokenCounts;
  error?: unknown;
}

interface TokenCounts {
  input_tokens?: number | null;
  cache_creation_input_tokens?: number | null;
  cache_read_input_tokens?: number | null;
  output_tokens?: number | null;
}

async function* readParts(response: Response): AsyncGenerator<AnswerPart, void, void> {
  for await (const data of readEvents(response)) {
    const event = JSON.parse(data) as StreamEvent;
    if (event.type === 'error') throw event;
    if (event.type === 'message_start') yield { usage: parseUsage(event.message?.usage) };
    if (event.type === 'content_block_delta') yield { text: event.delta?.type === 'text_delta' ? event.delta.text : undefined };
    if (event.type === 'message_delta') yield { usage: parseUsage(event.usage), ending: stopReasonOf(event.delta?.stop_reason) };
  }
}

/** Returns the token counts that an event reports: input (cached or not) and output. */
function parseUsage({
  input_tokens,
  output_tokens,
  cache_creation_input_tokens,
  cache_read_input_tokens,
}: TokenCounts = {}): Partial<Usage> {
  const cached = (cache_creation_input_tokens ?? 0) + (cache_read_input_tokens ?? 0);
  return {
    ...(typeof input_tokens === 'number' && { input_tokens: input_tokens + cached }),
    ...(typeof output_tokens === 'number' && { output_tokens }),
  };
}

function stopReasonOf(reason: string | null | undefined): StopReason | undefined {
  if (!reason) return undefined;
  if (reason === 'refusal') return 'filter';
  if (reason === 'max_tokens') return 'length';
  return reason === 'model_context_window_exceeded' ? 'window' : 'done';
}
