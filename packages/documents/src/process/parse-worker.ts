import type { ParseAnswer, ParseTask } from '../parser.ts';
import { packMarks } from './packed-marks.ts';
import { serveParent } from './worker-process.ts';

// The process that documents are parsed in.

await serveParent<readonly ParseTask[], ParseAnswer>(async () => {
  const { parseTasks, preload } = await import('../parse.ts');
  await preload(process.argv[3] ?? '');
  return async (tasks) => {
    const outcomes = (await parseTasks(tasks)).map(async (outcome) => {
      if ('failed' in outcome) return outcome;
      const { bare, marks } = await packMarks(outcome.parsed);
      return { parsed: bare, marks };
    });
    return { outcomes: await Promise.all(outcomes), resident: process.memoryUsage.rss() };
  };
});
