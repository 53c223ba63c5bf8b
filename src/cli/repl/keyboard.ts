import { createInterface, type AsyncCompleter, type Interface, type Key } from 'node:readline';
import { Writable } from 'node:stream';
import { EXIT } from '../failure.ts';
import type { Screen } from '../screen.ts';
import { doubleInterrupt } from '../command-context.ts';

const PROMPT = '› ';
const GOES_ON = '… ';

/** Asks a terminal to mark what is pasted, so that its lines are told from typed ones (xterm's bracketed paste). */
const MARK_PASTE = { on: '\u001b[?2004h', off: '\u001b[?2004l' };

/** Standard output as readline sees it. While it is muted, what is typed ahead is heard and not shown: it would stand in the middle of the answer. */
class Echo extends Writable {
  isMuted = true;

  /** None while muted: readline must not count rows that nobody sees. */
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
  /** What the arrow keys bring back, latest first. */
  asked: readonly string[];
  /** What may stand in the place of `replaced`, the end of the line. */
  complete(line: string): Promise<{ candidates: string[]; replaced: string }>;
}

/** Whether a person types here, and sees what comes. */
export const isConversation = (): boolean => Boolean(process.stdin.isTTY && process.stdout.isTTY);

/** What is typed or piped in, question by question. */
export class Keyboard {
  readonly #isTerminal = isConversation();
  readonly #screen: Screen;
  readonly #echo = new Echo();
  readonly #reader: Interface;
  /** readline's own list for the arrow keys, known once it has told. */
  #recalled: string[] | undefined;
  /** Questions that were typed ahead, and the lines of the one that is not complete. */
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

  /** Until the work is done, Ctrl-C calls `stop`; where that is not heard, a second one ends the process at once. */
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

  /** Has the arrow keys bring back these lines, latest first. */
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

  /** Ctrl-C: stops what is being done, else drops what was typed, else says how to leave, and leaves the second time. */
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
  /** Gives the terminal back to the shell as it was. */
  leave(): void;
  /** Takes it again, and shows what is typed. */
  goOn(): void;
}

/** Lets Ctrl-Z stop the program and `fg` go on with it, for which readline alone would wait in vain. Returns what ends that. */
export function suspendable(reader: Interface, { leave, goOn }: Suspension): () => void {
  let isOver = false;
  let isAway = false;
  const resume = () => {
    isAway = false;
    if (isOver) return;
    process.stdin.setRawMode(true);
    goOn();
  };
  const stay = () => void (isAway && resume()); // where there is no shell to go back to, nothing stops
  process.on('SIGCONT', resume);
  reader.on('SIGTSTP', () => {
    isAway = true;
    leave();
    process.stdin.setRawMode(false);
    process.kill(0, 'SIGTSTP'); // what started kb, such as npx, is stopped too, as when the terminal does it
    setImmediate(() => setImmediate(stay)); // a SIGCONT is heard before the second
  });
  return () => {
    isOver = true;
    process.off('SIGCONT', resume);
  };
}
