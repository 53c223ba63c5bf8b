// The package brings no types: this is the part of it that is used.
declare module 'proper-lockfile' {
  export function lock(
    file: string,
    options: {
      realpath: boolean;
      stale: number;
      retries: { retries: number; factor: number; minTimeout: number; maxTimeout: number; randomize: boolean };
    },
  ): Promise<() => Promise<void>>;
}
