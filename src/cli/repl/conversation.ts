import { writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { extname, join, resolve } from 'node:path';
import { z } from 'zod';
import { Chalk } from 'chalk';
import type { ChatResult } from '../../schema/answers.ts';
import { HistoryEntry, Source } from '../../schema/items.ts';
import { KbError } from '../../core/errors.ts';
import { describeFileError } from '../../core/file-names.ts';
import { printable } from '../screen.ts';
import { sourceLine } from '../printers/show-answer.ts';

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
export function together(talk: Conversation, turns: readonly ConversationTurn[], asked: readonly string[]): Conversation {
  const said = turns.flatMap(({ question, answer }): HistoryEntry[] => [
    { role: 'user', content: question },
    { role: 'assistant', content: answer },
  ]);
  return {
    history: [...talk.history, ...said].slice(-KEPT.messages),
    turns: bounded([...talk.turns, ...turns]),
    asked: [...new Set([...asked, ...talk.asked])].slice(0, KEPT.asked),
  };
}

/** Removes the turns and lines of one conversation from a file that several have written to. */
export function withoutTurn(talk: Conversation, gone: Conversation): Conversation {
  const said = ({ question, answer }: ConversationTurn): string => JSON.stringify([question, answer]);
  const own = gone.turns.map(said);
  const turns = talk.turns.filter((turn) => {
    const place = own.indexOf(said(turn));
    if (place >= 0) own.splice(place, 1);
    return place < 0;
  });
  const asked = turns.length > 0 ? talk.asked.filter((line) => !gone.asked.includes(line)) : [];
  return together(newConversation(), turns, asked);
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
