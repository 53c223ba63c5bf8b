/** A clock that runs while something is waited for and nothing is heard. */
export interface Silence {
  /** Aborted when the silence lasts too long, when the caller stops, or at the end: whatever hangs on it is let go. */
  readonly signal: AbortSignal;
  /** Whether it lasted too long. */
  readonly isOver: boolean;
  /** Runs the clock while the work is waited for, and only then: a slow reader is not a silent writer. */
  during<T>(work: Promise<T>): Promise<T>;
  /** Something came: the clock begins anew. */
  heard(): void;
  end(): void;
}

/** Makes the clock: `seconds` of silence abort its signal, and so does the caller's signal. */
export function listenFor(seconds: number, caller: AbortSignal | undefined): Silence {
  const controller = new AbortController();
  let clock: NodeJS.Timeout | undefined;
  let isOver = false;
  const tooLong = () => {
    isOver = true;
    controller.abort();
  };
  const stop = () => controller.abort(caller?.reason);
  caller?.addEventListener('abort', stop, { once: true });
  if (caller?.aborted) stop();
  return {
    signal: controller.signal,
    get isOver() {
      return isOver;
    },
    during: (work) => {
      clock = setTimeout(tooLong, seconds * 1000);
      return work.finally(() => clearTimeout(clock));
    },
    heard: () => void clock?.refresh(),
    end: () => {
      caller?.removeEventListener('abort', stop);
      controller.abort();
    },
  };
}
