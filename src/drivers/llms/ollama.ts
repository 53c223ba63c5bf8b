import type { ModelOptions } from '../../ports/engines.ts';
import type { GenerateRequest, Llm } from '../../ports/models.ts';
import { type Access, resolveAccess, type ProviderSettings } from '../providers/access.ts';
import { describeModel, type OllamaModel, requestOllama } from '../providers/ollama.ts';
import { providerError } from '../providers/provider-errors.ts';
import { readLines } from './answer-request.ts';
import { generate, type AnswerPart, type StopReason } from './generate.ts';

/** Characters per token, a cautious value for prompts in any language: a window that is too large costs memory, one that is too small loses text. */
const CHARACTERS_PER_TOKEN = 2.5;

/** The smallest window that is asked for, in tokens: Ollama's default. Windows are powers of two, because Ollama loads a model anew for another size. */
const MIN_WINDOW = 4096;

/**
 * Opens a language model of Ollama in its own protocol; nothing is sent yet. Its OpenAI-compatible API does not take the size of the window and cuts longer
 * prompts silently. Throws a KbError (`configuration` without an address).
 */
export async function openOllamaLlm({
  context_window,
  ...settings
}: ProviderSettings & Pick<ModelOptions, 'context_window'>): Promise<Llm> {
  const access = resolveAccess(settings, 'llm');
  const habits = {};
  let description: Promise<OllamaModel> | undefined;
  const describe = (signal: AbortSignal): Promise<OllamaModel> => {
    description ??= describeModel(access, signal);
    description.catch(() => (description = undefined));
    return description;
  };
  const translate = (error: unknown, signal: AbortSignal | undefined) => providerError(error, { ...access, signal });
  const send = async (request: GenerateRequest, signal: AbortSignal): Promise<AsyncIterator<AnswerPart>> => {
    const body = requestBody(request, { access, context_window, model: await describe(signal) });
    return readAnswer(await requestOllama(access, { path: '/api/chat', body, signal }));
  };
  return {
    provider: access.provider,
    model: access.model,
    generate: (request) => generate(request, { access, send, translate, habits }),
  };
}

interface BodyOptions {
  access: Access;
  /** The configured window. */
  context_window: number | undefined;
  model: OllamaModel;
}

function requestBody({ messages, max_tokens }: GenerateRequest, { access, context_window, model }: BodyOptions): object {
  const characters = messages.reduce((sum, { content }) => sum + content.length, 0);
  const needed = Math.ceil(characters / CHARACTERS_PER_TOKEN) + max_tokens;
  const window = Math.max(MIN_WINDOW, 2 ** Math.ceil(Math.log2(needed)));
  const { think, keep_alive, format, ...options } = access.parameters;
  return {
    model: access.model,
    messages,
    stream: true,
    // models of gpt-oss cannot be asked not to think
    ...(model.thinks && { think: think ?? (/gpt-?oss/i.test(model.family) ? 'low' : false) }),
    ...(keep_alive !== undefined && { keep_alive }),
    ...(format !== undefined && { format }),
    options: { ...options, num_ctx: context_window ?? Math.min(window, model.context_length ?? window), num_predict: max_tokens },
  };
}

/** The fields that are read of a line of the stream. */
interface Line {
  message?: { content?: string };
  done?: boolean;
  done_reason?: string;
  prompt_eval_count?: number;
  eval_count?: number;
  error?: unknown;
}

async function* readAnswer(response: Response): AsyncGenerator<AnswerPart, void, void> {
  for await (const text of readLines(response)) {
    const line = JSON.parse(text) as Line;
    if (line.error) throw { error: { message: String(line.error) }, message: '' };
    yield {
      text: line.message?.content,
      ...(line.done && {
        usage: { input_tokens: line.prompt_eval_count ?? 0, output_tokens: line.eval_count ?? 0 },
        ending: stopReasonOf(line.done_reason),
      }),
    };
  }
}

const stopReasonOf = (reason = 'stop'): StopReason => (reason === 'length' ? 'length' : 'done');
