import { KbError } from '../core/errors.ts';
import { didYouMean } from '../core/nearest.ts';

/** Where prompts are drawn: standard output is for the result. */
const BESIDE = { output: process.stderr };

/** Asks yes or no on the terminal. Off one, a KbError says that `--yes` is needed. */
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
export async function showPrompt<Answer>(prompt: (where: typeof BESIDE & { signal: AbortSignal }) => Promise<Answer>): Promise<Answer> {
  const left = new AbortController();
  const leave = () => left.abort(); // after Ctrl-D a prompt would wait forever
  process.once('beforeExit', leave);
  try {
    return await prompt({ ...BESIDE, signal: left.signal });
  } catch (cause) {
    if (!(cause instanceof Error) || !['ExitPromptError', 'AbortPromptError'].includes(cause.name)) throw cause;
    throw new KbError('aborted', 'Stopped.', { hint: 'Nothing was changed.', cause });
  } finally {
    process.off('beforeExit', leave);
  }
}

interface Known {
  /** Kind of the named thing: `collection`. */
  kind: string;
  names: readonly string[];
  /** The command that lists them. */
  listed: string;
}

/** Throws a KbError (`not_found`) for an unknown name, before the user is asked to confirm a change. */
export function assertKnown(name: string, { kind, names, listed }: Known): void {
  if (names.includes(name)) return;
  throw new KbError('not_found', `There is no ${kind} «${name}».`, { hint: didYouMean(name, names) ?? `«${listed}» lists them all.` });
}
