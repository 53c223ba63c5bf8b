import { appendFileSync, existsSync, mkdirSync, readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { createInterface, type Interface } from 'node:readline';
import { describe, isAbort, KbError } from '../base/errors.ts';
import { hash } from '../base/ids.ts';
import { throwIfAborted } from '../base/run.ts';
import type { HistoryEntry, Source } from '../schema/items.ts';
import type { Desk } from './command.ts';
import { followed } from './progress.ts';
import { answerPrinter, sourceLine } from './show-answer.ts';

/** Lines that the arrow keys bring back. */
const LINES_KEPT = 500;

const HELP = `/sources   the passages behind the last answer
/clear     forget the conversation
/help      this
/exit      leave (also Ctrl-D)`;

interface Conversation {
  history: HistoryEntry[];
  sources: Source[];
  /** Stops the answer that is under way. */
  stop?: (() => void) | undefined;
}

/** A conversation: a question a line, each answered with what was said before in mind. Works with piped input too. */
export async function converse(desk: Desk, request: Record<string, unknown>): Promise<void> {
  const { screen, flags } = desk;
  const file = (flags['history-file'] as string | undefined) ?? historyFile(desk);
  const talk: Conversation = { history: [], sources: [] };
  const reader = openReader(file);
  const { signal } = desk;
  reader.on('SIGINT', () => (talk.stop ? talk.stop() : reader.close()));
  signal.addEventListener('abort', () => reader.close(), { once: true });
  screen.note(`Ask about «${desk.engine.config.collection}». /help shows what else there is.`);
  for await (const line of questions(reader, signal)) {
    const question = line.trim();
    if (question === '/exit' || question === '/quit') break;
    if (question === '') continue;
    remember(file, question);
    if (question.startsWith('/')) command(question, talk, desk);
    else await answer(question, talk, { desk, request });
  }
  reader.close();
  throwIfAborted(signal);
}

function openReader(file: string): Interface {
  const terminal = Boolean(process.stdin.isTTY && process.stdout.isTTY);
  const history =
    terminal && existsSync(file) ? readFileSync(file, 'utf8').split('\n').filter(Boolean).toReversed().slice(0, LINES_KEPT) : [];
  return createInterface({
    input: process.stdin,
    ...(terminal ? { output: process.stdout } : {}),
    terminal,
    history,
    historySize: LINES_KEPT,
    prompt: '› ',
  });
}

/** Lines as they are typed; asks for the next when the one before has been dealt with. */
async function* questions(reader: Interface, signal: AbortSignal): AsyncGenerator<string, void, void> {
  const lines = reader[Symbol.asyncIterator]();
  let isOpen = true;
  reader.once('close', () => (isOpen = false));
  for (;;) {
    if (isOpen && reader.terminal) reader.prompt();
    const { value, done } = await lines.next();
    if (done || signal.aborted) return;
    yield value as string;
  }
}

function command(text: string, talk: Conversation, { screen }: Desk): void {
  if (text === '/help') screen.print(HELP);
  else if (text === '/clear') {
    talk.history = [];
    talk.sources = [];
    screen.print('The conversation begins anew.');
  } else if (text === '/sources') {
    if (talk.sources.length === 0) screen.print('There are no sources yet.');
    for (const source of talk.sources) screen.print(`${sourceLine(source, screen)}\n${source.text.trim()}\n`);
  } else screen.print(`There is no ${text}. /help shows what there is.`);
}

async function answer(
  question: string,
  talk: Conversation,
  { desk, request }: { desk: Desk; request: Record<string, unknown> },
): Promise<void> {
  const { engine, screen, signal } = desk;
  const stop = new AbortController();
  talk.stop = () => stop.abort(new KbError('aborted', 'Stopped.'));
  const { onEvent, result: show } = answerPrinter(screen);
  const rewrite = { enabled: engine.config.chat.query_rewrite.enabled ?? talk.history.length > 0 };
  try {
    const run = engine.run(
      'chat',
      { query_rewrite: rewrite, ...request, query: question, history: talk.history },
      { signal: AbortSignal.any([signal, stop.signal]) },
    );
    const result = await followed(run, { screen, onEvent });
    if (screen.json) screen.print(JSON.stringify(result));
    else show(result);
    talk.history = result.history;
    talk.sources = result.sources;
  } catch (error) {
    screen.warn(isAbort(error) ? '\nStopped.' : `Error: ${describe(error)}`);
  } finally {
    talk.stop = undefined;
  }
}

/** What was typed, by collection, on this machine alone. */
function historyFile({ loaded, engine }: Desk): string {
  const state = process.env.XDG_STATE_HOME ?? join(homedir(), '.local', 'state');
  return join(state, 'kb', 'history', `${engine.config.collection}-${hash(loaded.home).slice(0, 8)}`);
}

/** Keeping what was typed is a comfort: where it can't be written, the conversation goes on. */
function remember(file: string, line: string): void {
  if (!process.stdin.isTTY) return;
  try {
    mkdirSync(dirname(file), { recursive: true });
    appendFileSync(file, `${line}\n`, { mode: 0o600 });
  } catch {
    return;
  }
}
