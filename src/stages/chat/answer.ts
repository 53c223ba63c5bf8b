import { KbError } from '../../base/errors.ts';
import { throwIfAborted, type Progress } from '../../base/run.ts';
import type { GenerateRequest, Llm, Usage } from '../../ports.ts';
import { citationFilter, type CitationFilter } from './citations.ts';
import { token } from './turn.ts';

/** What came of asking a model. */
export interface Answer {
  text: string;
  usage: Usage;
  citations: Pick<CitationFilter, 'cited' | 'unknown' | 'declined'>;
}

/** Whether the words of an answer that declines are shown, or something else will be said in their place. */
export interface AnswerOptions {
  show_refusal: boolean;
}

/**
 * Asks the model and yields the answer as tokens while it is written, after its citations were checked. Throws what the model throws, and a
 * KbError (`invalid`, retryable) where it says nothing.
 */
export async function* answer(llm: Llm, request: GenerateRequest, { show_refusal }: AnswerOptions): AsyncGenerator<Progress, Answer, void> {
  const citations = citationFilter(request.grounding.sources.length);
  const stream = llm.generate(request);
  let text = '';
  const shown = function* (piece: string): Generator<Progress, void> {
    if (piece === '' || (citations.declined && !show_refusal)) return;
    text += piece;
    yield token(piece);
  };
  try {
    for (;;) {
      const step = await stream.next();
      throwIfAborted(request.signal);
      yield* shown(step.done ? citations.end() : citations.push(step.value));
      if (!step.done) continue;
      if (text === '' && !citations.declined) {
        throw new KbError(
          'invalid',
          `The model ${llm.model} of ${llm.provider} answered with nothing. Ask again, or choose another model.`,
          { isRetryable: true },
        );
      }
      return { text, usage: step.value, citations };
    }
  } finally {
    // A reader that leaves in the middle stops the model, too.
    await stream.return({ input_tokens: 0, output_tokens: 0 });
  }
}
