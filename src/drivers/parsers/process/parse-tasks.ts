import { KbError } from '../../../core/errors.ts';
import { brokenFile } from '../parse-failures.ts';
import { parseDocument } from '../parse.ts';
import type { ParseOutcome, ParseTask } from './parse-messages.ts';

/** Parses one document after another. Throws nothing. */
export async function parseTasks(tasks: readonly ParseTask[]): Promise<ParseOutcome[]> {
  const outcomes: ParseOutcome[] = [];
  for (const task of tasks) outcomes.push(await parseTask(task));
  return outcomes;
}

async function parseTask(task: ParseTask): Promise<ParseOutcome> {
  try {
    return { parsed: await parseDocument(task) };
  } catch (error) {
    const { code, message, hint } = error instanceof KbError ? error : brokenFile(task.source, task, error);
    return { failed: { code, message, hint } };
  }
}
