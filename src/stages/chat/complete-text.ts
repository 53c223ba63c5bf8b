import { KbError } from '../../core/errors.ts';
import { cleanOutput, DISCARD } from '../../text/model-output.ts';
import type { Llm, Message } from '../../ports/models.ts';

/** A request for a short text: a search query or a summary. */
interface CompletionRequest {
  messages: readonly Message[];
  /** The kind of text for error messages, such as "summary". */
  what: string;
  /** Maximum length, in characters. */
  longest: number;
  max_tokens: number;
  timeout: number;
  signal?: AbortSignal | undefined;
}

/** Maximum length of reasoning before the text, in characters. */
const MAX_REASONING = 6000;

/** Generates a short text, trimmed and without reasoning. Throws a KbError (`invalid`) if it is empty or too long, and what the model throws. */
export async function completeText(llm: Llm, { messages, what, longest, max_tokens, timeout, signal }: CompletionRequest): Promise<string> {
  let text = '';
  for await (const piece of llm.generate({ messages, grounding: { query: '', sources: [] }, max_tokens, timeout, signal })) {
    text = piece === DISCARD ? '' : text + piece;
    if (text.length > longest + MAX_REASONING) throw tooLongError(llm, what, longest);
  }
  text = cleanOutput(text).trim(); // models of other programs may think aloud
  if (text.length > longest) throw tooLongError(llm, what, longest);
  if (!text) throw new KbError('invalid', `The ${what} that ${llm.provider} wrote is empty, and was not used.`);
  return text;
}

const tooLongError = ({ provider }: Llm, what: string, longest: number): KbError =>
  new KbError('invalid', `The ${what} that ${provider} wrote is longer than ${longest} characters, and was not used.`);
