import { writeFileSync, renameSync } from 'node:fs';
import { homedir } from 'node:os';
import { extname, join, resolve, dirname } from 'node:path';
import { z } from 'zod';
import { Chalk } from 'chalk';
import type { ChatResult } from '../../schema/answers.ts';
import { HistoryEntry, Source } from '../../schema/items.ts';
import { KbError } from '../../core/errors.ts';
import { describeFileError } from '../../core/file-names.ts';
import { printable } from '../screen.ts';
import { sourceLine } from '../printers/show-answer.ts';
import { hash } from '../../core/ids.ts';
import { storeUrl } from '../../engine/store-address.ts';
import type { CommandContext } from '../command-context.ts';
import { isDevice, makeFolder, replaceFile, targetOf, textIn, withFileLock } from './history-file.ts';

const ConversationTurn = z.object({
  question: z.string(),
  answer: z.string(),
  sources: z.array(Source),
  collection: z.string().optional(),
});
/** A question with its answer, as it is kept. */
export type ConversationTurn = z.infer<typeof ConversationTurn>;

/** A conversation about a collection, as it is kept in a file. */
export const Conversation = z.object({
  /** History for the next turn; older turns in it may be a summary. */
  history: z.array(HistoryEntry),
  /** Turns to show and save, oldest first. */
  turns: z.array(ConversationTurn),
  /** Lines for the arrow keys, latest first. */
  asked: z.array(z.string()),
});
export type Conversation = z.infer<typeof Conversation>;

/** Maximum messages, turns, lines and characters of a conversation. */
const KEPT = { messages: 200, turns: 100, asked: 500, characters: 1_000_000 };

/** Makes an empty conversation. */
export const newConversation = (): Conversation => ({ history: [], turns: [], asked: [] });

/** Appends a turn; a turn without an answer changes nothing. */
export function withTurn(
  talk: Conversation,
  { question, collection }: Pick<ConversationTurn, 'question' | 'collection'>,
  { answer, sources, history }: ChatResult,
): Conversation {
  if (answer === '') return talk;
  return { ...talk, history: history.slice(-KEPT.messages), turns: bounded([...talk.turns, { question, answer, sources, collection }]) };
}

function bounded(turns: readonly ConversationTurn[]): ConversationTurn[] {
  let characters = 0;
  const from = turns.findLastIndex((turn) => (characters += JSON.stringify(turn).length) > KEPT.characters) + 1;
  return turns.slice(Math.max(0, Math.min(from, turns.length - 1), turns.length - KEPT.turns));
}

/** Appends the turns of another conversation; the lines of that come first. */
export function joinTurns(talk: Conversation, turns: readonly ConversationTurn[], asked: readonly string[]): Conversation {
  const messages = turns.flatMap(({ question, answer }): HistoryEntry[] => [
    { role: 'user', content: question },
    { role: 'assistant', content: answer },
  ]);
  return {
    history: [...talk.history, ...messages].slice(-KEPT.messages),
    turns: bounded([...talk.turns, ...turns]),
    asked: [...new Set([...asked, ...talk.asked])].slice(0, KEPT.asked),
  };
}

/** Removes the turns and lines of one conversation from a file that several have written to. */
export function withoutTurn(talk: Conversation, gone: Conversation): Conversation {
  const keyOf = ({ question, answer }: ConversationTurn): string => JSON.stringify([question, answer]);
  const own = gone.turns.map(keyOf);
  const turns = talk.turns.filter((turn) => {
    const place = own.indexOf(keyOf(turn));
    if (place >= 0) own.splice(place, 1);
    return place < 0;
  });
  const asked = turns.length > 0 ? talk.asked.filter((line) => !gone.asked.includes(line)) : [];
  return joinTurns(newConversation(), turns, asked);
}

/** Adds a line for the arrow keys, without newlines; a repeated line moves to the front. */
export function withAsked(talk: Conversation, text: string): Conversation {
  const line = text.replace(/\s+/g, ' ').trim();
  return { ...talk, asked: [line, ...talk.asked.filter((other) => other !== line)].slice(0, KEPT.asked) };
}

/** Resolves a path as a shell does: `~/` is the home folder. */
export const transcriptPath = (name: string): string => (name.startsWith('~/') ? join(homedir(), name.slice(2)) : resolve(name));

const uncoloured = new Chalk({ level: 0 });

/** Lists the collections of the turns, in their order; `collection` is that of a turn which names none. */
const collectionsOf = (turns: readonly ConversationTurn[], collection: string): string[] => [
  ...new Set(turns.map((turn) => turn.collection ?? collection)),
];

/**
 * Writes a conversation as Markdown: each question as a heading, below each answer its cited sources, and the collection of each turn if
 * there are several.
 */
function transcript(turns: readonly ConversationTurn[], collection: string): string {
  const asked = collectionsOf(turns, collection);
  const parts = turns.map(({ question, answer, sources, collection: own = collection }) => {
    const cited = sources
      .filter((source) => source.cited)
      .map((source) => `- ${sourceLine(source, { color: uncoloured, columns: undefined })}`);
    const below = cited.length > 0 ? [`Sources:\n\n${cited.join('\n')}`] : [];
    const about = asked.length > 1 ? [`Asked of ${own}:`] : [];
    return [`## ${printable(question).replace(/(?<!\s)\s*\n\s*/g, ' ')}`, ...about, printable(answer).trim(), ...below].join('\n\n');
  });
  return `${[`# Conversation about ${asked.join(' and ')}`, ...parts].join('\n\n')}\n`;
}

/**
 * Saves the conversation, readable by this user only: as JSON if the name ends in .json, else as Markdown. Throws a KbError if the file
 * exists, unless `replaces` is set.
 */
export function saveConversation(
  turns: readonly ConversationTurn[],
  collection: string,
  { name, replaces }: { name: string; replaces: boolean },
): void {
  const isJson = extname(name).toLowerCase() === '.json';
  const text = isJson ? `${JSON.stringify({ collection, turns }, null, 2)}\n` : transcript(turns, collection);
  try {
    writeFileSync(transcriptPath(name), text, { flag: replaces ? 'w' : 'wx', mode: 0o600 });
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException;
    if (code === 'EEXIST')
      throw new KbError('usage', `${name} exists already and was not changed.`, { hint: `/save! ${name} replaces it.`, cause });
    throw new KbError('invalid', `${name} can't be written: ${describeFileError(cause, 'write')}.`, { hint: 'Name another file.', cause });
  }
}

const Kept = Conversation.extend({ version: z.literal(1), collection: z.string() });

/** Where conversations are kept, and how problems are reported. */
export interface MemoryOptions {
  /** Returns the file of a collection's conversation; undefined: nothing is kept. */
  fileOf(collection: string): string | undefined;
  /** Whether the user named the file; then a file that holds something else is left alone. */
  isNamed: boolean;
  warn(text: string): void;
}

/** Keeps conversations on this machine, readable by this user only. Problems with a file are reported once; the conversation goes on. */
export class Memory {
  readonly #options: MemoryOptions;
  /** Conversations without a file, while the program runs. */
  readonly #held = new Map<string, Conversation>();
  /** The contents of each file at the last look, and whether another program has written to it since. */
  readonly #seen = new Map<string, { text: string; isShared: boolean }>();
  /** Turns that are in a file, or were removed there. */
  readonly #kept = new WeakSet<ConversationTurn>();
  #isOff = false;

  constructor(options: MemoryOptions) {
    this.#options = options;
  }

  /** Whether one file holds the conversation for all collections. */
  get isNamed(): boolean {
    return this.#options.isNamed;
  }

  /** The file of the conversation; undefined if it is forgotten at the end. */
  fileOf(collection: string): string | undefined {
    return this.#isOff ? undefined : this.#options.fileOf(collection);
  }

  load(collection: string): Conversation {
    const file = this.fileOf(collection);
    if (file === undefined) return this.#held.get(collection) ?? newConversation();
    const text = this.#read(file);
    this.#seen.set(file, { text, isShared: false });
    if (!text.trim()) return newConversation();
    const kept = parseKept(text);
    if (!kept) this.#refuse(file);
    for (const turn of kept?.turns ?? []) this.#kept.add(turn);
    return kept ? { history: kept.history, turns: kept.turns, asked: kept.asked } : newConversation();
  }

  /** Writes the conversation atomically. If another one has written to the file since, the new turns are appended to its own. */
  keep(collection: string, talk: Conversation): void {
    this.#write(collection, talk, (file) => {
      const { there, isShared, kept } = this.#readAgain(file);
      const fresh = talk.turns.filter((turn) => !this.#kept.has(turn));
      const text = textOf(collection, isShared ? joinTurns(kept ?? newConversation(), fresh, talk.asked) : talk);
      if (text !== there) replaceFile(file, text);
      this.#seen.set(file, { text, isShared });
    });
    for (const turn of talk.turns) this.#kept.add(turn);
  }

  /** Removes the conversation here and from the file; returns the number of turns of other conversations that stay. */
  forget(collection: string, talk: Conversation): number {
    let left = 0;
    this.#write(collection, newConversation(), (file) => {
      const { isShared, kept } = this.#readAgain(file);
      const others = kept ? withoutTurn(kept, talk) : newConversation();
      const text = textOf(collection, others);
      replaceFile(file, text);
      this.#seen.set(file, { text, isShared });
      left = others.turns.length;
    });
    return left;
  }

  /** Reads the file, and the conversation in it if another program has written to it. Throws if that wrote something else. */
  #readAgain(file: string): { there: string; isShared: boolean; kept: Conversation | undefined } {
    const there = textIn(file);
    const seen = this.#seen.get(file);
    const isShared = seen?.isShared || (there !== '' && there !== seen?.text);
    const kept = isShared ? parseKept(there) : undefined;
    if (there.trim() !== '' && isShared && !kept) throw new Error('something else was written to it');
    return { there, isShared, kept };
  }

  #write(collection: string, talk: Conversation, work: (file: string) => void): void {
    this.#held.set(collection, talk);
    const file = this.fileOf(collection);
    if (file === undefined) return;
    try {
      makeFolder(dirname(file));
      withFileLock(targetOf(file), () => work(file));
    } catch (cause) {
      this.#turnOff(
        `The conversation can't be kept in ${file}: ${describeFileError(cause, 'write')}. It goes on, and is forgotten in the end.`,
      );
    }
  }

  #read(file: string): string {
    try {
      return textIn(file);
    } catch (cause) {
      this.#turnOff(`${file} can't be read: ${describeFileError(cause, 'read')}. This conversation is not kept.`);
      return '';
    }
  }

  #refuse(file: string): void {
    if (this.#options.isNamed)
      return this.#turnOff(`${file} holds no conversation of kb and stays as it is. This conversation is not kept.`);
    try {
      renameSync(file, `${file}.broken`);
      this.#options.warn(`The conversation kept in ${file} can't be read. It is set aside as ${file}.broken; a new one begins.`);
    } catch (cause) {
      this.#turnOff(`${file} can't be read nor set aside: ${describeFileError(cause, 'write')}. This conversation is not kept.`);
    }
  }

  #turnOff(reason: string): void {
    this.#isOff = true;
    this.#options.warn(reason);
  }
}

const textOf = (collection: string, talk: Conversation): string => `${JSON.stringify({ version: 1, collection, ...talk })}\n`;

function parseKept(text: string): z.infer<typeof Kept> | undefined {
  try {
    return Kept.parse(JSON.parse(text));
  } catch {
    return undefined;
  }
}

/**
 * Opens the memory of conversations: the file of `--history-file`, else, on a terminal, a file for each store and collection under
 * XDG_STATE_HOME. Piped input has no memory, so that the same questions get the same answers. If `--history-file` names a device, such as
 * /dev/null, nothing is kept.
 */
export function memoryOf(
  { engine, loaded, flags, screen }: CommandContext,
  { isTerminal, warn = screen.warn }: { isTerminal: boolean; warn?: (text: string) => void },
): Memory {
  const given = flags['history-file'] as string | undefined;
  const keepsNothing = Boolean(flags['no-history']) || (given !== undefined && isDevice(given));
  const named = keepsNothing ? undefined : given;
  const { storage } = engine.config;
  const store = hash(storage.vector_db, storeUrl(storage, loaded.home)).slice(0, 16);
  const state = process.env.XDG_STATE_HOME || join(homedir(), '.local', 'state');
  const isKept = !keepsNothing && isTerminal;
  return new Memory({
    fileOf: (collection) => (named ? resolve(named) : isKept ? join(state, 'kb', 'chat', store, `${collection}.json`) : undefined),
    isNamed: named !== undefined,
    warn,
  });
}
