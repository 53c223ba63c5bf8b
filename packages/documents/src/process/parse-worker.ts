import type { ParseAnswer, ParseTask } from '../parser.ts';
import { serveParent } from './worker-process.ts';

// The process that documents are parsed in.

await serveParent<readonly ParseTask[], ParseAnswer>(async () => {
  const { parseTasks, preload } = await import('../parse.ts');
  await preload(process.argv[3] ?? '');
  return async (tasks) => ({ outcomes: await parseTasks(tasks), resident: process.memoryUsage.rss() });
});
