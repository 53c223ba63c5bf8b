import { renameSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { z } from 'zod';
import { describeFileError } from '../../core/file-names.ts';
import { hash } from '../../core/ids.ts';
import { replaceFileSync } from '../../core/replace-file.ts';
import { userFolder } from '../../core/user-folders.ts';
import { storeUrl } from '../../engine/store-address.ts';
import { toSummary } from '../../stages/chat/dialogue/history.ts';
import type { CommandContext } from '../command-context.ts';
import { isDevice, makeFolder, readTextIfPresent, resolveLink, withFileLock } from '../locked-file.ts';
import { Conversation, type ConversationTurn, joinTurns, newConversation, PRIVATE, withoutTurn } from './conversation.ts';

const ConversationFile = Conversation.extend({ version: z.literal(1), collection: z.string() });

/** Where conversations are stored, and how problems are reported. */
export interface MemoryOptions {
  /** Returns the file of a collection's conversation; undefined if it is not stored. */
  fileOf(collection: string): string | undefined;
  /** Whether the user named the file. A file with other contents is then left alone. */
  isNamed: boolean;
  warn(text: string): void;
}

/** Stores conversations on this machine, readable by this user only. Problems with a file are reported once; the conversation continues. */
export class ConversationMemory {
  readonly #options: MemoryOptions;
  /** Conversations of this program, also those without a file. */
  readonly #inMemory = new Map<string, Conversation>();
  /** The last known contents of each file, and whether another program has written to it. */
  readonly #lastSeen = new Map<string, { text: string; isShared: boolean }>();
  /** Turns that were written to a file, even if they were removed from it. */
  readonly #savedTurns = new WeakSet<ConversationTurn>();
  #isOff = false;

  constructor(options: MemoryOptions) {
    this.#options = options;
  }

  /** Whether one file holds the conversation about all collections. */
  get isNamed(): boolean {
    return this.#options.isNamed;
  }

  /** Returns the file of the conversation; undefined if it is not stored. */
  fileOf(collection: string): string | undefined {
    return this.#isOff ? undefined : this.#options.fileOf(collection);
  }

  load(collection: string): Conversation {
    const file = this.fileOf(collection);
    if (file === undefined) return this.#inMemory.get(collection) ?? newConversation();
    const text = this.#read(file);
    this.#lastSeen.set(file, { text, isShared: false });
    if (!text.trim()) return newConversation();
    const kept = parseConversationFile(text);
    if (!kept) this.#setAside(file);
    for (const turn of kept?.turns ?? []) this.#savedTurns.add(turn);
    return kept ? { history: kept.history, turns: kept.turns, asked: kept.asked } : newConversation();
  }

  /** Writes the conversation atomically. If another program has written to the file, the new turns are appended to its turns. */
  keep(collection: string, conversation: Conversation): void {
    this.#write(collection, conversation, (file) => {
      const { current, isShared, kept } = this.#readAgain(file);
      const newTurns = conversation.turns.filter((turn) => !this.#savedTurns.has(turn));
      const text = serializeConversation(
        collection,
        isShared ? joinTurns(kept ?? newConversation(), newTurns, conversation.asked) : conversation,
      );
      if (text !== current) replaceFileSync(resolveLink(file), text, PRIVATE);
      this.#lastSeen.set(file, { text, isShared });
    });
    for (const turn of conversation.turns) this.#savedTurns.add(turn);
  }

  /** Removes the conversation, also from the file. Returns the number of turns of other conversations that stay there. */
  forget(collection: string, conversation: Conversation): number {
    let remaining = 0;
    this.#write(collection, newConversation(), (file) => {
      const { isShared, kept } = this.#readAgain(file);
      const others = kept ? withoutTurn(kept, conversation) : newConversation();
      const text = serializeConversation(collection, others);
      replaceFileSync(resolveLink(file), text, PRIVATE);
      this.#lastSeen.set(file, { text, isShared });
      remaining = others.turns.length;
    });
    return remaining;
  }

  /** Reads the file, and parses its conversation if another program has written to it. Throws if it wrote something else. */
  #readAgain(file: string): { current: string; isShared: boolean; kept: Conversation | undefined } {
    const current = readTextIfPresent(file);
    const seen = this.#lastSeen.get(file);
    const isShared = seen?.isShared || (current !== '' && current !== seen?.text);
    const kept = isShared ? parseConversationFile(current) : undefined;
    if (current.trim() !== '' && isShared && !kept) throw new Error('something else was written to it');
    return { current, isShared, kept };
  }

  #write(collection: string, conversation: Conversation, work: (file: string) => void): void {
    this.#inMemory.set(collection, conversation);
    const file = this.fileOf(collection);
    if (file === undefined) return;
    try {
      makeFolder(dirname(file));
      withFileLock(resolveLink(file), () => work(file));
    } catch (cause) {
      this.#turnOff(
        `The conversation can't be kept in ${file}: ${describeFileError(cause, 'write')}. It goes on, and is forgotten in the end.`,
      );
    }
  }

  #read(file: string): string {
    try {
      return readTextIfPresent(file);
    } catch (cause) {
      this.#turnOff(`${file} can't be read: ${describeFileError(cause, 'read')}. This conversation is not kept.`);
      return '';
    }
  }

  #setAside(file: string): void {
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

const serializeConversation = (collection: string, conversation: Conversation): string =>
  `${JSON.stringify({ version: 1, collection, ...conversation })}\n`;

/** A message of a list that another program wrote; further keys are ignored. */
const ListedMessage = z.object({ role: z.enum(['user', 'assistant', 'system']), content: z.string() });

/** Makes a conversation of a plain list of messages. A message of the role system, such as a summary, is part of the history. */
function conversationOf(messages: readonly z.infer<typeof ListedMessage>[]): Conversation {
  const history = messages.map(({ role, content }) => (role === 'system' ? toSummary(content) : { role, content }));
  const turns = messages.flatMap(({ role, content }, i): ConversationTurn[] =>
    role === 'user' && messages[i + 1]?.role === 'assistant' ? [{ question: content, answer: messages[i + 1]!.content, sources: [] }] : [],
  );
  return { ...newConversation(), history, turns };
}

/** Parses a conversation of kb, or a list of messages. Undefined if the text is neither. */
function parseConversationFile(text: string): Conversation | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return Array.isArray(value) ? conversationOf(z.array(ListedMessage).parse(value)) : ConversationFile.parse(value);
  } catch {
    return undefined;
  }
}

/**
 * Opens the memory of conversations: the file of `--history-file`, else, on a terminal, one file per store and collection under
 * XDG_STATE_HOME. Piped input is not stored, so that the same questions get the same answers. Nor is anything if `--history-file` names a
 * device, such as /dev/null.
 */
export function openConversationMemory(
  { engine, loaded, flags, screen }: CommandContext,
  { isTerminal, warn = screen.warn }: { isTerminal: boolean; warn?: (text: string) => void },
): ConversationMemory {
  const given = flags['history-file'] as string | undefined;
  const keepsNothing = Boolean(flags['no-history']) || (given !== undefined && isDevice(given));
  const named = keepsNothing ? undefined : given;
  const { storage } = engine.config;
  const store = hash(storage.vector_db, storeUrl(storage, loaded.home)).slice(0, 16);
  const isKept = !keepsNothing && isTerminal;
  return new ConversationMemory({
    fileOf: (collection) => (named ? resolve(named) : isKept ? join(userFolder('state'), 'chat', store, `${collection}.json`) : undefined),
    isNamed: named !== undefined,
    warn,
  });
}
