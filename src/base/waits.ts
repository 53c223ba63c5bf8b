import { AsyncLocalStorage } from 'node:async_hooks';
import { progress, type Progress, type Run } from './run.ts';

/** A pause before something is tried again. */
export interface Wait {
  seconds: number;
  /** Which try it will be, and of how many. */
  attempt: number;
  attempts: number;
  /** Why, as a sentence. */
  reason: string;
}

// What waits lies many calls below who asked, behind ports that only give back what was asked for: so it is told along the way of the calls.
const listeners = new AsyncLocalStorage<(wait: Wait) => void>();

/** Tells of a pause, where somebody listens. */
export const tellWait = (wait: Wait): void => listeners.getStore()?.(wait);

/** `Waiting 12 s, then trying again (2 of 4): openai answered 429: Too many requests.` */
const sentence = ({ seconds, attempt, attempts, reason }: Wait): string =>
  `Waiting ${Math.ceil(seconds)} s, then trying again (${attempt} of ${attempts}): ${reason}`;

const toProgress = (wait: Wait, stage: string): Progress =>
  progress(stage, { wait: wait.seconds, attempt: wait.attempt, attempts: wait.attempts }, sentence(wait));

/** The same work, in which each pause before another try is an event of its stage: `data` holds `wait` (seconds), `attempt` and `attempts`. */
export async function* tellingWaits<R>(run: Run<R>): Run<R> {
  const waits: Wait[] = [];
  let wake = () => {};
  const hear = (wait: Wait) => {
    waits.push(wait);
    wake();
  };
  const heard = () => new Promise<false>((resolve) => (waits.length > 0 ? resolve(false) : (wake = () => resolve(false))));
  let stage = '';
  let isOver = false;
  try {
    for (;;) {
      const next = listeners.run(hear, () => run.next());
      const ended = next.then(
        () => true,
        () => true,
      );
      for (let isAhead = false; !isAhead;) {
        isAhead = await Promise.race([ended, heard()]);
        for (const wait of waits.splice(0)) yield toProgress(wait, stage);
      }
      const step = await next;
      isOver = step.done === true;
      if (step.done) return step.value;
      if (step.value.type === 'progress') ({ stage } = step.value);
      yield step.value;
    }
  } finally {
    if (!isOver) await run.return(undefined as never);
  }
}
