import { writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { extname, join, resolve } from 'node:path';
import { z } from 'zod';
import { Chalk } from 'chalk';
import { KbError } from '../../core/errors.ts';
import { describeFileError } from '../../core/file-names.ts';
import type { ChatResult } from '../../schema/answers.ts';
import { HistoryEntry, Source } from '../../schema/items.ts';
import { sourceLine } from '../printers/show-answer.ts';
import { makePrintable } from '../screen.ts';

const ConversationTurn = z.object({
  question: z.string(),
  answer: z.string(),
  sources: z.array(Source),
  collection: z.string().optional(),
});
/** A question with its answer, as it is stored. */
export type ConversationTurn = z.infer<typeof ConversationTurn>;

/** A conversation about a collection, as it is stored in a file. */
export const Conversation = z.object({
  /** History for the next turn; older turns in it may be a summary. */
  history: z.array(HistoryEntry),
  /** Turns to show and save, oldest first. */
  turns: z.array(ConversationTurn),
  /** Lines for the arrow keys, latest first. */
  asked: z.array(z.string()),
});
export type Conversation = z.infer<typeof Conversation>;

/** Mode of files that only this user may read. */
export const PRIVATE = { mode: 0o600 };

/** Maximum messages, turns, input lines and characters of a conversation. */
const LIMITS = { messages: 200, turns: 100, asked: 500, characters: 1_000_000 };

/** Makes an empty conversation. */
export const newConversation = (): Conversation => ({ history: [], turns: [], asked: [] });

/** Appends a turn; a turn without an answer changes nothing. */
export function withTurn(
  conversation: Conversation,
  { question, collection }: Pick<ConversationTurn, 'question' | 'collection'>,
  { answer, sources, history }: ChatResult,
): Conversation {
  if (answer === '') return conversation;
  return {
    ...conversation,
    history: history.slice(-LIMITS.messages),
    turns: limitTurns([...conversation.turns, { question, answer, sources, collection }]),
  };
}

function limitTurns(turns: readonly ConversationTurn[]): ConversationTurn[] {
  let characters = 0;
  const from = turns.findLastIndex((turn) => (characters += JSON.stringify(turn).length) > LIMITS.characters) + 1;
  return turns.slice(Math.max(0, Math.min(from, turns.length - 1), turns.length - LIMITS.turns));
}

/** Appends the turns of another conversation, whose input lines (`asked`) come first. */
export function joinTurns(conversation: Conversation, turns: readonly ConversationTurn[], asked: readonly string[]): Conversation {
  const messages = turns.flatMap(({ question, answer }): HistoryEntry[] => [
    { role: 'user', content: question },
    { role: 'assistant', content: answer },
  ]);
  return {
    history: [...conversation.history, ...messages].slice(-LIMITS.messages),
    turns: limitTurns([...conversation.turns, ...turns]),
    asked: [...new Set([...asked, ...conversation.asked])].slice(0, LIMITS.asked),
  };
}

/** Removes the turns and lines of one conversation from a file that holds several. */
export function withoutTurn(conversation: Conversation, removed: Conversation): Conversation {
  const keyOf = ({ question, answer }: ConversationTurn): string => JSON.stringify([question, answer]);
  const removedKeys = removed.turns.map(keyOf);
  const turns = conversation.turns.filter((turn) => {
    const place = removedKeys.indexOf(keyOf(turn));
    if (place >= 0) removedKeys.splice(place, 1);
    return place < 0;
  });
  const asked = turns.length > 0 ? conversation.asked.filter((line) => !removed.asked.includes(line)) : [];
  return joinTurns(newConversation(), turns, asked);
}

/** Adds an input line for the arrow keys, without newlines; a repeated line moves to the front. */
export function withInputLine(conversation: Conversation, text: string): Conversation {
  const line = text.replace(/\s+/g, ' ').trim();
  return { ...conversation, asked: [line, ...conversation.asked.filter((other) => other !== line)].slice(0, LIMITS.asked) };
}

/** Resolves a path as a shell does: `~/` is the home folder. */
export const transcriptPath = (name: string): string => (name.startsWith('~/') ? join(homedir(), name.slice(2)) : resolve(name));

const noColor = new Chalk({ level: 0 });

/** Lists the collections of the turns in order; `collection` is the default of a turn. */
const collectionsIn = (turns: readonly ConversationTurn[], collection: string): string[] => [
  ...new Set(turns.map((turn) => turn.collection ?? collection)),
];

/**
 * Writes a conversation as Markdown: each question as a heading, below each answer its cited sources, and the collection of each turn if
 * there are several.
 */
function formatTranscript(turns: readonly ConversationTurn[], collection: string): string {
  const asked = collectionsIn(turns, collection);
  const parts = turns.map(({ question, answer, sources, collection: own = collection }) => {
    const cited = sources
      .filter((source) => source.cited)
      .map((source) => `- ${sourceLine(source, { color: noColor, columns: undefined })}`);
    const below = cited.length > 0 ? [`Sources:\n\n${cited.join('\n')}`] : [];
    const about = asked.length > 1 ? [`Asked of ${own}:`] : [];
    return [`## ${makePrintable(question).replace(/(?<!\s)\s*\n\s*/g, ' ')}`, ...about, makePrintable(answer).trim(), ...below].join(
      '\n\n',
    );
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
  const text = isJson ? `${JSON.stringify({ collection, turns }, null, 2)}\n` : formatTranscript(turns, collection);
  try {
    writeFileSync(transcriptPath(name), text, { flag: replaces ? 'w' : 'wx', ...PRIVATE });
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException;
    if (code === 'EEXIST')
      throw new KbError('usage', `${name} exists already and was not changed.`, { hint: `/save! ${name} replaces it.`, cause });
    throw new KbError('invalid', `${name} can't be written: ${describeFileError(cause, 'write')}.`, { hint: 'Name another file.', cause });
  }
}
