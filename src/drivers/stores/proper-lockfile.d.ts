// The package brings no types: this is the part of it that is used.
declare module 'proper-lockfile' {
  export function lock(
    file: string,
    options: {
      realpath: boolean;
      stale: number;
      /** Told when the lock was taken for stale; without it, that is thrown out of a timer. */
      onCompromised: (error: Error) => void;
      retries: { retries: number; factor: number; minTimeout: number; maxTimeout: number; randomize: boolean };
    },
  ): Promise<() => Promise<void>>;
  /** Throws an Error (`ELOCKED`) where the lock is held. */
  export function lockSync(file: string, options: { realpath: boolean; stale: number }): () => void;
}
