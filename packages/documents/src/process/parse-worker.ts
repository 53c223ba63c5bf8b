import type { ParseAnswer, ParseTask } from '../parser.ts';
import { serveParent } from './worker-process.ts';

// The process that documents are parsed in.

await serveParent<readonly ParseTask[], ParseAnswer>(async () => {
  const { parseTasks } = await import('../parse.ts');
  return async (tasks) => ({ outcomes: await parseTasks(tasks), resident: process.memoryUsage.rss() });
});
