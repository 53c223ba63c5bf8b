import { mergeLayers, settingsIn, type Layer } from '../../core/settings.ts';
import { settle } from '../../core/run.ts';
import { searchedCollections } from '../../engine/permissions.ts';
import { operations } from '../../schema/operations.ts';
import type { Config } from '../../schema/config.ts';
import type { CommandContext } from '../command-context.ts';
import { wrappedText } from '../markdown/flow.ts';
import { printable } from '../screen.ts';
import { newConversation, type Conversation } from './conversation.ts';
import type { Memory } from './memory.ts';

/** What the conversation's own commands have chosen, in the words of a request. */
interface Choices {
  collection?: string | undefined;
  llm_provider?: Config['chat']['llm']['provider'] | undefined;
  llm_model?: string | undefined;
  top_k?: number | undefined;
}

/** A conversation under way. */
export interface Session {
  desk: CommandContext;
  /** What the command line says about every question. */
  request: Record<string, unknown>;
  chosen: Choices;
  memory: Memory;
  talk: Conversation;
  /** Stops what is being done now. */
  signal: AbortSignal;
}

/** Opens the conversation about the configured collection where it was left. */
export function openSession(desk: CommandContext, request: Record<string, unknown>, memory: Memory): Session {
  const session: Session = { desk, request, memory, chosen: {}, talk: newConversation(), signal: desk.signal };
  session.talk = memory.load(collectionOf(session));
  return session;
}

/** The settings that the next question is answered with. */
export function settingsOf({ desk, request, chosen }: Session): Config {
  return mergeLayers(
    desk.engine.config as unknown as Layer,
    settingsIn(operations.chat.input, { ...request, ...chosen }),
  ) as unknown as Config;
}

/** What is asked: one collection, or several with commas between them. */
export const collectionOf = (session: Session): string =>
  searchedCollections({ ...session.request, ...session.chosen }, settingsOf(session)).join(',');

/** Takes over choices. Throws a KbError, and changes nothing, where they do not fit. */
export function chooseSettings(session: Session, choices: Choices): void {
  const chosen = { ...session.chosen, ...choices };
  session.desk.engine.check('chat', { ...session.request, ...chosen, query: '' });
  session.chosen = chosen;
}

/** The names of the collections that there are. */
export async function collectionNames({ desk, signal }: Pick<Session, 'desk' | 'signal'>): Promise<string[]> {
  const { collections } = await settle(desk.engine.run('list_collections', {}, { signal }));
  return collections.map(({ name }) => printable(name));
}

/** Says something beside the answers: on standard output, but for `--json`, where that holds results alone. */
export const say = ({ desk: { screen } }: Session, text: string): void => (screen.json ? screen.note(text) : screen.print(text));

/** Says a sentence, broken where the terminal ends. */
export const tell = (session: Session, text: string): void => say(session, wrappedText(text, session.desk.screen.columns));

export const keep = (session: Session): void => session.memory.keep(collectionOf(session), session.talk);
