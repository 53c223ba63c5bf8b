import { mergeLayers, readOverrides, type Layer } from '../../core/settings.ts';
import { settle } from '../../core/run.ts';
import { searchedCollections } from '../../engine/permissions.ts';
import { operations } from '../../schema/operations.ts';
import type { Config } from '../../schema/config.ts';
import type { CommandContext } from '../command-context.ts';
import { wrapText } from '../markdown/line-wrapper.ts';
import { makePrintable } from '../screen.ts';
import { newConversation, type Conversation, withInputLine, withTurn } from './conversation.ts';
import { type ConversationMemory, openConversationMemory } from './conversation-memory.ts';
import { KbError } from '../../core/errors.ts';
import { findNearest, didYouMean } from '../../core/nearest.ts';
import { resolveAccess } from '../../drivers/providers/access.ts';
import { LlmConfig } from '../../schema/config-chat.ts';
import { count } from '../../text/count.ts';
import type { ChatResult } from '../../schema/answers.ts';
import { EXIT } from '../failure.ts';
import { showProgress } from '../progress.ts';
import { answerPrinter } from '../printers/show-answer.ts';

/** Choices made by commands in the conversation, as fields of a request. */
interface Choices {
  collection?: string | undefined;
  llm_provider?: Config['chat']['llm']['provider'] | undefined;
  llm_model?: string | undefined;
  top_k?: number | undefined;
}

/** A running conversation. */
export interface Session {
  context: CommandContext;
  /** Request fields that the command line gives for every question. */
  request: Record<string, unknown>;
  choices: Choices;
  memory: ConversationMemory;
  conversation: Conversation;
  /** Stops the current work. */
  signal: AbortSignal;
}

/** Opens the conversation about the configured collection, with its stored turns. */
export function openSession(context: CommandContext, request: Record<string, unknown>, memory: ConversationMemory): Session {
  const session: Session = { context, request, memory, choices: {}, conversation: newConversation(), signal: context.signal };
  session.conversation = memory.load(collectionOf(session));
  return session;
}

/** Merges the configuration with the choices, for the next question. */
export function settingsOf({ context, request, choices }: Session): Config {
  return mergeLayers(
    context.engine.config as unknown as Layer,
    readOverrides(operations.chat.input, { ...request, ...choices }),
  ) as unknown as Config;
}

/** Names the collections that are asked, separated by commas. */
export const collectionOf = (session: Session): string =>
  searchedCollections({ ...session.request, ...session.choices }, settingsOf(session)).join(',');

/** Applies choices. Throws a KbError, and changes nothing, if they are invalid. */
function chooseSettings(session: Session, choices: Choices): void {
  const merged = { ...session.choices, ...choices };
  session.context.engine.check('chat', { ...session.request, ...merged, query: '' });
  session.choices = merged;
}

/** Lists the names of the existing collections. */
export async function collectionNames({ context, signal }: Pick<Session, 'context' | 'signal'>): Promise<string[]> {
  const { collections } = await settle(context.engine.run('list_collections', {}, { signal }));
  return collections.map(({ name }) => makePrintable(name));
}

/** Prints a message of the program: on standard output, or with `--json` on standard error. */
export const printMessage = ({ context: { screen } }: Session, text: string): void =>
  screen.json ? screen.note(text) : screen.print(text);

/** Prints a message of the program, wrapped to the terminal. */
export const printWrapped = (session: Session, text: string): void => printMessage(session, wrapText(text, session.context.screen.columns));

/** Saves the conversation. */
export const storeConversation = (session: Session): void => session.memory.keep(collectionOf(session), session.conversation);

/** Names of the language model providers. */
export const modelProviders: readonly string[] = LlmConfig.shape.provider.options;

/** Runs `/collection [NAME]`. Each collection has its own conversation, unless the user named the file for all. */
export async function switchCollection(name: string, session: Session): Promise<void> {
  const names = await collectionNames(session);
  if (!name) {
    const others = names.filter((other) => other !== collectionOf(session));
    return printWrapped(
      session,
      `Questions go to "${collectionOf(session)}".${others.length > 0 ? ` Other collections: ${others.join(', ')}.` : ''}`,
    );
  }
  if (!names.includes(name)) {
    const hint = didYouMean(name, names) ?? (names.length > 0 ? `Collections: ${names.join(', ')}.` : 'There are none yet.');
    throw new KbError('not_found', `There is no collection "${makePrintable(name)}".`, { hint });
  }
  chooseSettings(session, { collection: name });
  if (!session.memory.isNamed) session.conversation = session.memory.load(name);
  printWrapped(session, `Ask about "${name}".${continuationNote(session)}`);
}

/** Writes a sentence about the number of stored turns; empty if there are none. */
export const continuationNote = ({ conversation: { turns } }: Session): string =>
  turns.length > 0 ? ` The conversation goes on after ${count(turns.length, 'turn')}; /clear begins anew.` : '';

/** Runs `/model [NAME]`. Throws a KbError that says what is missing if the model cannot be called. */
export function switchModel(name: string, session: Session): void {
  if (name) {
    const choice = parseModelChoice(name, settingsOf(session).chat.llm.provider);
    assertModelUsable({ ...settingsOf(session).chat.llm, provider: choice.llm_provider, model: choice.llm_model }, session);
    chooseSettings(session, choice);
  }
  const { provider, model: chosen } = settingsOf(session).chat.llm;
  printWrapped(
    session,
    `Answers come from ${provider}${chosen ? ` / ${makePrintable(chosen)}` : provider === 'local' ? '' : ', its default model'}.`,
  );
}

/** Throws the KbError with which the next question would fail: the key, the address or the name of the model is missing. */
function assertModelUsable({ provider, model, options }: LlmConfig, { context }: Session): void {
  if (provider !== 'local') resolveAccess({ provider, model, options, env: context.loaded.environment }, 'llm');
}

function parseModelChoice(
  name: string,
  current: LlmConfig['provider'],
): { llm_provider: LlmConfig['provider']; llm_model: string | undefined } {
  const [first = '', ...rest] = name.split('/');
  const isNamed = modelProviders.includes(first);
  const llm_provider = isNamed ? (first as LlmConfig['provider']) : current;
  const llm_model = (isNamed ? rest.join('/') : name) || undefined;
  if (llm_provider !== 'local' || !llm_model) return { llm_provider, llm_model };
  const meant = isNamed ? undefined : findNearest(first, modelProviders);
  throw new KbError(
    'usage',
    `local quotes the sources and has no models${isNamed ? '' : `, and "${makePrintable(name)}" is no provider`}.`,
    {
      hint: meant ? `Did you mean ${meant}?` : `Providers are ${modelProviders.join(', ')}: /model PROVIDER/MODEL.`,
    },
  );
}

/** Runs `/top-k [N]`. */
export function setTopK(argument: string, session: Session): void {
  if (argument) chooseSettings(session, { top_k: parseWholeNumber(argument, '/top-k') });
  printWrapped(session, `Each question looks for ${count(settingsOf(session).retrieval.top_k, 'passage')}.`);
}

/** Parses the number of a command, from 1. Throws a KbError for anything else. */
export function parseWholeNumber(text: string, command: string): number {
  if (/^[1-9]\d{0,5}$/.test(text)) return Number(text);
  throw new KbError('usage', `${command} takes a whole number from 1, not "${makePrintable(text)}".`);
}

/**
 * Answers a question, and adds the turn to the conversation. From the second turn on, the question is rewritten for the search, unless the
 * configuration says otherwise.
 */
export async function askTurn(question: string, session: Session): Promise<ChatResult> {
  const { context, request, choices, conversation, signal } = session;
  const { engine, screen } = context;
  const enabled = settingsOf(session).chat.query_rewrite.enabled ?? conversation.history.length > 0;
  const printer = answerPrinter(screen);
  try {
    const turn = { query_rewrite: { enabled }, ...request, ...choices, query: question, history: conversation.history };
    const result = await showProgress(engine.run('chat', turn, { signal }), { screen, onEvent: printer.onEvent });
    if (screen.json) screen.printJson(result);
    else printer.result(result);
    if (printer.hasFailed(result)) process.exitCode = EXIT.failed;
    session.conversation = withTurn(conversation, { question, collection: collectionOf(session) }, result);
    return result;
  } finally {
    if (!screen.json) printer.end();
  }
}

/**
 * Answers one question as the next turn of the conversation in `--history-file`. Throws a KbError if the file cannot be read or written, or
 * holds something else: a script would not notice that the history is missing.
 */
export async function askWithHistoryFile(context: CommandContext, request: Record<string, unknown>, question: string): Promise<void> {
  const warn = (text: string): never => {
    throw new KbError('configuration', text, { hint: 'Name another file with --history-file, or leave it out.' });
  };
  const session = openSession(context, request, openConversationMemory(context, { isTerminal: false, warn }));
  session.conversation = withInputLine(session.conversation, question);
  const { errors, answer } = await askTurn(question, session);
  if (errors.some(({ stage }) => stage === 'validate')) process.exitCode = EXIT.usage;
  else if (answer !== '') storeConversation(session);
}
