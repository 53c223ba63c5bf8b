import type { ChatCompletionChunk } from 'openai/resources/chat/completions';
import { KbError } from '../../base/errors.ts';
import { retry } from '../../base/retry.ts';
import type { GenerateRequest, Llm, Usage } from '../../ports.ts';
import { openClient, type OpenAiClient } from '../openai-client.ts';
import { accessTo, type Access, type ProviderSettings } from '../providers.ts';
import { listenFor, type Silence } from './silence.ts';

/**
 * A language model that speaks OpenAI's protocol. Nothing is sent before the first question.
 * @throws KbError `setup` where the key is missing, `configuration` where an address or a model is.
 */
export async function openOpenAiLlm(settings: ProviderSettings): Promise<Llm> {
  const access = accessTo(settings, 'chat.llm');
  const service = await openClient(access);
  return { provider: access.provider, model: access.model, generate: (request) => generate(request, { ...service, access }) };
}

interface Parts extends OpenAiClient {
  access: Access;
}

/** The pieces of the answer as they come. What fails before the first one is tried again; what fails after it ends the answer. */
async function* generate(request: GenerateRequest, parts: Parts): AsyncGenerator<string, Usage, void> {
  const silence = listenFor(request.timeout, request.signal);
  const answer = new Answer(parts.access);
  try {
    const chunks = await silence.during(retry(() => begin(request, { ...parts, silence, answer }), { signal: silence.signal }));
    for (;;) {
      yield* answer.take();
      const { done, value } = await silence.during(chunks.next());
      if (done) return answer.end();
      answer.read(value);
    }
  } catch (error) {
    throw silence.isOver ? tooSilent(parts.access, request.timeout) : parts.translate(error, request.signal);
  } finally {
    silence.end();
  }
}

/** Asks, and reads until there is a first piece of text, or the end. The rest is what is given back. */
async function begin(
  request: GenerateRequest,
  { client, translate, access, silence, answer }: Parts & { silence: Silence; answer: Answer },
) {
  const body = {
    ...access.parameters,
    model: access.model,
    messages: [...request.messages],
    [access.row.limit]: request.max_tokens,
    stream: true as const,
    stream_options: { include_usage: true },
  };
  try {
    // The client's own timeout is never the shorter one.
    const stream = await client.chat.completions.create(body, { signal: silence.signal, timeout: 2000 * request.timeout });
    const chunks: AsyncIterator<ChatCompletionChunk> = stream[Symbol.asyncIterator]();
    while (!answer.hasText) {
      const { done, value } = await chunks.next();
      silence.heard();
      if (done) {
        answer.end();
        break;
      }
      answer.read(value);
    }
    return chunks;
  } catch (error) {
    throw translate(error, request.signal);
  }
}

/** What has come of an answer. */
class Answer {
  hasText = false;
  #waiting: string[] = [];
  #usage: Usage = { input_tokens: 0, output_tokens: 0 };
  #reason: string | null = null;
  readonly #access: Access;

  constructor(access: Access) {
    this.#access = access;
  }

  read({ choices, usage }: ChatCompletionChunk): void {
    const [choice] = choices ?? [];
    if (choice?.delta?.content) this.#waiting.push(choice.delta.content);
    this.hasText ||= this.#waiting.length > 0;
    this.#reason = choice?.finish_reason ?? this.#reason;
    if (usage) this.#usage = { input_tokens: usage.prompt_tokens ?? 0, output_tokens: usage.completion_tokens ?? 0 };
  }

  *take(): Generator<string> {
    yield* this.#waiting.splice(0);
  }

  /** Throws where it did not end as an answer does: a connection may close in the middle without an error. */
  end(): Usage {
    const { provider, model } = this.#access;
    if (this.#reason === null) throw new KbError('unavailable', `${provider} broke off in the answer of ${model}.`, { isRetryable: true });
    if (this.#reason === 'content_filter')
      throw new KbError('invalid', `${provider} held the answer of ${model} back: its content filter took offence.`);
    if (!this.hasText && this.#reason === 'length') {
      throw new KbError('invalid', `${model} used up all its tokens before it said anything.`, {
        hint: 'Raise chat.llm.max_tokens, or set chat.llm.options.reasoning_effort lower.',
      });
    }
    return this.#usage;
  }
}

const tooSilent = ({ provider, model }: Access, seconds: number): KbError =>
  new KbError('unavailable', `${provider} sent nothing of the answer of ${model} for ${seconds} seconds.`, {
    isRetryable: true,
    hint: 'Try again, or raise chat.llm.timeout.',
  });
