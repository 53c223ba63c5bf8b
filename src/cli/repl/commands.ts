import { KbError } from '../../core/errors.ts';
import type { Source } from '../../schema/items.ts';
import { clipped, folded, plain } from '../markdown/flow.ts';
import { printable } from '../screen.ts';
import { markdownPrinter, sourceLine } from '../printers/show-answer.ts';
import { collectionOf, say, type Session, tell, collection, model, topK, wholeNumber } from './session.ts';
import { nearest } from '../../core/nearest.ts';
import { count } from '../../text/count.ts';
import { newConversation, saveConversation } from './conversation.ts';

/** Characters of a passage in a list, where no terminal says how many there is room for. */
const EXCERPT = 200;

/** The passages that an answer was built from, each with its place and its beginning. */
function showSourceList(sources: readonly Source[], session: Session): void {
  const { color, columns } = session.context.screen;
  for (const source of sources) {
    say(session, sourceLine(source, { color, columns }, source.cited ? '' : ' (not cited)'));
    const excerpt = clipped(beginningOf(source.text), (columns ?? EXCERPT) * 2 - 8);
    say(session, folded([{ text: excerpt, paint: color.dim }], { first: '    ', hang: '    ', columns }));
  }
  say(session, color.dim(`/sources ${sources[0]!.citation} shows the whole passage.`));
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
  say(session, sourceLine(source, screen));
  const printer = markdownPrinter({ ...screen, write: screen.json ? screen.note : screen.write });
  printer.push(source.text.trim());
  printer.end();
}

interface Command {
  /** What follows the name: `[N]`, `FILE`. */
  argument: string;
  /** Line in /help; absent if it is not listed. */
  summary?: string;
  /** False where it leaves the conversation. */
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

/** Whether a line is one of them, or means to be, as `/top_k 5`: a path, a fraction or a route with a mark behind it (`/login?`) is none. */
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
export const meantBy = (line: string): string => (/^(?:exit|quit|help)$/i.test(line) ? `/${line.toLowerCase()}` : line);

/** Runs a line. Returns false if it ends the conversation. Throws a KbError if it cannot be done. */
export async function runReplCommand(line: string, session: Session): Promise<boolean> {
  const [, name = '', argument = ''] = /^(\S+)\s*([^]*)$/.exec(line) ?? [];
  const command = Object.hasOwn(commands, name) ? commands[name] : undefined;
  if (command) return (await command.run(argument.trim(), session)) !== false;
  const meant = glued(line) ?? nearest(name, Object.keys(commands));
  tell(session, `There is no ${printable(name)}. ${meant ? `Did you mean ${printable(meant)}?` : '/help shows what there is.'}`);
  return true;
}

function help(_argument: string, session: Session): void {
  const { columns } = session.context.screen;
  for (const [name, { argument, summary }] of Object.entries(commands)) {
    const first = `${name} ${argument}`.padEnd(NAMES);
    if (summary) say(session, folded([{ text: summary, paint: plain }], { first, hang: ' '.repeat(NAMES), columns }));
  }
  tell(session, '\nA line that ends in \\ goes on in the next one, and pasted lines are one question. Ctrl-C stops an answer.');
}

function showSources(argument: string, session: Session): void {
  const { turns } = session.talk;
  const last = turns.at(-1)?.sources ?? [];
  if (last.length === 0) return tell(session, turns.length === 0 ? 'There are no sources yet.' : 'The last answer used no sources.');
  if (argument) return showPassage(last, wholeNumber(argument, '/sources'), session);
  showSourceList(last, session);
}

function history(argument: string, session: Session): void {
  const { turns } = session.talk;
  if (turns.length === 0) return tell(session, 'Nothing was said yet.');
  const { screen } = session.context;
  for (const { question, answer } of argument ? turns.slice(-wholeNumber(argument, '/history')) : turns) {
    say(session, screen.color.bold(`› ${printable(question)}`));
    const printer = markdownPrinter({ ...screen, write: screen.json ? screen.note : screen.write });
    printer.push(answer);
    printer.end();
    say(session, '');
  }
}

function clear(_argument: string, session: Session): void {
  const left = session.memory.forget(collectionOf(session), session.talk);
  session.talk = newConversation();
  const others = left > 0 ? ` In the file ${count(left, 'turn')} of another kb chat ${left === 1 ? 'stays' : 'stay'}.` : '';
  tell(session, `The conversation begins anew.${others}`);
}

function save(name: string, session: Session, replaces: boolean): void {
  const { turns } = session.talk;
  if (!name) throw new KbError('usage', 'Into which file?', { hint: 'For example /save talk.md.' });
  if (turns.length === 0) return tell(session, 'There is nothing to save yet.');
  saveConversation(turns, collectionOf(session), { name, replaces });
  tell(session, `Wrote ${count(turns.length, 'turn')} to ${name}.`);
}
