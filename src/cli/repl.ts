import { describe, isAbort, KbError } from '../base/errors.ts';
import { throwIfAborted } from '../base/run.ts';
import type { Desk } from './command.ts';
import { EXIT } from './failure.ts';
import { wrappedText } from './markdown/flow.ts';
import { goesOn } from './repl/choices.ts';
import { isCommand, meantBy, perform } from './repl/commands.ts';
import { completionOf } from './repl/complete.ts';
import { withAsked } from './repl/conversation.ts';
import { isConversation, Keyboard } from './repl/keyboard.ts';
import { memoryOf } from './repl/memory.ts';
import { collectionOf, keep, openSession, type Session } from './repl/session.ts';
import { ask } from './repl/turn.ts';
import { printable } from './screen.ts';

/** A conversation: a question a line, each answered with what was said before in mind. Works with piped input too. */
export async function converse(desk: Desk, request: Record<string, unknown>): Promise<void> {
  const { screen, signal } = desk;
  const session = openSession(desk, request, memoryOf(desk, { isTerminal: isConversation() }));
  const keyboard = new Keyboard({ screen, asked: session.talk.asked, complete: (line) => completionOf(line, session) });
  signal.addEventListener('abort', () => keyboard.close(), { once: true });
  const greeting = `Ask about «${collectionOf(session)}». /help shows what else there is.${goesOn(session)}`;
  // whoever pipes questions in knows what is asked, but not that a conversation is there already
  if (isConversation() || session.talk.turns.length > 0) screen.note(wrappedText(greeting, screen.columns));
  try {
    for (let typed = await keyboard.next(); typed !== undefined && !signal.aborted; typed = await keyboard.next()) {
      if (typed.trim() !== '' && !(await handle(meantBy(typed.trim()), session, keyboard))) break;
    }
  } finally {
    keyboard.close();
  }
  throwIfAborted(signal);
}

/** Answers a question, or does what a command says; what fails is said, and the conversation goes on. False where it ends. */
async function handle(text: string, session: Session, keyboard: Keyboard): Promise<boolean> {
  const { screen, signal } = session.desk;
  const stop = new AbortController();
  session.signal = AbortSignal.any([signal, stop.signal]);
  session.talk = withAsked(session.talk, text);
  try {
    const goOn = () => (isCommand(text) ? perform(text, session) : ask(text, session).then(() => true));
    return await keyboard.during(() => stop.abort(new KbError('aborted', 'Stopped.')), goOn);
  } catch (error) {
    screen.warn(isAbort(error) ? 'Stopped.' : wrappedText(`Error: ${printable(describe(error))}`, screen.columns));
    if (!isConversation()) process.exitCode = EXIT.failed;
    return true;
  } finally {
    if (text !== '/clear') keep(session);
    keyboard.recall(session.talk.asked);
  }
}
