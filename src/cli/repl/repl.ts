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
  printBeside,
  printWrapped,
  collection,
  model,
  topK,
  wholeNumber,
} from './session.ts';
import { transcriptPath, withAsked, newConversation, saveConversation, memoryOf } from './conversation.ts';
import { describe, isAbort, KbError } from '../../core/errors.ts';
import { throwIfAborted } from '../../core/run.ts';
import type { CommandContext } from '../command-context.ts';
import { EXIT } from '../failure.ts';
import { wrapText, clip, foldSpans, plain } from '../markdown/flow.ts';
import { isConversation, Keyboard } from './keyboard.ts';
import type { Source } from '../../schema/items.ts';
import { markdownPrinter, sourceLine } from '../printers/show-answer.ts';
import { findNearest } from '../../core/nearest.ts';
import { count } from '../../text/count.ts';

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
  // piped questions need no greeting, except that a conversation exists already
  if (isBlind) screen.note(`${greeting} Type a question a line; Ctrl-D ends.`);
  else if (isConversation() || session.talk.turns.length > 0) screen.note(greeting);
  if (isConversation()) printPlaceKept(session);
  let isEmpty = true;
  try {
    for (let typed = await keyboard.next(); typed !== undefined && !signal.aborted; typed = await keyboard.next()) {
      if (typed.trim() === '') continue;
      isEmpty = false;
      if (!(await handle(withSlash(typed.trim()), session, keyboard))) break;
    }
  } finally {
    keyboard.close();
  }
  throwIfAborted(signal);
  if (isEmpty && !isConversation())
    throw new KbError('usage', 'There is no question.', { hint: 'Give it as an argument, or pipe questions in, one a line.' });
}

function printPlaceKept(session: Session): void {
  const { screen } = session.context;
  const file = session.memory.fileOf(collectionOf(session));
  if (file === undefined) return;
  const place = file.startsWith(`${homedir()}/`) ? `~${file.slice(homedir().length)}` : file;
  const otherwise = session.memory.isNamed ? '/clear forgets it.' : '/clear forgets it, --no-history keeps none.';
  screen.note(screen.colorBeside.dim(wrapText(`The conversation is kept in ${place}. ${otherwise}`, screen.columns)));
}

/** Answers a question and prints a blank line. On a terminal the exit code is kept: the user sees the failure. */
async function answerQuestion(question: string, session: Session): Promise<true> {
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
    const goOn = () => (isCommand(text) ? runReplCommand(text, session) : answerQuestion(text, session));
    return await keyboard.during(() => stop.abort(new KbError('aborted', 'Stopped.')), goOn);
  } catch (error) {
    screen.warn(isAbort(error) ? 'Stopped.' : wrapText(`Error: ${printable(describe(error))}`, screen.columns));
    if (!isConversation()) process.exitCode = EXIT.failed;
    return true;
  } finally {
    if (text !== '/clear') keep(session);
    keyboard.recall(session.talk.asked);
  }
}

/** Characters of a passage in a list if the width of the terminal is unknown. */
const EXCERPT = 200;

/** Lists the sources of an answer, each with its location and beginning. */
function showSourceList(sources: readonly Source[], session: Session): void {
  const { color, columns } = session.context.screen;
  for (const source of sources) {
    printBeside(session, sourceLine(source, { color, columns }, source.cited ? '' : ' (not cited)'));
    const excerpt = clip(beginningOf(source.text), (columns ?? EXCERPT) * 2 - 8);
    printBeside(session, foldSpans([{ text: excerpt, paint: color.dim }], { first: '    ', hang: '    ', columns }));
  }
  printBeside(session, color.dim(`/sources ${sources[0]!.citation} shows the whole passage.`));
}

function beginningOf(text: string): string {
  const flat = (part: string) => printable(part).replace(/\s+/g, ' ').trim();
  return flat(text.replace(/^#{1,6}\s.*$/gm, '')) || flat(text);
}

function showPassage(sources: readonly Source[], citation: number, session: Session): void {
  const source = sources.find((other) => other.citation === citation);
  if (!source)
    throw new KbError('usage', `There is no source ${citation}: the last answer has ${sources.map((other) => other.citation).join(', ')}.`);
  const { screen } = session.context;
  printBeside(session, sourceLine(source, screen));
  const printer = markdownPrinter({ ...screen, write: screen.json ? screen.note : screen.write });
  printer.push(source.text.trim());
  printer.end();
}

interface Command {
  /** What follows the name: `[N]`, `FILE`. */
  argument: string;
  /** Line in /help; absent if it is not listed. */
  summary?: string;
  /** Returns false to end the conversation. */
  run(argument: string, session: Session): void | false | Promise<void>;
}

/** Columns of the names in /help. */
const NAMES = 20;

/** Everything that begins with a slash. */
export const commands: Readonly<Record<string, Command>> = {
  '/sources': { argument: '[N]', summary: 'the passages behind the last answer; N in full', run: showSources },
  '/collection': { argument: '[NAME]', summary: 'which collection is asked; ask another one', run: collection },
  '/model': { argument: '[NAME]', summary: 'who answers; choose another: MODEL, PROVIDER or PROVIDER/MODEL', run: model },
  '/top-k': { argument: '[N]', summary: 'how many passages are looked for; look for N', run: topK },
  '/history': { argument: '[N]', summary: 'what was said; the last N turns', run: history },
  '/clear': { argument: '', summary: 'forget this conversation, here and on disk', run: clear },
  '/save': {
    argument: 'FILE',
    summary: 'write the conversation as Markdown, or as JSON (.json); /save! overwrites',
    run: (name, session) => save(name, session, false),
  },
  '/save!': { argument: 'FILE', run: (name, session) => save(name, session, true) },
  '/help': { argument: '', summary: 'this', run: help },
  '/exit': { argument: '', summary: 'leave (also /quit and Ctrl-D)', run: () => false },
  '/quit': { argument: '', run: () => false },
};

/** Whether a line is a command, or a misspelt one such as `/top_k 5`. Paths, fractions and routes (`/login?`) are not. */
export const isCommand = (line: string): boolean => /^\/[a-z][\w-]*!?(?:\s|$)/i.test(line) || glued(line) !== undefined;

/**
 * Splits an argument that was typed without a blank, as in `/save!talk.md`, `/sources2` and `/model=openai/gpt`; undefined if there is
 * none.
 */
function glued(line: string): string | undefined {
  const name = Object.keys(commands).findLast((known) => line.startsWith(known)); // `/save!` comes after `/save`
  const rest = line.slice(name?.length);
  const isGlued = name !== undefined && (/^(?:[=:]|\d[^/]*$)/.test(rest) || (name.endsWith('!') && /^\S/.test(rest)));
  return isGlued ? `${name} ${rest.replace(/^[=:]/, '')}` : undefined;
}

/** Maps words that people type alone, to leave or for help, to commands; other lines stay. */
export const withSlash = (line: string): string => (/^(?:exit|quit|help)$/i.test(line) ? `/${line.toLowerCase()}` : line);

/** Runs a line. Returns false if it ends the conversation. Throws a KbError if it cannot be done. */
export async function runReplCommand(line: string, session: Session): Promise<boolean> {
  const [, name = '', argument = ''] = /^(\S+)\s*([^]*)$/.exec(line) ?? [];
  const command = Object.hasOwn(commands, name) ? commands[name] : undefined;
  if (command) return (await command.run(argument.trim(), session)) !== false;
  const meant = glued(line) ?? findNearest(name, Object.keys(commands));
  printWrapped(session, `There is no ${printable(name)}. ${meant ? `Did you mean ${printable(meant)}?` : '/help shows what there is.'}`);
  return true;
}

function help(_argument: string, session: Session): void {
  const { columns } = session.context.screen;
  for (const [name, { argument, summary }] of Object.entries(commands)) {
    const first = `${name} ${argument}`.padEnd(NAMES);
    if (summary) printBeside(session, foldSpans([{ text: summary, paint: plain }], { first, hang: ' '.repeat(NAMES), columns }));
  }
  printWrapped(session, '\nA line that ends in \\ goes on in the next one, and pasted lines are one question. Ctrl-C stops an answer.');
}

function showSources(argument: string, session: Session): void {
  const { turns } = session.talk;
  const last = turns.at(-1)?.sources ?? [];
  if (last.length === 0)
    return printWrapped(session, turns.length === 0 ? 'There are no sources yet.' : 'The last answer used no sources.');
  if (argument) return showPassage(last, wholeNumber(argument, '/sources'), session);
  showSourceList(last, session);
}

function history(argument: string, session: Session): void {
  const { turns } = session.talk;
  if (turns.length === 0) return printWrapped(session, 'Nothing was said yet.');
  const { screen } = session.context;
  for (const { question, answer } of argument ? turns.slice(-wholeNumber(argument, '/history')) : turns) {
    printBeside(session, screen.color.bold(`› ${printable(question)}`));
    const printer = markdownPrinter({ ...screen, write: screen.json ? screen.note : screen.write });
    printer.push(answer);
    printer.end();
    printBeside(session, '');
  }
}

function clear(_argument: string, session: Session): void {
  const left = session.memory.forget(collectionOf(session), session.talk);
  session.talk = newConversation();
  const others = left > 0 ? ` In the file ${count(left, 'turn')} of another kb chat ${left === 1 ? 'stays' : 'stay'}.` : '';
  printWrapped(session, `The conversation begins anew.${others}`);
}

function save(name: string, session: Session, replaces: boolean): void {
  const { turns } = session.talk;
  if (!name) throw new KbError('usage', 'Into which file?', { hint: 'For example /save talk.md.' });
  if (turns.length === 0) return printWrapped(session, 'There is nothing to save yet.');
  saveConversation(turns, collectionOf(session), { name, replaces });
  printWrapped(session, `Wrote ${count(turns.length, 'turn')} to ${name}.`);
}
