import { once } from 'node:events';
import { Chalk, type ChalkInstance } from 'chalk';
import { removeTerminalSequences } from '../text/clean-text.ts';
import { clip, wrapText } from './markdown/flow.ts';

/** Output of a command: results on standard output, everything else on standard error. */
export interface Screen {
  /** Whether standard error is a terminal that can move the cursor, so that progress may be redrawn. */
  readonly isTerminal: boolean;
  readonly quiet: boolean;
  readonly json: boolean;
  /** Colours of standard output. */
  readonly color: ChalkInstance;
  /** Colours of standard error: one of the two may be a terminal and the other a file. */
  readonly colorBeside: ChalkInstance;
  /** Columns of the terminal of the result; undefined if that is not a terminal. */
  readonly columns: number | undefined;
  /** Prints a line of the result. */
  print(text: string): void;
  /** Prints a line about what was done, on standard output; not with `--quiet`. */
  report(text: string): void;
  /** Prints the result, or an item of it, as a line of JSON. */
  printJson(value: unknown): void;
  /** Prints a part of a line of the result. */
  write(text: string): void;
  /** Waits until the reader of standard output has taken what is buffered; undefined if there is nothing to wait for. */
  drained(): Promise<void> | undefined;
  /** Prints a wrapped line on standard error; not with `--quiet`. */
  note(text: string): void;
  /** Prints a wrapped line about a failure on standard error, also with `--quiet`. */
  warn(text: string): void;
  /**
   * Shows what is going on, on a terminal at standard error, until the next output. Without a text it is removed. Call it at the beginning
   * of a line only.
   */
  status(text?: string): void;
}

/** Control characters except tab and newline, and characters that change the direction of text. */
// oxlint-disable-next-line no-control-regex -- the pattern looks for them
const CONTROL = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u200e\u200f\u202a-\u202e\u2066-\u2069]/g;

/** Makes text from a source safe to print: nothing in it can move the cursor, change colours or hide what follows. */
export const printable = (text: string): string => removeTerminalSequences(text).replace(CONTROL, '');

/** Writes a value as JSON for a stream. For a terminal, characters that could control it are escaped, which is equivalent JSON. */
export function jsonFor({ isTTY }: Pick<NodeJS.WriteStream, 'isTTY'>, value: unknown): string {
  const text = JSON.stringify(value);
  return isTTY ? text.replace(CONTROL, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`) : text;
}

/** A terminal control sequence that is cut off at the end of a piece. */
const UNFINISHED =
  // oxlint-disable-next-line no-control-regex -- the pattern looks for them
  /(?:\u001b(?:\[[0-?]*[ -/]*|[\]PX^_][^\u0007\u001b\u009c\n]*\u001b?)?|\u009b[0-?]*[ -/]*|[\u0090\u0098\u009d-\u009f][^\u0007\u001b\u009c\n]*)$/;

/** Characters after which an unfinished sequence is treated as text. */
const LONGEST_ORDER = 200;

/** Makes a `printable` for text in pieces, between which a control sequence may be cut. The last piece is `isLast`. */
export function printablePieces(): (piece: string, isLast?: boolean) => string {
  let held = '';
  return (piece, isLast = false) => {
    const text = held + piece;
    const order = isLast ? undefined : UNFINISHED.exec(text)?.[0];
    held = order && order.length <= LONGEST_ORDER ? order : '';
    return printable(text.slice(0, text.length - held.length));
  };
}

/** Columns of a terminal that does not report them. */
const USUAL_COLUMNS = 80;

/** Opens the output of a command on the standard streams. With `json`, progress is not redrawn; NO_COLOR and TERM=dumb are respected. */
export function createScreen({ quiet, json }: { quiet: boolean; json: boolean }): Screen {
  const { stdout, stderr, env } = process;
  const isPlain = env.TERM === 'dumb';
  const isTerminal = Boolean(stderr.isTTY) && !json && !isPlain;
  const chalkFor = ({ isTTY }: NodeJS.WriteStream) => new Chalk({ level: isTTY && !env.NO_COLOR && !isPlain ? 2 : 0 });
  const colorBeside = chalkFor(stderr);
  let status: string | undefined;
  const wipe = () => {
    if (status !== undefined) stderr.write('\r\u001b[K');
    status = undefined;
  };
  const to = (stream: NodeJS.WriteStream, text: string) => {
    wipe();
    stream.write(text);
  };
  const wrapped = (text: string): string => wrapText(text, stderr.isTTY ? stderr.columns || USUAL_COLUMNS : undefined);
  return {
    isTerminal,
    get columns() {
      return stdout.isTTY ? stdout.columns || USUAL_COLUMNS : undefined;
    },
    quiet,
    json,
    color: chalkFor(stdout),
    colorBeside,
    print: (text) => to(stdout, `${text}\n`),
    report: (text) => (quiet ? undefined : to(stdout, `${text}\n`)),
    printJson: (value) => to(stdout, `${jsonFor(stdout, value)}\n`),
    write: (text) => to(stdout, text),
    drained: () => (stdout.writableNeedDrain ? once(stdout, 'drain').then(() => {}) : undefined),
    note: (text) => (quiet ? undefined : to(stderr, `${wrapped(text)}\n`)),
    warn: (text) => to(stderr, `${wrapped(text)}\n`),
    status(text) {
      if (text === status) return;
      wipe();
      if (text === undefined || quiet || !isTerminal) return;
      stderr.write(colorBeside.dim(clip(text, (stderr.columns || USUAL_COLUMNS) - 1)));
      status = text;
    },
  };
}
