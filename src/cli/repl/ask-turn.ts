import type { ChatResult } from '../../schema/answers.ts';
import { EXIT } from '../failure.ts';
import { showProgress } from '../progress.ts';
import { answerPrinter } from '../printers/show-answer.ts';
import { withAsked, withTurn } from './conversation.ts';
import { collectionOf, keep, openSession, type Session, settingsOf } from './session.ts';
import { KbError } from '../../core/errors.ts';
import type { CommandContext } from '../command-context.ts';
import { memoryOf } from './memory.ts';

/** Has a question answered with what was said before in mind, and keeps both. From the second turn on it is rewritten for the search, unless the configuration says whether. */
export async function askTurn(question: string, session: Session): Promise<ChatResult> {
  const { desk, request, chosen, talk, signal } = session;
  const { engine, screen } = desk;
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
