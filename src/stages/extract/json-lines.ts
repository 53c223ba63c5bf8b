import { KbError } from '../../base/errors.ts';

/** Broken lines that are reported one by one; the others are counted. */
const MOST_REPORTED = 100;

/** A line that is no JSON: the others are none the worse for it. */
export interface BrokenLine {
  /** 1 for the first. */
  line: number;
  error: KbError;
}

export interface JsonLines {
  records: unknown[];
  broken: BrokenLine[];
}

/** Reads JSON Lines, or a sequence of JSON texts (RFC 7464), a record each. Throws a KbError (`invalid`) where no line is JSON. */
export function jsonLines(text: string, { name, parse }: { name: string; parse(line: string): unknown }): JsonLines {
  const records: unknown[] = [];
  const broken: BrokenLine[] = [];
  let failed = 0;
  for (const [i, line] of text.split(text.includes('\x1e') ? '\x1e' : '\n').entries()) {
    if (line.trim() === '') continue;
    try {
      records.push(parse(line));
    } catch (cause) {
      if (++failed <= MOST_REPORTED)
        broken.push({ line: i + 1, error: brokenLine(`${name}: line ${i + 1} of its answer is not JSON.`, cause) });
    }
  }
  if (records.length === 0 && broken[0]) throw brokenLine(`${name} answered with lines of which none is JSON.`, broken[0].error);
  const { line } = broken.at(-1) ?? { line: 0 };
  if (failed > MOST_REPORTED)
    broken.push({ line: line + 1, error: brokenLine(`${name}: ${failed - MOST_REPORTED} more lines after line ${line} are not JSON.`) });
  return { records, broken };
}

const brokenLine = (message: string, cause?: unknown): KbError =>
  new KbError('invalid', message, { hint: 'Check what it answers, with curl for example.', cause });
