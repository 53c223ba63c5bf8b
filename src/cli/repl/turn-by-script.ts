import { KbError } from '../../base/errors.ts';
import type { Desk } from '../command.ts';
import { EXIT } from '../failure.ts';
import { withAsked } from './conversation.ts';
import { memoryOf } from './memory.ts';
import { keep, openSession } from './session.ts';
import { ask } from './turn.ts';

/**
 * Answers one question as a turn of the conversation that `--history-file` keeps: from the second turn on with what was said before in mind. Throws a
 * KbError where the file can't be read or written, or holds something else: a script that goes on without what was said would not notice.
 */
export async function takeTurn(desk: Desk, request: Record<string, unknown>, question: string): Promise<void> {
  const warn = (text: string): never => {
    throw new KbError('configuration', text, { hint: 'Name another file with --history-file, or leave it out.' });
  };
  const session = openSession(desk, request, memoryOf(desk, { isTerminal: false, warn }));
  session.talk = withAsked(session.talk, question);
  const { errors, answer } = await ask(question, session);
  if (errors.some(({ stage }) => stage === 'validate')) process.exitCode = EXIT.usage;
  else if (answer !== '') keep(session);
}
