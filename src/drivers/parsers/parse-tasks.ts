import { KbError, type ErrorCode } from '../../base/errors.ts';
import type { ParsedDocument } from '../../ports/reading.ts';
import { brokenFile } from './failures.ts';
import { parseDocument, type ParseTask } from './parse.ts';

/** A parsed document, or its error as data: between processes a KbError would lose its code and its hint. */
export type ParseOutcome = { parsed: ParsedDocument } | { failed: { code: ErrorCode; message: string; hint: string | undefined } };

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
    const { code, message, hint } = error instanceof KbError ? error : brokenFile(task.source, task.file_type, error);
    return { failed: { code, message, hint } };
  }
}
