import { mergeLayers, readOverrides, type Layer } from '../../core/settings.ts';
import { settle } from '../../core/run.ts';
import { searchedCollections } from '../../engine/permissions.ts';
import { operations } from '../../schema/operations.ts';
import type { Config } from '../../schema/config.ts';
import type { CommandContext } from '../command-context.ts';
import { wrapText } from '../markdown/flow.ts';
import { printable } from '../screen.ts';
import { newConversation, type Conversation, withAsked, withTurn, type Memory, memoryOf } from './conversation.ts';
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
  chosen: Choices;
  memory: Memory;
  talk: Conversation;
  /** Stops the current work. */
  signal: AbortSignal;
}

/** Opens the conversation about the configured collection, with its kept turns. */
export function openSession(context: CommandContext, request: Record<string, unknown>, memory: Memory): Session {
  const session: Session = { context, request, memory, chosen: {}, talk: newConversation(), signal: context.signal };
  session.talk = memory.load(collectionOf(session));
  return session;
}

/** Merges the configuration with the choices, for the next question. */
export function settingsOf({ context, request, chosen }: Session): Config {
  return mergeLayers(
    context.engine.config as unknown as Layer,
    readOverrides(operations.chat.input, { ...request, ...chosen }),
  ) as unknown as Config;
}

/** Names what is asked: one collection, or several separated by commas. */
export const collectionOf = (session: Session): string =>
  searchedCollections({ ...session.request, ...session.chosen }, settingsOf(session)).join(',');

/** Applies choices. Throws a KbError, and changes nothing, if they are invalid. */
function chooseSettings(session: Session, choices: Choices): void {
  const chosen = { ...session.chosen, ...choices };
  session.context.engine.check('chat', { ...session.request, ...chosen, query: '' });
  session.chosen = chosen;
}

/** Lists the names of the existing collections. */
export async function collectionNames({ context, signal }: Pick<Session, 'context' | 'signal'>): Promise<string[]> {
  const { collections } = await settle(context.engine.run('list_collections', {}, { signal }));
  return collections.map(({ name }) => printable(name));
}

/** Prints a text beside the answers: on standard output, or on standard error with `--json`. */
export const printBeside = ({ context: { screen } }: Session, text: string): void => (screen.json ? screen.note(text) : screen.print(text));

/** Prints a text beside the answers, wrapped to the terminal. */
export const printWrapped = (session: Session, text: string): void => printBeside(session, wrapText(text, session.context.screen.columns));

/** Saves the conversation. */
export const keep = (session: Session): void => session.memory.keep(collectionOf(session), session.talk);

/** Names of the language model providers. */
export const modelProviders: readonly string[] = LlmConfig.shape.provider.options;

/** `/collection [NAME]`: each collection has a conversation of its own, unless the user named the file that keeps it. */
export async function collection(name: string, session: Session): Promise<void> {
  const names = await collectionNames(session);
  if (!name) {
    const others = names.filter((other) => other !== collectionOf(session));
    return printWrapped(
      session,
      `Questions go to «${collectionOf(session)}».${others.length > 0 ? ` Other collections: ${others.join(', ')}.` : ''}`,
    );
  }
  if (!names.includes(name)) {
    const hint = didYouMean(name, names) ?? (names.length > 0 ? `Collections: ${names.join(', ')}.` : 'There are none yet.');
    throw new KbError('not_found', `There is no collection «${printable(name)}».`, { hint });
  }
  chooseSettings(session, { collection: name });
  if (!session.memory.isNamed) session.talk = session.memory.load(name);
  printWrapped(session, `Ask about «${name}».${continuesConversation(session)}`);
}

/** Says in a sentence how many kept turns the conversation has; empty if none. */
export const continuesConversation = ({ talk: { turns } }: Session): string =>
  turns.length > 0 ? ` The conversation goes on after ${count(turns.length, 'turn')}; /clear begins anew.` : '';

/** `/model [NAME]`. Throws a KbError that says what is missing if the model cannot be called. */
export function model(name: string, session: Session): void {
  if (name) {
    const chosen = chosenModel(name, settingsOf(session).chat.llm.provider);
    assertReachable({ ...settingsOf(session).chat.llm, provider: chosen.llm_provider, model: chosen.llm_model });
    chooseSettings(session, chosen);
  }
  const { provider, model: chosen } = settingsOf(session).chat.llm;
  printWrapped(
    session,
    `Answers come from ${provider}${chosen ? ` / ${printable(chosen)}` : provider === 'local' ? '' : ', its default model'}.`,
  );
}

/** Throws the KbError with which the next question would fail: a key, an address or the name of a model is missing. */
function assertReachable(llm: LlmConfig): void {
  if (llm.provider !== 'local') resolveAccess({ provider: llm.provider, model: llm.model, options: llm.options }, 'llm');
}

function chosenModel(name: string, current: LlmConfig['provider']): { llm_provider: LlmConfig['provider']; llm_model: string | undefined } {
  const [first = '', ...rest] = name.split('/');
  const isNamed = modelProviders.includes(first);
  const llm_provider = isNamed ? (first as LlmConfig['provider']) : current;
  const llm_model = (isNamed ? rest.join('/') : name) || undefined;
  if (llm_provider !== 'local' || !llm_model) return { llm_provider, llm_model };
  const meant = isNamed ? undefined : findNearest(first, modelProviders);
  throw new KbError('usage', `local quotes the sources and has no models${isNamed ? '' : `, and «${printable(name)}» is no provider`}.`, {
    hint: meant ? `Did you mean ${meant}?` : `Providers are ${modelProviders.join(', ')}: /model PROVIDER/MODEL.`,
  });
}

/** `/top-k [N]`. */
export function topK(argument: string, session: Session): void {
  if (argument) chooseSettings(session, { top_k: wholeNumber(argument, '/top-k') });
  printWrapped(session, `Each question looks for ${count(settingsOf(session).retrieval.top_k, 'passage')}.`);
}

/** Parses the number of a command, from 1. Throws a KbError for anything else. */
export function wholeNumber(text: string, command: string): number {
  if (/^[1-9]\d{0,5}$/.test(text)) return Number(text);
  throw new KbError('usage', `${command} takes a whole number from 1, not «${printable(text)}».`);
}

/**
 * Answers a question as a turn of the conversation, and adds it. From the second turn on the question is rewritten for the search, unless
 * the configuration decides that.
 */
export async function askTurn(question: string, session: Session): Promise<ChatResult> {
  const { context, request, chosen, talk, signal } = session;
  const { engine, screen } = context;
  const enabled = settingsOf(session).chat.query_rewrite.enabled ?? talk.history.length > 0;
  const printer = answerPrinter(screen);
  try {
    const turn = { query_rewrite: { enabled }, ...request, ...chosen, query: question, history: talk.history };
    const result = await showProgress(engine.run('chat', turn, { signal }), { screen, onEvent: printer.onEvent });
    if (screen.json) screen.printJson(result);
    else printer.result(result);
    if (printer.hasFailed(result)) process.exitCode = EXIT.failed;
    session.talk = withTurn(talk, { question, collection: collectionOf(session) }, result);
    return result;
  } finally {
    if (!screen.json) printer.end();
  }
}

/**
 * Answers one question as a turn of the conversation that `--history-file` keeps, with its earlier turns as history. Throws a KbError if the file cannot be
 * read or written, or holds something else: a script would not notice that the history is missing.
 */
export async function takeTurn(context: CommandContext, request: Record<string, unknown>, question: string): Promise<void> {
  const warn = (text: string): never => {
    throw new KbError('configuration', text, { hint: 'Name another file with --history-file, or leave it out.' });
  };
  const session = openSession(context, request, memoryOf(context, { isTerminal: false, warn }));
  session.talk = withAsked(session.talk, question);
  const { errors, answer } = await askTurn(question, session);
  if (errors.some(({ stage }) => stage === 'validate')) process.exitCode = EXIT.usage;
  else if (answer !== '') keep(session);
}
