import { KbError } from '../../core/errors.ts';
import { stripReasoning } from '../../text/strip-reasoning.ts';
import type { Llm, Message } from '../../ports/models.ts';

/** What a model is asked beside the answer: a search query, a summary. */
interface CompletionRequest {
  messages: readonly Message[];
  /** What the text is, for the error: "summary". */
  what: string;
  /** Characters from which the text is absurd. */
  longest: number;
  max_tokens: number;
  timeout: number;
  signal?: AbortSignal | undefined;
}

/** Characters of thoughts that may come before a text. */
const LONGEST_THOUGHTS = 6000;

/** A short text of the model, trimmed, without its thoughts. Throws a KbError (`invalid`) where it is empty or absurdly long, and whatever the model throws. */
export async function completeText(llm: Llm, { messages, what, longest, max_tokens, timeout, signal }: CompletionRequest): Promise<string> {
  let text = '';
  for await (const piece of llm.generate({ messages, grounding: { query: '', sources: [] }, max_tokens, timeout, signal })) {
    text = stripReasoning(text + piece);
    if (text.length > longest + LONGEST_THOUGHTS) throw tooLong(llm, what, longest);
  }
  if (text.length > longest) throw tooLong(llm, what, longest);
  if (!text.trim()) throw new KbError('invalid', `The ${what} that ${llm.provider} wrote is empty, and was not used.`);
  return text.trim();
}

const tooLong = ({ provider }: Llm, what: string, longest: number): KbError =>
  new KbError('invalid', `The ${what} that ${provider} wrote is longer than ${longest} characters, and was not used.`);
