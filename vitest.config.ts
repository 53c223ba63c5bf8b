import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/**
 * Worker threads that are started from TypeScript strip its types with WebAssembly, and V8 13.6 now and then crashes the process when several of them tier
 * up the same wrappers at once (`TierUpWasmToJSWrapper`, `UnregisterWasmAllocation`): with this budget none does. What is built has no types to strip.
 */
const execArgv = ['--wasm-wrapper-tiering-budget=1000000000'];

/**
 * Workers of unit tests, which compute, and of tests with processes and servers, which wait for nearly half of their time, and each of which takes up to
 * a gigabyte: one where a Qdrant is named, which its tests empty.
 */
const cores = Math.max(2, availableParallelism() - 1);
const waiting = process.env['KB_TEST_QDRANT_URL'] ? 1 : Math.min(2 * cores, 12);

/**
 * Processes that tests start from TypeScript strip its types once; nobody looks for a region of a bucket at Amazon's metadata address; and LanceDB does not
 * spare a server of the tests that fails on purpose, by waiting longer and longer.
 */
const LANCE_AIMD = { LANCE_AIMD_MIN_BACKOFF_MS: '1', LANCE_AIMD_MAX_BACKOFF_MS: '2', LANCE_AIMD_MIN_RATE: '2000' };
const env = { ...LANCE_AIMD, NODE_COMPILE_CACHE: join(tmpdir(), 'node-compile-cache'), AWS_EC2_METADATA_DISABLED: 'true' };

/** Files that take half a minute and more. */
const LONG =
  /\/(?:s3|s3-\w+|lancedb|qdrant-(?:writers|edits|kills|creation)|consistent-copies|damaged-snapshots|bounded-disk|browser|browser-bounds|watch-sources|linear-time|examples|page|pages|chat|cli)\.integration/;

/** Starts long files first, so that none is left at the end: where no run before it has told their time, vitest goes by size. */
class LongFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files); // oxlint-disable-line unicorn/no-array-sort -- no method of arrays
    return [...Map.groupBy(sorted, ({ project }) => project).values()].flatMap((ofProject) =>
      ofProject.toSorted((a, b) => Number(LONG.test(b.moduleId)) - Number(LONG.test(a.moduleId))),
    );
  }
}

// Test files share the processes of their project and the modules there (no isolation: unit tests are 16 times faster), so that each undoes what it changes of a process. What starts processes, servers or worker pools is an integration test. What runs the program itself needs it built, once.
export default defineConfig({
  test: {
    sequence: { sequencer: LongFirst },
    projects: [
      {
        test: {
          setupFiles: 'test/support/fixed-seed.ts',
          name: 'unit',
          include: ['{test,packages/*/test}/**/*.test.ts'],
          exclude: ['**/*.integration.test.ts', '**/node_modules/**'],
          isolate: false,
          pool: 'threads',
          maxWorkers: cores,
          testTimeout: 60_000,
        },
      },
      {
        test: {
          setupFiles: 'test/support/fixed-seed.ts',
          name: 'integration',
          include: ['{test,packages/*/test}/**/*.integration.test.ts'],
          exclude: ['test/e2e/**', '**/node_modules/**'],
          isolate: false,
          pool: 'forks',
          maxWorkers: waiting,
          sequence: { groupOrder: 1 },
          env,
          execArgv,
          testTimeout: 60_000,
          hookTimeout: 60_000,
        },
      },
      {
        test: {
          setupFiles: 'test/support/fixed-seed.ts',
          name: 'program',
          include: ['test/e2e/**/*.integration.test.ts'],
          globalSetup: 'test/support/built.mjs',
          isolate: false,
          pool: 'forks',
          maxWorkers: waiting,
          sequence: { groupOrder: 1 },
          env,
          testTimeout: 120_000,
          hookTimeout: 120_000,
        },
      },
    ],
  },
});
