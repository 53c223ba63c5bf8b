import { readdir } from 'node:fs/promises';
import { basename } from 'node:path';
import { homedir } from 'node:os';
import { makePrintable } from '../screen.ts';
import {
  continuationNote,
  modelProviders,
  collectionNames,
  collectionOf,
  storeConversation,
  openSession,
  type Session,
  askTurn,
  printMessage,
  printWrapped,
  switchCollection,
  switchModel,
  setTopK,
  parseWholeNumber,
} from './session.ts';
import { transcriptPath, withInputLine, newConversation, saveConversation } from './conversation.ts';
import { openConversationMemory } from './conversation-memory.ts';
import { describe, isAbort, KbError } from '../../core/errors.ts';
import { throwIfAborted } from '../../core/run.ts';
import type { CommandContext } from '../command-context.ts';
import { EXIT } from '../failure.ts';
import { wrapText, clip, wrapSpans, unstyled } from '../markdown/line-wrapper.ts';
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
export async function completeLine(line: string, session: Session): Promise<Completion> {
  const [, name = '', word] = /^(\/[a-z-]*!?)(?:\s+(\S*))?$/i.exec(line) ?? [];
  if (!name) return { candidates: [], replaced: line };
  const typed = word ?? (/\s$/.test(line) ? '' : undefined);
  const known = typed === undefined ? Object.keys(commands).map((command) => `${command} `) : await candidatesFor(name, typed, session);
  const replaced = typed ?? name;
  return { candidates: known.filter((candidate) => candidate.startsWith(replaced)), replaced };
}

async function candidatesFor(name: string, typed: string, session: Session): Promise<string[]> {
  try {
    if (name === '/collection') return await collectionNames(session);
    if (name === '/model') return modelProviders.map((provider) => (provider === 'local' ? provider : `${provider}/`));
    return name.startsWith('/save') ? await listFiles(typed) : [];
  } catch {
    return []; // without a readable store or folder, the key does nothing
  }
}

/** Lists the files and folders that complete a path, without names that contain a blank or a control character. */
async function listFiles(typed: string): Promise<string[]> {
  const start = typed.slice(0, typed.length - (typed.endsWith('/') ? 0 : basename(typed).length));
  const entries = await readdir(transcriptPath(start || '.'), { withFileTypes: true });
  return entries
    .filter(({ name }) => name === makePrintable(name) && !/\s/.test(name) && (!name.startsWith('.') || basename(typed).startsWith('.')))
    .map((entry) => start + entry.name + (entry.isDirectory() ? '/' : ''));
}

/**
 * Runs a conversation: one question per line, each answered with the earlier ones as history. Also reads piped input; throws a KbError if
 * that has no line.
 */
export async function converse(context: CommandContext, request: Record<string, unknown>): Promise<void> {
  const { screen, signal } = context;
  const session = openSession(context, request, openConversationMemory(context, { isTerminal: isConversation() }));
  const keyboard = new Keyboard({ screen, history: session.conversation.asked, complete: (line) => completeLine(line, session) });
  signal.addEventListener('abort', () => keyboard.close(), { once: true });
  const greeting = `Ask about "${collectionOf(session)}". /help shows what else there is.${continuationNote(session)}`;
  const hasNoPrompt = process.stdin.isTTY && !isConversation(); // `kb chat | tee log`: no prompt is visible
  // piped questions need no greeting, unless they continue a conversation
  if (hasNoPrompt) screen.note(`${greeting} Type a question a line; Ctrl-D ends.`);
  else if (isConversation() || session.conversation.turns.length > 0) screen.note(greeting);
  if (isConversation()) printHistoryPlace(session);
  let isEmpty = true;
  try {
    for (let typed = await keyboard.next(); typed !== undefined && !signal.aborted; typed = await keyboard.next()) {
      if (typed.trim() === '') continue;
      isEmpty = false;
      if (!(await handleLine(addSlash(typed.trim()), session, keyboard))) break;
    }
  } finally {
    keyboard.close();
  }
  throwIfAborted(signal);
  if (isEmpty && !isConversation())
    throw new KbError('usage', 'There is no question.', { hint: 'Give it as an argument, or pipe questions in, one a line.' });
}

function printHistoryPlace(session: Session): void {
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
async function handleLine(text: string, session: Session, keyboard: Keyboard): Promise<boolean> {
  const { screen, signal } = session.context;
  const stop = new AbortController();
  session.signal = AbortSignal.any([signal, stop.signal]);
  session.conversation = withInputLine(session.conversation, text);
  try {
    const work = () => (isCommand(text) ? runReplCommand(text, session) : answerQuestion(text, session));
    return await keyboard.during(() => stop.abort(new KbError('aborted', 'Stopped.')), work);
  } catch (error) {
    screen.warn(isAbort(error) ? 'Stopped.' : wrapText(`Error: ${makePrintable(describe(error))}`, screen.columns));
    if (!isConversation()) process.exitCode = EXIT.failed;
    return true;
  } finally {
    if (text !== '/clear') storeConversation(session);
    keyboard.recall(session.conversation.asked);
  }
}

/** Assumed width of a terminal for excerpts, if unknown. */
const EXCERPT_COLUMNS = 200;

/** Lists the sources of an answer, each with its location and beginning. */
function showSourceList(sources: readonly Source[], session: Session): void {
  const { color, columns } = session.context.screen;
  for (const source of sources) {
    printMessage(session, sourceLine(source, { color, columns }, source.cited ? '' : ' (not cited)'));
    const excerpt = clip(excerptOf(source.text), (columns ?? EXCERPT_COLUMNS) * 2 - 8);
    printMessage(session, wrapSpans([{ text: excerpt, paint: color.dim }], { first: '    ', hang: '    ', columns }));
  }
  printMessage(session, color.dim(`/sources ${sources[0]!.citation} shows the whole passage.`));
}

function excerptOf(text: string): string {
  const flat = (part: string) => makePrintable(part).replace(/\s+/g, ' ').trim();
  return flat(text.replace(/^#{1,6}\s.*$/gm, '')) || flat(text);
}

function showPassage(sources: readonly Source[], citation: number, session: Session): void {
  const source = sources.find((other) => other.citation === citation);
  if (!source)
    throw new KbError('usage', `There is no source ${citation}: the last answer has ${sources.map((other) => other.citation).join(', ')}.`);
  const { screen } = session.context;
  printMessage(session, sourceLine(source, screen));
  const printer = markdownPrinter({ ...screen, write: screen.json ? screen.note : screen.write });
  printer.push(source.text.trim());
  printer.end();
}

interface Command {
  /** The argument, as /help shows it: `[N]`, `FILE`. */
  argument: string;
  /** Description in /help; absent if it is not listed. */
  summary?: string;
  /** Returns false to end the conversation. */
  run(argument: string, session: Session): void | false | Promise<void>;
}

/** Width of the column of names in /help. */
const NAME_COLUMNS = 20;

/** The commands of a conversation, by name. */
export const commands: Readonly<Record<string, Command>> = {
  '/sources': { argument: '[N]', summary: 'the passages behind the last answer; N in full', run: showSources },
  '/collection': { argument: '[NAME]', summary: 'which collection is asked; ask another one', run: switchCollection },
  '/model': { argument: '[NAME]', summary: 'who answers; choose another: MODEL, PROVIDER or PROVIDER/MODEL', run: switchModel },
  '/top-k': { argument: '[N]', summary: 'how many passages are looked for; look for N', run: setTopK },
  '/history': { argument: '[N]', summary: 'what was said; the last N turns', run: printHistory },
  '/clear': { argument: '', summary: 'forget this conversation, here and on disk', run: forgetConversation },
  '/save': {
    argument: 'FILE',
    summary: 'write the conversation as Markdown, or as JSON (.json); /save! overwrites',
    run: (name, session) => saveTranscript(name, session, false),
  },
  '/save!': { argument: 'FILE', run: (name, session) => saveTranscript(name, session, true) },
  '/help': { argument: '', summary: 'this', run: printHelp },
  '/exit': { argument: '', summary: 'leave (also /quit and Ctrl-D)', run: () => false },
  '/quit': { argument: '', run: () => false },
};

/** Whether a line is a command, or a misspelt one such as `/top_k 5`. Paths, fractions and routes (`/login?`) are not. */
export const isCommand = (line: string): boolean => /^\/[a-z][\w-]*!?(?:\s|$)/i.test(line) || splitGlued(line) !== undefined;

/**
 * Separates an argument from a command that it was typed against: `/save!talk.md`, `/sources2`, `/model=openai/gpt`. Undefined if the line is
 * no such command.
 */
function splitGlued(line: string): string | undefined {
  const name = Object.keys(commands).findLast((known) => line.startsWith(known)); // finds `/save!` before `/save`
  const rest = line.slice(name?.length);
  const isGlued = name !== undefined && (/^(?:[=:]|\d[^/]*$)/.test(rest) || (name.endsWith('!') && /^\S/.test(rest)));
  return isGlued ? `${name} ${rest.replace(/^[=:]/, '')}` : undefined;
}

/** Maps words that people type alone, to leave or for help, to commands; other lines stay. */
export const addSlash = (line: string): string => (/^(?:exit|quit|help)$/i.test(line) ? `/${line.toLowerCase()}` : line);

/** Runs a line. Returns false if it ends the conversation. Throws a KbError if it cannot be done. */
export async function runReplCommand(line: string, session: Session): Promise<boolean> {
  const [, name = '', argument = ''] = /^(\S+)\s*([^]*)$/.exec(line) ?? [];
  const command = Object.hasOwn(commands, name) ? commands[name] : undefined;
  if (command) return (await command.run(argument.trim(), session)) !== false;
  const meant = splitGlued(line) ?? findNearest(name, Object.keys(commands));
  printWrapped(
    session,
    `There is no ${makePrintable(name)}. ${meant ? `Did you mean ${makePrintable(meant)}?` : '/help shows what there is.'}`,
  );
  return true;
}

function printHelp(_argument: string, session: Session): void {
  const { columns } = session.context.screen;
  for (const [name, { argument, summary }] of Object.entries(commands)) {
    const first = `${name} ${argument}`.padEnd(NAME_COLUMNS);
    if (summary) printMessage(session, wrapSpans([{ text: summary, paint: unstyled }], { first, hang: ' '.repeat(NAME_COLUMNS), columns }));
  }
  printWrapped(session, '\nA line that ends in \\ goes on in the next one, and pasted lines are one question. Ctrl-C stops an answer.');
}

function showSources(argument: string, session: Session): void {
  const { turns } = session.conversation;
  const last = turns.at(-1)?.sources ?? [];
  if (last.length === 0)
    return printWrapped(session, turns.length === 0 ? 'There are no sources yet.' : 'The last answer used no sources.');
  if (argument) return showPassage(last, parseWholeNumber(argument, '/sources'), session);
  showSourceList(last, session);
}

function printHistory(argument: string, session: Session): void {
  const { turns } = session.conversation;
  if (turns.length === 0) return printWrapped(session, 'Nothing was said yet.');
  const { screen } = session.context;
  for (const { question, answer } of argument ? turns.slice(-parseWholeNumber(argument, '/history')) : turns) {
    printMessage(session, screen.color.bold(`› ${makePrintable(question)}`));
    const printer = markdownPrinter({ ...screen, write: screen.json ? screen.note : screen.write });
    printer.push(answer);
    printer.end();
    printMessage(session, '');
  }
}

function forgetConversation(_argument: string, session: Session): void {
  const remaining = session.memory.forget(collectionOf(session), session.conversation);
  session.conversation = newConversation();
  const others = remaining > 0 ? ` In the file ${count(remaining, 'turn')} of another kb chat ${remaining === 1 ? 'stays' : 'stay'}.` : '';
  printWrapped(session, `The conversation begins anew.${others}`);
}

function saveTranscript(name: string, session: Session, replaces: boolean): void {
  const { turns } = session.conversation;
  if (!name) throw new KbError('usage', 'Into which file?', { hint: 'For example /save talk.md.' });
  if (turns.length === 0) return printWrapped(session, 'There is nothing to save yet.');
  saveConversation(turns, collectionOf(session), { name, replaces });
  printWrapped(session, `Wrote ${count(turns.length, 'turn')} to ${name}.`);
}
