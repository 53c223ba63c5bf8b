import { mergeLayers, settingsIn, type Layer } from '../../core/settings.ts';
import { settle } from '../../core/run.ts';
import { searchedCollections } from '../../engine/permissions.ts';
import { operations } from '../../schema/operations.ts';
import type { Config } from '../../schema/config.ts';
import type { CommandContext } from '../command-context.ts';
import { greetedCollection } from '../greeted-collection.ts';
import { wrappedText } from '../markdown/flow.ts';
import { printable } from '../screen.ts';
import { newConversation, type Conversation, withAsked, withTurn } from './conversation.ts';
import { type Memory, memoryOf } from './memory.ts';
import { KbError } from '../../core/errors.ts';
import { nearest, didYouMean } from '../../core/nearest.ts';
import { accessTo } from '../../drivers/providers/access.ts';
import { LlmConfig } from '../../schema/config-chat.ts';
import { count } from '../../text/count.ts';
import type { ChatResult } from '../../schema/answers.ts';
import { EXIT } from '../failure.ts';
import { showProgress } from '../progress.ts';
import { answerPrinter } from '../printers/show-answer.ts';

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
function chooseSettings(session: Session, choices: Choices): void {
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

/** Everyone who may answer. */
export const modelProviders: readonly string[] = LlmConfig.shape.provider.options;

/** `/collection [NAME]`: each collection has a conversation of its own, unless the user named the file that keeps it. */
export async function collection(name: string, session: Session): Promise<void> {
  const names = await collectionNames(session);
  if (!name) {
    const others = names.filter((other) => other !== collectionOf(session));
    return tell(
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
  tell(session, `Ask about «${name}».${continuesConversation(session)}`);
}

/** What is there of the conversation already, as a sentence. */
export const continuesConversation = ({ talk: { turns } }: Session): string =>
  turns.length > 0 ? ` The conversation goes on after ${count(turns.length, 'turn')}; /clear begins anew.` : '';

/** `/model [NAME]`. Who can't be asked is not chosen: throws a KbError that says what is missing. */
export function model(name: string, session: Session): void {
  if (name) {
    const chosen = chosenModel(name, settingsOf(session).chat.llm.provider);
    assertReachable({ ...settingsOf(session).chat.llm, provider: chosen.llm_provider, model: chosen.llm_model });
    chooseSettings(session, chosen);
  }
  const { provider, model: chosen } = settingsOf(session).chat.llm;
  tell(session, `Answers come from ${provider}${chosen ? ` / ${printable(chosen)}` : provider === 'local' ? '' : ', its default model'}.`);
}

/** Throws the KbError that the next question would end with: a key, an address or a model's name is missing. */
function assertReachable(llm: LlmConfig): void {
  if (llm.provider !== 'local') accessTo({ provider: llm.provider, model: llm.model, options: llm.options }, 'llm');
}

function chosenModel(name: string, current: LlmConfig['provider']): { llm_provider: LlmConfig['provider']; llm_model: string | undefined } {
  const [first = '', ...rest] = name.split('/');
  const isNamed = modelProviders.includes(first);
  const llm_provider = isNamed ? (first as LlmConfig['provider']) : current;
  const llm_model = (isNamed ? rest.join('/') : name) || undefined;
  if (llm_provider !== 'local' || !llm_model) return { llm_provider, llm_model };
  const meant = isNamed ? undefined : nearest(first, modelProviders);
  throw new KbError('usage', `local quotes the sources and has no models${isNamed ? '' : `, and «${printable(name)}» is no provider`}.`, {
    hint: meant ? `Did you mean ${meant}?` : `Providers are ${modelProviders.join(', ')}: /model PROVIDER/MODEL.`,
  });
}

/** `/top-k [N]`. */
export function topK(argument: string, session: Session): void {
  if (argument) chooseSettings(session, { top_k: wholeNumber(argument, '/top-k') });
  tell(session, `Each question looks for ${count(settingsOf(session).retrieval.top_k, 'passage')}.`);
}

/** The number that a command is given. Throws a KbError for anything else. */
export function wholeNumber(text: string, command: string): number {
  if (/^[1-9]\d{0,5}$/.test(text)) return Number(text);
  throw new KbError('usage', `${command} takes a whole number from 1, not «${printable(text)}».`);
}

/** Has a question answered with what was said before in mind, and keeps both. From the second turn on it is rewritten for the search, unless the configuration says whether. */
export async function askTurn(question: string, session: Session): Promise<ChatResult> {
  const { desk, request, chosen, talk, signal } = session;
  const { engine, screen } = desk;
  const enabled = settingsOf(session).chat.query_rewrite.enabled ?? talk.history.length > 0;
  const printer = answerPrinter(screen);
  try {
    const given = { ...request, ...chosen };
    const greeted = await greetedCollection(desk, given, question);
    const turn = { query_rewrite: { enabled }, ...given, ...greeted, query: question, history: talk.history };
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
 * Answers one question as a turn of the conversation that `--history-file` keeps: from the second turn on with what was said before in mind. Throws a
 * KbError where the file can't be read or written, or holds something else: a script that goes on without what was said would not notice.
 */
export async function takeTurn(desk: CommandContext, request: Record<string, unknown>, question: string): Promise<void> {
  const warn = (text: string): never => {
    throw new KbError('configuration', text, { hint: 'Name another file with --history-file, or leave it out.' });
  };
  const session = openSession(desk, request, memoryOf(desk, { isTerminal: false, warn }));
  session.talk = withAsked(session.talk, question);
  const { errors, answer } = await askTurn(question, session);
  if (errors.some(({ stage }) => stage === 'validate')) process.exitCode = EXIT.usage;
  else if (answer !== '') keep(session);
}
