import type { SourceName } from './extract/extract.ts';

/** Stored sources, each with the input that gave it: a kind and an entry of it, such as `docs manuals/`. */
export type Origins = ReadonlyMap<string, string>;

/** The inputs of an ingest and what each gave. */
export class Inputs {
  readonly #current = new Map<SourceName, string>();
  /** Whether an input gave a document, only failures, or nothing so far. */
  readonly #outcomes = new Map<string, 'read' | 'failed' | 'empty'>();
  readonly #origins = new Map<string, string>();

  /** What comes of this kind from now on is of that input. */
  begin(name: SourceName, input: string): void {
    const key = `${name} ${input}`;
    this.#current.set(name, key);
    if (!this.#outcomes.has(key)) this.#outcomes.set(key, 'empty');
  }

  /** A document; several texts without a name of their own are nobody's. */
  meet(name: SourceName, { source, shares_source }: { source: string; shares_source?: boolean }): void {
    const key = this.#current.get(name);
    if (key === undefined) return;
    this.#outcomes.set(key, 'read');
    if (!shares_source && !this.#origins.has(source)) this.#origins.set(source, key);
  }

  fail(name: SourceName): void {
    const key = this.#current.get(name);
    if (key !== undefined && this.#outcomes.get(key) === 'empty') this.#outcomes.set(key, 'failed');
  }

  /** What was met, each source with the first input that gave it. */
  get origins(): Origins {
    return this.#origins;
  }

  /** Whether an origin is none of these inputs any more. */
  hasLeft(origin: string): boolean {
    return !this.#outcomes.has(origin);
  }

  /** The inputs of the kind of an origin of which nothing could be read: what that gave may be theirs now. */
  unread(origin: string): string[] {
    const kind = origin.slice(0, origin.indexOf(' ') + 1);
    return [...this.#outcomes].flatMap(([key, outcome]) => (outcome === 'failed' && key.startsWith(kind) ? [key.slice(kind.length)] : []));
  }
}
