import { KbError, type ErrorCode } from '../../base/errors.ts';
import type { ParsedDocument } from '../../ports/reading.ts';
import { parseDocument, type ParseTask } from './parse.ts';

/** What comes back from a worker. An error that is thrown between threads would lose its code and its hint. */
export type ParseOutcome = { parsed: ParsedDocument } | { failed: { code: ErrorCode; message: string; hint: string | undefined } };

// Libraries print what they think of a file; standard output belongs to the program.
for (const name of ['log', 'info', 'warn', 'error', 'debug'] as const) console[name] = () => {};

/** One message to a worker: a document, or several small ones. */
export default async function parseTasks(tasks: readonly ParseTask[]): Promise<ParseOutcome[]> {
  const outcomes: ParseOutcome[] = [];
  for (const task of tasks) outcomes.push(await parseTask(task));
  return outcomes;
}

async function parseTask(task: ParseTask): Promise<ParseOutcome> {
  try {
    return { parsed: await parseDocument(task) };
  } catch (error) {
    if (!(error instanceof KbError)) throw error;
    return { failed: { code: error.code, message: error.message, hint: error.hint } };
  }
}
