import { once } from 'node:events';
import { Chalk, type ChalkInstance } from 'chalk';
import { withoutSequences } from '../text/clean-text.ts';
import { clipped, wrappedText } from './markdown/flow.ts';

/** Where a command says things: results on standard output, everything else on standard error. */
export interface Screen {
  /** Whether a person looks at standard error on a terminal that obeys orders: progress may move. */
  readonly isTerminal: boolean;
  readonly quiet: boolean;
  readonly json: boolean;
  /** For what is printed as the result. */
  readonly color: ChalkInstance;
  /** For what is said beside it: the one may be on a terminal and the other in a file. */
  readonly colorBeside: ChalkInstance;
  /** Characters that a line of the result has room for; undefined where it is not shown on a terminal. */
  readonly columns: number | undefined;
  /** A line of the result. */
  print(text: string): void;
  /** A line about what was done; not with `--quiet`. */
  report(text: string): void;
  /** The result, or an item of it, as a line of JSON. */
  printJson(value: unknown): void;
  /** Part of a line of the result. */
  write(text: string): void;
  /** Until whoever reads the result has taken what is buffered; undefined where nothing has to be waited for. */
  drained(): Promise<void> | undefined;
  /** A line beside the result, broken where the terminal ends; not with `--quiet`. */
  note(text: string): void;
  /** A line about a failure, broken likewise; always. */
  warn(text: string): void;
  /** What is going on, on a terminal's standard error: it stands there until the next thing is said. Without a text it goes. To be used at the beginning of a line only. */
  status(text?: string): void;
}

/** Control characters, but for tab and newline, and what changes the direction or order in which text is shown. */
// oxlint-disable-next-line no-control-regex -- it is what has to be found
const CONTROL = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u200e\u200f\u202a-\u202e\u2066-\u2069]/g;

/** Text from a source as it may be printed: nothing in it can move the cursor, change colours or hide what follows. */
export const printable = (text: string): string => withoutSequences(text).replace(CONTROL, '');

/** A value as JSON for a stream: on a terminal, characters that could act on it are escaped, which says the same; elsewhere the text stays as it is. */
export function jsonFor({ isTTY }: Pick<NodeJS.WriteStream, 'isTTY'>, value: unknown): string {
  const text = JSON.stringify(value);
  return isTTY ? text.replace(CONTROL, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`) : text;
}

/** An order to a terminal that its piece of a stream ends within. */
const UNFINISHED =
  // oxlint-disable-next-line no-control-regex -- it is what has to be found
  /(?:\u001b(?:\[[0-?]*[ -/]*|[\]PX^_][^\u0007\u001b\u009c\n]*\u001b?)?|\u009b[0-?]*[ -/]*|[\u0090\u0098\u009d-\u009f][^\u0007\u001b\u009c\n]*)$/;

/** Characters after which what looks like the beginning of an order is text. */
const LONGEST_ORDER = 200;

/** `printable` for text that comes in pieces, between which an order to the terminal may be cut. The last piece is `isLast`. */
export function printablePieces(): (piece: string, isLast?: boolean) => string {
  let held = '';
  return (piece, isLast = false) => {
    const text = held + piece;
    const order = isLast ? undefined : UNFINISHED.exec(text)?.[0];
    held = order && order.length <= LONGEST_ORDER ? order : '';
    return printable(text.slice(0, text.length - held.length));
  };
}

/** Columns of a terminal that does not tell. */
const USUAL_COLUMNS = 80;

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
  const fitting = (text: string): string => wrappedText(text, stderr.isTTY ? stderr.columns || USUAL_COLUMNS : undefined);
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
    note: (text) => (quiet ? undefined : to(stderr, `${fitting(text)}\n`)),
    warn: (text) => to(stderr, `${fitting(text)}\n`),
    status(text) {
      if (text === status) return;
      wipe();
      if (text === undefined || quiet || !isTerminal) return;
      stderr.write(colorBeside.dim(clipped(text, (stderr.columns || USUAL_COLUMNS) - 1)));
      status = text;
    },
  };
}
