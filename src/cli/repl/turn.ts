import type { ChatResult } from '../../schema/answers.ts';
import { EXIT } from '../failure.ts';
import { followed } from '../progress.ts';
import { answerPrinter } from '../show-answer.ts';
import { withTurn } from './conversation.ts';
import { collectionOf, settingsOf, type Session } from './session.ts';

/** Has a question answered with what was said before in mind, and keeps both. From the second turn on it is rewritten for the search, unless the configuration says whether. */
export async function ask(question: string, session: Session): Promise<ChatResult> {
  const { desk, request, chosen, talk, signal } = session;
  const { engine, screen } = desk;
  const enabled = settingsOf(session).chat.query_rewrite.enabled ?? talk.history.length > 0;
  const printer = answerPrinter(screen);
  try {
    const turn = { query_rewrite: { enabled }, ...request, ...chosen, query: question, history: talk.history };
    const result = await followed(engine.run('chat', turn, { signal }), { screen, onEvent: printer.onEvent });
    if (screen.json) screen.printJson(result);
    else printer.result(result);
    if (printer.hasFailed(result)) process.exitCode = EXIT.failed;
    session.talk = withTurn(talk, { question, collection: collectionOf(session) }, result);
    return result;
  } finally {
    if (!screen.json) printer.end();
  }
}
