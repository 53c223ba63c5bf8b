import { defineConfig } from 'vitest/config';

// Unit tests share one process and its modules (no isolation: 16 times faster); what starts processes, servers or worker pools is an integration test.
export default defineConfig({
  test: {
    projects: [
      {
        test: { name: 'unit', include: ['test/**/*.test.ts'], exclude: ['test/**/*.integration.test.ts'], isolate: false, pool: 'threads' },
      },
      {
        test: { name: 'integration', include: ['test/**/*.integration.test.ts'], pool: 'forks', testTimeout: 60_000, hookTimeout: 60_000 },
      },
    ],
  },
});
