import { Chalk, type ChalkInstance } from 'chalk';
import { withoutSequences } from '../base/visible.ts';

/** Where a command says things: results on standard output, everything else on standard error. */
export interface Screen {
  /** Whether a person looks at standard error: progress may move. */
  readonly isTerminal: boolean;
  readonly quiet: boolean;
  readonly json: boolean;
  readonly color: ChalkInstance;
  /** Characters that a line of the result has room for; undefined where it is not shown on a terminal. */
  readonly columns: number | undefined;
  /** A line of the result. */
  print(text: string): void;
  /** Part of a line of the result. */
  write(text: string): void;
  /** A line beside the result; not with `--quiet`. */
  note(text: string): void;
  /** A line about a failure; always. */
  warn(text: string): void;
}

/** Control characters, but for tab and newline, and what changes the direction or order in which text is shown. */
// oxlint-disable-next-line no-control-regex -- it is what has to be found
const CONTROL = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u200e\u200f\u202a-\u202e\u2066-\u2069]/g;

/** Text from a source as it may be printed: nothing in it can move the cursor, change colours or hide what follows. */
export const printable = (text: string): string => withoutSequences(text).replace(CONTROL, '');

/** The screen of a process. */
export function createScreen({ quiet, json }: { quiet: boolean; json: boolean }): Screen {
  const isTerminal = Boolean(process.stderr.isTTY) && !json;
  const colored = Boolean(process.stdout.isTTY) && !process.env.NO_COLOR && process.env.TERM !== 'dumb';
  const toError = (text: string) => void process.stderr.write(`${text}\n`);
  return {
    isTerminal,
    columns: process.stdout.isTTY ? process.stdout.columns : undefined,
    quiet,
    json,
    color: new Chalk({ level: colored ? 2 : 0 }),
    print: (text) => void process.stdout.write(`${text}\n`),
    write: (text) => void process.stdout.write(text),
    note: (text) => (quiet ? undefined : toError(text)),
    warn: toError,
  };
}
