import type { Progress } from '../../src/core/run.ts';
import type { Engine } from '../../src/ports/engines.ts';
import type { Event } from '../../src/schema/results.ts';

type Step = { say: Progress } | { result: object } | { error: unknown };

/** A run that does what the test says, when it says it. */
export interface ScriptedRun {
  name: string;
  request: object;
  signal: AbortSignal;
  say(event: Partial<Progress> & { data?: Record<string, unknown> }): void;
  finish(result: object): void;
  fail(error: unknown): void;
  /** Whether the run was drawn to its end or closed. */
  isOver: boolean;
}

interface Options {
  /** What a run does when it is stopped while it waits; it throws that. `deaf`: it does not hear it. */
  onStop?: () => unknown;
  isDeaf?: boolean;
}

/** An engine of which every run is led by the test. */
export function scriptedEngine({ onStop = () => new DOMException('stopped', 'AbortError'), isDeaf = false }: Options = {}): {
  engine: Pick<Engine, 'run'>;
  runs: ScriptedRun[];
} {
  const runs: ScriptedRun[] = [];
  async function* run(name: string, request: object, { signal }: { signal: AbortSignal }): AsyncGenerator<Event, object, void> {
    const steps: Step[] = [];
    let wake = () => {};
    const add = (step: Step) => {
      steps.push(step);
      wake();
    };
    const self: ScriptedRun = {
      name,
      request,
      signal,
      say: (event) => add({ say: { type: 'progress', stage: 'ingest', message: '', data: {}, ...event } }),
      finish: (result) => add({ result }),
      fail: (error) => add({ error }),
      isOver: false,
    };
    runs.push(self);
    if (!isDeaf) signal.addEventListener('abort', () => wake());
    try {
      for (let sequence = 0; ;) {
        const step = steps.shift();
        if (!step) await new Promise<void>((resolve) => (wake = resolve));
        else if ('say' in step) yield { ...step.say, sequence: sequence++ };
        else if ('result' in step) return step.result;
        else throw step.error;
        if (signal.aborted && !isDeaf && steps.length === 0) throw onStop();
      }
    } finally {
      self.isOver = true;
    }
  }
  return { engine: { run: run as unknown as Engine['run'] }, runs };
}
