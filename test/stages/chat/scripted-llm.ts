import type { GenerateRequest, Llm, Outcome } from '../../../src/ports/models.ts';

/** What a scripted model says to one request: its pieces, or an error, which may come after some pieces. */
export type Script = (request: GenerateRequest) => readonly (string | Error)[];

/** A model that says what the script says, and keeps what it was asked. */
export function scriptedLlm(
  script: Script,
  { outcome, ...over }: Partial<Llm> & { outcome?: Partial<Outcome> } = {},
): Llm & { requests: GenerateRequest[]; stopped: number } {
  const llm = {
    provider: 'scripted',
    model: 'test-model',
    requests: [] as GenerateRequest[],
    stopped: 0,
    async *generate(request: GenerateRequest): AsyncGenerator<string, Outcome, void> {
      llm.requests.push(request);
      let ended = false;
      try {
        for (const piece of script(request)) {
          if (piece instanceof Error) throw piece;
          yield piece;
        }
        ended = true;
      } finally {
        if (!ended) llm.stopped++;
      }
      const characters = request.messages.reduce((sum, { content }) => sum + content.length, 0);
      return { input_tokens: Math.max(1100, Math.ceil(characters / 4)), output_tokens: 7, ...outcome };
    },
    ...over,
  };
  return llm;
}

/** Everything that was said to the model in one request. */
export const said = ({ messages }: GenerateRequest): string => messages.map(({ content }) => content).join('\n');
