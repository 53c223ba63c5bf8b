import type { LoadedPage } from '../page.ts';
import type { RememberedPage } from '../page-memory.ts';
import type { Waiting } from './frontier.ts';

/** A page and where it belongs. */
export interface Placed {
  page: Waiting;
  known: RememberedPage;
  /** What it is stored under: the address that it names as its own, or the one that it was found at. */
  place: string;
  /** As it was read; absent where it is as it was remembered, or would take too much space: then it is read again. */
  loaded?: LoadedPage | undefined;
}

/** Characters of pages that are kept as they were read. */
const MOST_KEPT = 20_000_000;

/** Pages that name another address as their own, of which it is not known yet what stands there: first come, first served. */
export class Deferred {
  readonly #pages: Placed[] = [];
  #kept = 0;

  get count(): number {
    return this.#pages.length;
  }

  add(placed: Placed): void {
    const loaded = this.#kept > MOST_KEPT ? undefined : placed.loaded;
    this.#kept += loaded?.parsed.text.length ?? 0;
    this.#pages.push({ ...placed, loaded });
  }

  take(): Placed {
    const placed = this.#pages.shift()!;
    this.#kept -= placed.loaded?.parsed.text.length ?? 0;
    return placed;
  }
}
