import { writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { extname, join, resolve } from 'node:path';
import { Chalk } from 'chalk';
import { KbError } from '../../core/errors.ts';
import { describeFileError } from '../../core/file-names.ts';
import { printable } from '../screen.ts';
import { sourceLine } from '../printers/show-answer.ts';
import type { ConversationTurn } from './conversation.ts';

/** A path as a shell would take it: `~/` is the home folder. */
export const transcriptPath = (name: string): string => (name.startsWith('~/') ? join(homedir(), name.slice(2)) : resolve(name));

const uncoloured = new Chalk({ level: 0 });

/** The collections that were asked, in their order; that of a turn which does not tell is `collection`. */
const collectionsOf = (turns: readonly ConversationTurn[], collection: string): string[] => [
  ...new Set(turns.map((turn) => turn.collection ?? collection)),
];

/** A conversation to read: Markdown, a question a heading, below each answer what it cites; where several collections were asked, with each turn's own. */
export function transcript(turns: readonly ConversationTurn[], collection: string): string {
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

/** Writes the conversation, for this user alone to read: as JSON where the name ends so, else as Markdown. Throws a KbError where there is such a file, unless it `replaces` that. */
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
