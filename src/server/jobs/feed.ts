import type { Progress } from '../../base/run.ts';
import type { Event } from '../../schema/events.ts';

/** How many events of a running job are kept for its readers. */
export const MOST_EVENTS = 1_000;

/**
 * The events of one job, for any number of readers. They share one bounded buffer, each at its own place: a reader that is slow, or gone,
 * holds nobody up and costs nothing; one that falls behind misses what was dropped meanwhile — progress first, which is superseded anyway.
 */
export class Feed {
  readonly #events: Event[] = [];
  readonly #waiting = new Set<() => void>();
  #sequence = 0;
  #hasEnded = false;

  tell(event: Progress): void {
    this.#add(event);
    if (this.#events.length > MOST_EVENTS) {
      const superseded = this.#events.findIndex(({ type }, place) => type === 'progress' && place < MOST_EVENTS);
      this.#events.splice(Math.max(0, superseded), 1);
    }
    this.#wake();
  }

  /** Tells the last events, which are never dropped; then every reader is at its end. */
  end(events: readonly Progress[]): void {
    for (const event of events) this.#add(event);
    this.#hasEnded = true;
    this.#wake();
  }

  /** What happened so far and what happens from now on, until the end or until the signal says that the reader has left. */
  async *read(signal: AbortSignal): AsyncGenerator<Event, void, void> {
    for (let next = 0; !signal.aborted;) {
      const place = this.#events.findLastIndex(({ sequence }) => sequence < next) + 1;
      const event = this.#events[place];
      if (event) {
        next = event.sequence + 1;
        yield event;
      } else if (this.#hasEnded) return;
      else await this.#news(signal);
    }
  }

  #add(event: Progress): void {
    this.#events.push({ ...event, sequence: this.#sequence++ });
  }

  #wake(): void {
    for (const wake of this.#waiting) wake();
  }

  async #news(signal: AbortSignal): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const wake = () => resolve();
    this.#waiting.add(wake);
    signal.addEventListener('abort', wake);
    await promise;
    this.#waiting.delete(wake);
    signal.removeEventListener('abort', wake);
  }
}
