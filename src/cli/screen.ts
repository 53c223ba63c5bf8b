import { once } from 'node:events';
import { Chalk, type ChalkInstance } from 'chalk';
import { removeTerminalSequences } from '../text/clean-text.ts';
import { clip, wrapText } from './markdown/line-wrapper.ts';

/** Output of a command: results on standard output, everything else on standard error. */
export interface Screen {
  /** Whether standard error is a terminal that can move the cursor, so that progress may be redrawn. */
  readonly isTerminal: boolean;
  readonly quiet: boolean;
  readonly json: boolean;
  /** Colours of standard output. */
  readonly color: ChalkInstance;
  /** Colours of standard error, which may be a file while standard output is a terminal. */
  readonly colorBeside: ChalkInstance;
  /** Columns of standard output; undefined if that is not a terminal. */
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
  waitForDrain(): Promise<void> | undefined;
  /** Prints a wrapped line on standard error; not with `--quiet`. */
  note(text: string): void;
  /** Prints a wrapped line about a failure on standard error, also with `--quiet`. */
  warn(text: string): void;
  /**
   * Shows a status line on standard error until the next output, if that is a terminal; without a text, removes it. Call it only at the beginning
   * of a line.
   */
  status(text?: string): void;
}

/** Control characters except tab and newline, and characters that change the direction of text. */
// oxlint-disable-next-line no-control-regex -- the pattern looks for them
const CONTROL = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u200e\u200f\u202a-\u202e\u2066-\u2069]/g;

/** Makes text from a source safe to print: nothing in it can move the cursor, change colours or hide what follows. */
export const makePrintable = (text: string): string => removeTerminalSequences(text).replace(CONTROL, '');

/** Writes a value as JSON for a stream. For a terminal, characters that could control it are escaped, which is equivalent JSON. */
export function formatJson({ isTTY }: Pick<NodeJS.WriteStream, 'isTTY'>, value: unknown): string {
  const text = JSON.stringify(value);
  return isTTY ? text.replace(CONTROL, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`) : text;
}

/** A terminal control sequence that is cut off at the end of a piece. */
const UNFINISHED =
  // oxlint-disable-next-line no-control-regex -- the pattern looks for them
  /(?:\u001b(?:\[[0-?]*[ -/]*|[\]PX^_][^\u0007\u001b\u009c\n]*\u001b?)?|\u009b[0-?]*[ -/]*|[\u0090\u0098\u009d-\u009f][^\u0007\u001b\u009c\n]*)$/;

/** Characters after which an unfinished sequence is treated as text. */
const MAX_SEQUENCE_LENGTH = 200;

/** Makes a `makePrintable` for text in pieces, which may split a control sequence. `isLast` marks the last piece. */
export function createPrintableFilter(): (piece: string, isLast?: boolean) => string {
  let pending = '';
  return (piece, isLast = false) => {
    const text = pending + piece;
    const sequence = isLast ? undefined : UNFINISHED.exec(text)?.[0];
    pending = sequence && sequence.length <= MAX_SEQUENCE_LENGTH ? sequence : '';
    return makePrintable(text.slice(0, text.length - pending.length));
  };
}

/** Columns of a terminal that does not report its width. */
const DEFAULT_COLUMNS = 80;

/** Opens the output of a command on the standard streams. With `json`, progress is not redrawn; NO_COLOR and TERM=dumb are respected. */
export function createScreen({ quiet, json }: { quiet: boolean; json: boolean }): Screen {
  const { stdout, stderr, env } = process;
  const isPlain = env.TERM === 'dumb';
  const isTerminal = Boolean(stderr.isTTY) && !json && !isPlain;
  const chalkFor = ({ isTTY }: NodeJS.WriteStream) => new Chalk({ level: isTTY && !env.NO_COLOR && !isPlain ? 2 : 0 });
  const stderrColor = chalkFor(stderr);
  let status: string | undefined;
  const clearStatus = () => {
    if (status !== undefined) stderr.write('\r\u001b[K');
    status = undefined;
  };
  const writeTo = (stream: NodeJS.WriteStream, text: string) => {
    clearStatus();
    stream.write(text);
  };
  const wrapForStderr = (text: string): string => wrapText(text, stderr.isTTY ? stderr.columns || DEFAULT_COLUMNS : undefined);
  return {
    isTerminal,
    get columns() {
      return stdout.isTTY ? stdout.columns || DEFAULT_COLUMNS : undefined;
    },
    quiet,
    json,
    color: chalkFor(stdout),
    colorBeside: stderrColor,
    print: (text) => writeTo(stdout, `${text}\n`),
    report: (text) => (quiet ? undefined : writeTo(stdout, `${text}\n`)),
    printJson: (value) => writeTo(stdout, `${formatJson(stdout, value)}\n`),
    write: (text) => writeTo(stdout, text),
    waitForDrain: () => (stdout.writableNeedDrain ? once(stdout, 'drain').then(() => {}) : undefined),
    note: (text) => (quiet ? undefined : writeTo(stderr, `${wrapForStderr(text)}\n`)),
    warn: (text) => writeTo(stderr, `${wrapForStderr(text)}\n`),
    status(text) {
      if (text === status) return;
      clearStatus();
      if (text === undefined || quiet || !isTerminal) return;
      stderr.write(stderrColor.dim(clip(text, (stderr.columns || DEFAULT_COLUMNS) - 1)));
      status = text;
    },
  };
}
