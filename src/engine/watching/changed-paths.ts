import { dirname } from 'node:path';

/** Maximum paths that are kept separately. */
const MOST_PATHS = 10_000;

/** Paths that have changed, in bounded memory: where there are too many, their folders stand for them. */
export class ChangedPaths {
  #paths = new Set<string>();

  get size(): number {
    return this.#paths.size;
  }

  add(path: string): void {
    if (this.has(path)) return;
    if (this.#paths.size >= MOST_PATHS) this.#paths = new Set([...this.#paths].map((one) => dirname(one)));
    this.#paths.add(path);
  }

  /** Whether the path or a folder above it has changed. */
  has(path: string): boolean {
    return this.#paths.has(path) || (path !== dirname(path) && this.has(dirname(path)));
  }

  /** Those that lie in no other one. */
  outermost(): string[] {
    return [...this.#paths].filter((path) => path === dirname(path) || !this.has(dirname(path)));
  }
}
