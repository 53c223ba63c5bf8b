import { createInterface, type AsyncCompleter, type Interface, type Key } from 'node:readline';
import { Writable } from 'node:stream';
import { EXIT } from '../failure.ts';
import type { Screen } from '../screen.ts';
import { doubleInterrupt } from '../command-context.ts';

const PROMPT = '› ';
const GOES_ON = '… ';

/** Control sequences for bracketed paste (xterm): the terminal marks pasted text, so that its lines differ from typed ones. */
const MARK_PASTE = { on: '\u001b[?2004h', off: '\u001b[?2004l' };

/** Standard output as readline sees it. While muted, keys are read but not echoed: the echo would appear in the middle of the answer. */
class Echo extends Writable {
  isMuted = true;

  /** Undefined while muted: readline must not count rows that are not shown. */
  get columns(): number | undefined {
    return this.isMuted ? undefined : process.stdout.columns;
  }

  override _write(chunk: Buffer, _encoding: BufferEncoding, done: () => void): void {
    if (!this.isMuted) process.stdout.write(chunk);
    done();
  }
}

interface KeyboardOptions {
  screen: Screen;
  /** Lines for the arrow keys, latest first. */
  asked: readonly string[];
  /** Completions for `replaced`, the end of the line. */
  complete(line: string): Promise<{ candidates: string[]; replaced: string }>;
}

/** Whether standard input and output are both a terminal. */
export const isConversation = (): boolean => Boolean(process.stdin.isTTY && process.stdout.isTTY);

/** Reads questions from a terminal or a pipe. */
export class Keyboard {
  readonly #isTerminal = isConversation();
  readonly #screen: Screen;
  readonly #echo = new Echo();
  readonly #reader: Interface;
  /** readline's history array; undefined until its first `history` event. */
  #recalled: string[] | undefined;
  /** Questions typed ahead, and the lines of the unfinished one. */
  #waiting: string[] = [];
  #lines: string[] = [];
  #wake: ((question: string | undefined) => void) | undefined;
  #stop: (() => void) | undefined;
  #isPasting = false;
  #isClosed = false;
  #mayLeave = false;

  constructor(options: KeyboardOptions) {
    this.#screen = options.screen;
    this.#reader = this.#isTerminal ? this.#openTerminal(options) : createInterface({ input: process.stdin, terminal: false });
    this.#reader.on('line', (line) => this.#take(line));
    this.#reader.once('close', () => this.#end());
  }

  #openTerminal({ asked, complete }: KeyboardOptions): Interface {
    const completer: AsyncCompleter = (line, done) =>
      void complete(this.#lines.length > 0 ? '' : line).then(({ candidates, replaced }) => done(null, [candidates, replaced]));
    const terminal = { terminal: true, history: [...asked], historySize: asked.length + 1000, completer, prompt: PROMPT };
    const reader = createInterface({ input: process.stdin, output: this.#echo, ...terminal });
    const keyed = (_text: string | undefined, key: Key): void => {
      if (key.name === 'paste-start') this.#isPasting = true;
      if (key.name === 'paste-end') this.#isPasting = false;
    };
    const resized = () => void this.#echo.emit('resize');
    process.stdin.on('keypress', keyed);
    process.stdout.on('resize', resized);
    const mark = (order: string) => (process.env.TERM === 'dumb' ? undefined : process.stdout.write(order));
    mark(MARK_PASTE.on);
    const goOn = () => {
      mark(MARK_PASTE.on);
      if (!this.#echo.isMuted) this.#prompt();
    };
    const release = suspendable(reader, { leave: () => mark(MARK_PASTE.off), goOn });
    reader.on('SIGINT', () => this.#interrupt());
    reader.on('history', (lines) => (this.#recalled = lines));
    reader.once('close', () => {
      mark(MARK_PASTE.off);
      release();
      process.stdin.off('keypress', keyed);
      process.stdout.off('resize', resized);
    });
    return reader;
  }

  /** The next question; undefined when there will be none. */
  async next(): Promise<string | undefined> {
    const ahead = this.#waiting.shift();
    if (ahead !== undefined && this.#isTerminal) this.#screen.print(PROMPT + ahead.replaceAll('\n', `\n${GOES_ON}`));
    if (ahead !== undefined || this.#isClosed) return ahead;
    this.#prompt();
    const question = await new Promise<string | undefined>((resolve) => (this.#wake = resolve));
    this.#wake = undefined;
    return question;
  }

  /** Runs `work`; meanwhile Ctrl-C calls `stop`, and a second Ctrl-C ends the process. */
  async during<Result>(stop: () => void, work: () => Promise<Result>): Promise<Result> {
    const isSecond = doubleInterrupt();
    this.#stop = () => {
      if (!isSecond()) return stop();
      this.close();
      process.exit(EXIT.interrupted);
    };
    try {
      return await work();
    } finally {
      this.#stop = undefined;
    }
  }

  /** Sets the lines for the arrow keys, latest first. */
  recall(asked: readonly string[]): void {
    this.#recalled?.splice(0, Infinity, ...asked);
  }

  close(): void {
    this.#reader.close();
  }

  #prompt(): void {
    if (!this.#isTerminal) return;
    this.#echo.isMuted = false;
    this.#reader.setPrompt(this.#lines.length > 0 ? GOES_ON : PROMPT);
    this.#reader.prompt(true); // what was typed ahead stays
  }

  #take(line: string): void {
    this.#mayLeave = false;
    if (this.#isPasting || line.endsWith('\\')) {
      this.#lines.push(this.#isPasting ? line : line.slice(0, -1));
      if (!this.#echo.isMuted) this.#prompt();
    } else this.#hand([...this.#lines, line].join('\n'));
  }

  #hand(question: string): void {
    this.#lines = [];
    this.#echo.isMuted = true;
    if (this.#wake) this.#wake(question);
    else this.#waiting.push(question);
    this.#wake = undefined;
  }

  #end(): void {
    this.#isClosed = true;
    if (this.#isTerminal && this.#wake) this.#screen.print('');
    if (this.#lines.length > 0 && !this.#isTerminal) this.#hand(this.#lines.join('\n'));
    this.#wake?.(undefined);
  }

  /** Handles Ctrl-C: stops the running work, else clears the input, else prints how to leave; the second time it leaves. */
  #interrupt(): void {
    if (this.#stop) return this.#stop();
    const isEmpty = this.#reader.line === '' && this.#lines.length === 0;
    if (isEmpty && this.#mayLeave) return this.#reader.close();
    this.#mayLeave = isEmpty;
    this.#isPasting = false; // its end may have been lost on the way
    this.#lines = [];
    this.#reader.write(null, { ctrl: true, name: 'e' });
    this.#reader.write(null, { ctrl: true, name: 'u' });
    if (isEmpty) this.#screen.print('\nTo leave, press Ctrl-C again, or Ctrl-D.');
    this.#prompt();
  }
}

interface Suspension {
  /** Restores the terminal for the shell. */
  leave(): void;
  /** Takes the terminal again and redraws the input. */
  goOn(): void;
}

/** Makes Ctrl-Z suspend the program and `fg` resume it, which readline alone does not support. Returns the function that removes the handlers. */
export function suspendable(reader: Interface, { leave, goOn }: Suspension): () => void {
  let isOver = false;
  let isAway = false;
  const resume = () => {
    isAway = false;
    if (isOver) return;
    process.stdin.setRawMode(true);
    goOn();
  };
  const stay = () => void (isAway && resume()); // without a shell, the process is not stopped
  process.on('SIGCONT', resume);
  reader.on('SIGTSTP', () => {
    isAway = true;
    leave();
    process.stdin.setRawMode(false);
    process.kill(0, 'SIGTSTP'); // what started kb, such as npx, is stopped too, as when the terminal does it
    setImmediate(() => setImmediate(stay)); // a SIGCONT arrives before the second
  });
  return () => {
    isOver = true;
    process.off('SIGCONT', resume);
  };
}
