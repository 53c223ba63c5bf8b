import { KbError } from '../core/errors.ts';
import { didYouMean } from '../core/nearest.ts';

/** Prompts are drawn on standard error, because standard output is for the result. */
const STDERR_OUTPUT = { output: process.stderr };

/** Asks yes or no on the terminal. Throws a KbError that names `--yes` if there is none. */
export async function askToConfirm(question: string, command: string): Promise<boolean> {
  assertTerminal(`${command} asks before it goes on`, 'Add --yes.');
  const { confirm } = await import('@inquirer/prompts');
  return showPrompt((where) => confirm({ message: question, default: false }, where));
}

/** Throws a KbError (`usage`) without a terminal. `asks`: the beginning of the message. */
export function assertTerminal(asks: string, hint: string): void {
  if (!process.stdin.isTTY || !process.stderr.isTTY) throw new KbError('usage', `${asks}, and there is no terminal to ask on.`, { hint });
}

/** Shows a prompt on standard error and returns the answer. Ctrl-C and Ctrl-D throw a KbError (`aborted`). */
export async function showPrompt<Answer>(
  prompt: (where: typeof STDERR_OUTPUT & { signal: AbortSignal }) => Promise<Answer>,
): Promise<Answer> {
  const cancelled = new AbortController();
  const cancel = () => cancelled.abort(); // after Ctrl-D a prompt would wait forever
  process.once('beforeExit', cancel);
  try {
    return await prompt({ ...STDERR_OUTPUT, signal: cancelled.signal });
  } catch (cause) {
    if (!(cause instanceof Error) || !['ExitPromptError', 'AbortPromptError'].includes(cause.name)) throw cause;
    throw new KbError('aborted', 'Stopped.', { hint: 'Nothing was changed.', cause });
  } finally {
    process.off('beforeExit', cancel);
  }
}

interface KnownNames {
  /** Kind of the named thing: `collection`. */
  kind: string;
  names: readonly string[];
  /** The command that lists them. */
  listCommand: string;
}

/** Throws a KbError (`not_found`) for an unknown name, before the user is asked to confirm a change. */
export function assertKnown(name: string, { kind, names, listCommand }: KnownNames): void {
  if (names.includes(name)) return;
  throw new KbError('not_found', `There is no ${kind} "${name}".`, { hint: didYouMean(name, names) ?? `"${listCommand}" lists them all.` });
}
