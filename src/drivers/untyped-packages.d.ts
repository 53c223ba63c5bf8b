// Types of the used parts of packages that bring none.

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

/** Its version without an installation script; the types are those of the package that it implements. */
declare module 'onnxruntime-node' {
  export * from 'onnxruntime-common';
}
