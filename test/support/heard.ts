import type { GenerateRequest, Llm, Message, Usage } from '../../src/ports/models.ts';

/** What came of an answer: its pieces, and what it cost or why it failed. */
export interface HeardAnswer {
  pieces: string[];
  usage?: Usage;
  error?: Error;
}

/** Reads an answer to its end. */
export async function read(answer: AsyncGenerator<string, Usage, void>): Promise<HeardAnswer> {
  const pieces: string[] = [];
  try {
    for (;;) {
      const step = await answer.next();
      if (step.done) return { pieces, usage: step.value };
      pieces.push(step.value);
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
export const ask = (llm: Llm, request: Partial<GenerateRequest> = {}): AsyncGenerator<string, Usage, void> =>
  llm.generate({ messages, grounding: { query: '', sources: [] }, max_tokens: 77, timeout: 20, ...request });

/** Waits until it is so. */
export const until = async (isSo: () => boolean): Promise<void> => {
  while (!isSo()) await new Promise((done) => setTimeout(done, 5));
};
