import { createInterface, type AsyncCompleter, type Interface, type Key } from 'node:readline';
import { Writable } from 'node:stream';
import { EXIT } from '../failure.ts';
import type { Screen } from '../screen.ts';
import { detectSecondInterrupt } from '../command-context.ts';

const PROMPT = '› ';
const CONTINUATION_PROMPT = '… ';

/** Control sequences for bracketed paste (xterm): the terminal marks pasted text, so that its lines differ from typed ones. */
const MARK_PASTE = { on: '\u001b[?2004h', off: '\u001b[?2004l' };

/** Standard output for readline. While muted, keys are read but not echoed, because the echo would appear in the middle of the answer. */
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
  /** Earlier input lines for the arrow keys, latest first. */
  history: readonly string[];
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
  /** The history array of readline; undefined until its first `history` event. */
  #history: string[] | undefined;
  /** Questions that were typed ahead, and the lines of an unfinished one. */
  #queued: string[] = [];
  #lines: string[] = [];
  #wake: ((question: string | undefined) => void) | undefined;
  #stop: (() => void) | undefined;
  #isPasting = false;
  #isClosed = false;
  #mayLeave = false;

  constructor(options: KeyboardOptions) {
    this.#screen = options.screen;
    this.#reader = this.#isTerminal ? this.#openTerminal(options) : createInterface({ input: process.stdin, terminal: false });
    this.#reader.on('line', (line) => this.#addLine(line));
    this.#reader.once('close', () => this.#end());
  }

  #openTerminal({ history, complete }: KeyboardOptions): Interface {
    const completer: AsyncCompleter = (line, done) =>
      void complete(this.#lines.length > 0 ? '' : line).then(({ candidates, replaced }) => done(null, [candidates, replaced]));
    const terminal = { terminal: true, history: [...history], historySize: history.length + 1000, completer, prompt: PROMPT };
    const reader = createInterface({ input: process.stdin, output: this.#echo, ...terminal });
    const onKeypress = (_text: string | undefined, key: Key): void => {
      if (key.name === 'paste-start') this.#isPasting = true;
      if (key.name === 'paste-end') this.#isPasting = false;
    };
    const onResize = () => void this.#echo.emit('resize');
    process.stdin.on('keypress', onKeypress);
    process.stdout.on('resize', onResize);
    const writeSequence = (order: string) => (process.env.TERM === 'dumb' ? undefined : process.stdout.write(order));
    writeSequence(MARK_PASTE.on);
    const restore = () => {
      writeSequence(MARK_PASTE.on);
      if (!this.#echo.isMuted) this.#prompt();
    };
    const release = enableSuspend(reader, { leave: () => writeSequence(MARK_PASTE.off), restore: restore });
    reader.on('SIGINT', () => this.#interrupt());
    reader.on('history', (lines) => (this.#history = lines));
    reader.once('close', () => {
      writeSequence(MARK_PASTE.off);
      release();
      process.stdin.off('keypress', onKeypress);
      process.stdout.off('resize', onResize);
    });
    return reader;
  }

  /** Waits for the next question; undefined at the end of the input. */
  async next(): Promise<string | undefined> {
    const queued = this.#queued.shift();
    if (queued !== undefined && this.#isTerminal) this.#screen.print(PROMPT + queued.replaceAll('\n', `\n${CONTINUATION_PROMPT}`));
    if (queued !== undefined || this.#isClosed) return queued;
    this.#prompt();
    const question = await new Promise<string | undefined>((resolve) => (this.#wake = resolve));
    this.#wake = undefined;
    return question;
  }

  /** Runs `work`; meanwhile Ctrl-C calls `stop`, and a second Ctrl-C ends the process. */
  async during<Result>(stop: () => void, work: () => Promise<Result>): Promise<Result> {
    const isSecond = detectSecondInterrupt();
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
  recall(lines: readonly string[]): void {
    this.#history?.splice(0, Infinity, ...lines);
  }

  close(): void {
    this.#reader.close();
  }

  #prompt(): void {
    if (!this.#isTerminal) return;
    this.#echo.isMuted = false;
    this.#reader.setPrompt(this.#lines.length > 0 ? CONTINUATION_PROMPT : PROMPT);
    this.#reader.prompt(true); // keeps what was typed ahead
  }

  #addLine(line: string): void {
    this.#mayLeave = false;
    if (this.#isPasting || line.endsWith('\\')) {
      this.#lines.push(this.#isPasting ? line : line.slice(0, -1));
      if (!this.#echo.isMuted) this.#prompt();
    } else this.#deliver([...this.#lines, line].join('\n'));
  }

  #deliver(question: string): void {
    this.#lines = [];
    this.#echo.isMuted = true;
    if (this.#wake) this.#wake(question);
    else this.#queued.push(question);
    this.#wake = undefined;
  }

  #end(): void {
    this.#isClosed = true;
    if (this.#isTerminal && this.#wake) this.#screen.print('');
    if (this.#lines.length > 0 && !this.#isTerminal) this.#deliver(this.#lines.join('\n'));
    this.#wake?.(undefined);
  }

  /** Handles Ctrl-C: stops the running work, else clears the input, else prints how to leave; the second time it leaves. */
  #interrupt(): void {
    if (this.#stop) return this.#stop();
    const isEmpty = this.#reader.line === '' && this.#lines.length === 0;
    if (isEmpty && this.#mayLeave) return this.#reader.close();
    this.#mayLeave = isEmpty;
    this.#isPasting = false; // the end marker of a paste may be lost
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
  restore(): void;
}

/** Makes Ctrl-Z suspend the program and `fg` resume it, which readline alone does not support. Returns the function that removes the handlers. */
export function enableSuspend(reader: Interface, { leave, restore: goOn }: Suspension): () => void {
  let isOver = false;
  let isSuspended = false;
  const resume = () => {
    isSuspended = false;
    if (isOver) return;
    process.stdin.setRawMode(true);
    goOn();
  };
  const stay = () => void (isSuspended && resume()); // without a shell, nothing stops the process
  process.on('SIGCONT', resume);
  reader.on('SIGTSTP', () => {
    isSuspended = true;
    leave();
    process.stdin.setRawMode(false);
    process.kill(0, 'SIGTSTP'); // also stops the parent, such as npx, as the terminal would
    setImmediate(() => setImmediate(stay)); // a SIGCONT arrives before the second immediate
  });
  return () => {
    isOver = true;
    process.off('SIGCONT', resume);
  };
}
