import type { GenerateRequest, Llm, Message, Usage } from '../../src/ports/models.ts';
import { DISCARD } from '../../src/text/model-output.ts';

/** What came of an answer: its pieces, and what it cost or why it failed. */
export interface HeardAnswer {
  pieces: string[];
  usage?: Usage;
  error?: Error;
}

/** Reads an answer to its end. */
export async function read(answer: ReturnType<Llm['generate']>): Promise<HeardAnswer> {
  const pieces: string[] = [];
  try {
    for (;;) {
      const step = await answer.next();
      if (step.done) return { pieces, usage: step.value };
      if (step.value === DISCARD) pieces.length = 0;
      else pieces.push(step.value);
    }
  } catch (error) {
    return { pieces, error: error as Error };
  }
}

const messages: readonly Message[] = [
  { role: 'system', content: 'You answer.' },
  { role: 'user', content: 'Is it so?' },
];

/** Asks a question of no matter. */
export const ask = (llm: Llm, request: Partial<GenerateRequest> = {}): ReturnType<Llm['generate']> =>
  llm.generate({ messages, grounding: { query: '', sources: [] }, max_tokens: 77, timeout: 20, ...request });

/** Waits until it is so. */
export const until = async (isSo: () => boolean): Promise<void> => {
  while (!isSo()) await new Promise((done) => setTimeout(done, 5));
};
