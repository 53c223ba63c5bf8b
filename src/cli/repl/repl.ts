import { readdir } from 'node:fs/promises';
import { basename } from 'node:path';
import { homedir } from 'node:os';
import { printable } from '../screen.ts';
import {
  continuesConversation,
  modelProviders,
  collectionNames,
  collectionOf,
  keep,
  openSession,
  type Session,
  askTurn,
} from './session.ts';
import { commands, isCommand, meantBy, runReplCommand } from './commands.ts';
import { transcriptPath, withAsked } from './conversation.ts';
import { describe, isAbort, KbError } from '../../core/errors.ts';
import { throwIfAborted } from '../../core/run.ts';
import type { CommandContext } from '../command-context.ts';
import { EXIT } from '../failure.ts';
import { wrappedText } from '../markdown/flow.ts';
import { isConversation, Keyboard } from './keyboard.ts';
import { memoryOf } from './memory.ts';

/** Completions for `replaced`, the end of the line. */
interface Completion {
  candidates: string[];
  replaced: string;
}

/** Completes a line: names of commands, collections, providers and, for /save, files. A question is not completed. */
export async function completionOf(line: string, session: Session): Promise<Completion> {
  const [, name = '', word] = /^(\/[a-z-]*!?)(?:\s+(\S*))?$/i.exec(line) ?? [];
  if (!name) return { candidates: [], replaced: line };
  const typed = word ?? (/\s$/.test(line) ? '' : undefined);
  const known = typed === undefined ? Object.keys(commands).map((command) => `${command} `) : await wordsFor(name, typed, session);
  const replaced = typed ?? name;
  return { candidates: known.filter((candidate) => candidate.startsWith(replaced)), replaced };
}

async function wordsFor(name: string, typed: string, session: Session): Promise<string[]> {
  try {
    if (name === '/collection') return await collectionNames(session);
    if (name === '/model') return modelProviders.map((provider) => (provider === 'local' ? provider : `${provider}/`));
    return name.startsWith('/save') ? await filesFor(typed) : [];
  } catch {
    return []; // the key does nothing where the store or the folder can't be read
  }
}

/** Files and folders of the folder that the word names; those with a blank or a control character are left out. */
async function filesFor(typed: string): Promise<string[]> {
  const start = typed.slice(0, typed.length - (typed.endsWith('/') ? 0 : basename(typed).length));
  const entries = await readdir(transcriptPath(start || '.'), { withFileTypes: true });
  return entries
    .filter(({ name }) => name === printable(name) && !/\s/.test(name) && (!name.startsWith('.') || basename(typed).startsWith('.')))
    .map((entry) => start + entry.name + (entry.isDirectory() ? '/' : ''));
}

/**
 * Runs a conversation: one question per line, each answered with the earlier ones as history. Also reads piped input; throws a KbError if
 * that has no line.
 */
export async function converse(context: CommandContext, request: Record<string, unknown>): Promise<void> {
  const { screen, signal } = context;
  const session = openSession(context, request, memoryOf(context, { isTerminal: isConversation() }));
  const keyboard = new Keyboard({ screen, asked: session.talk.asked, complete: (line) => completionOf(line, session) });
  signal.addEventListener('abort', () => keyboard.close(), { once: true });
  const greeting = `Ask about «${collectionOf(session)}». /help shows what else there is.${continuesConversation(session)}`;
  const isBlind = process.stdin.isTTY && !isConversation(); // `kb chat | tee log`: there is no prompt to be seen
  // whoever pipes questions in knows what is asked, but not that a conversation is there already
  if (isBlind) screen.note(`${greeting} Type a question a line; Ctrl-D ends.`);
  else if (isConversation() || session.talk.turns.length > 0) screen.note(greeting);
  if (isConversation()) tellWhereKept(session);
  let isEmpty = true;
  try {
    for (let typed = await keyboard.next(); typed !== undefined && !signal.aborted; typed = await keyboard.next()) {
      if (typed.trim() === '') continue;
      isEmpty = false;
      if (!(await handle(meantBy(typed.trim()), session, keyboard))) break;
    }
  } finally {
    keyboard.close();
  }
  throwIfAborted(signal);
  if (isEmpty && !isConversation())
    throw new KbError('usage', 'There is no question.', { hint: 'Give it as an argument, or pipe questions in, one a line.' });
}

function tellWhereKept(session: Session): void {
  const { screen } = session.context;
  const file = session.memory.fileOf(collectionOf(session));
  if (file === undefined) return;
  const place = file.startsWith(`${homedir()}/`) ? `~${file.slice(homedir().length)}` : file;
  const otherwise = session.memory.isNamed ? '/clear forgets it.' : '/clear forgets it, --no-history keeps none.';
  screen.note(screen.colorBeside.dim(wrappedText(`The conversation is kept in ${place}. ${otherwise}`, screen.columns)));
}

/** Answers a question, and leaves a line free behind that; a person who sees it fail needs no exit code. */
async function answered(question: string, session: Session): Promise<true> {
  const { exitCode } = process;
  try {
    await askTurn(question, session);
  } finally {
    if (isConversation()) process.exitCode = exitCode;
    if (!session.context.screen.json) session.context.screen.print('');
  }
  return true;
}

/** Answers a question or runs a command; a failure is printed, and the conversation goes on. Returns false if it ends. */
async function handle(text: string, session: Session, keyboard: Keyboard): Promise<boolean> {
  const { screen, signal } = session.context;
  const stop = new AbortController();
  session.signal = AbortSignal.any([signal, stop.signal]);
  session.talk = withAsked(session.talk, text);
  try {
    const goOn = () => (isCommand(text) ? runReplCommand(text, session) : answered(text, session));
    return await keyboard.during(() => stop.abort(new KbError('aborted', 'Stopped.')), goOn);
  } catch (error) {
    screen.warn(isAbort(error) ? 'Stopped.' : wrappedText(`Error: ${printable(describe(error))}`, screen.columns));
    if (!isConversation()) process.exitCode = EXIT.failed;
    return true;
  } finally {
    if (text !== '/clear') keep(session);
    keyboard.recall(session.talk.asked);
  }
}
