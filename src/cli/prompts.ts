import { KbError } from '../core/errors.ts';
import { didYouMean } from '../core/nearest.ts';

/** Where prompts are drawn: standard output is for the result. */
const BESIDE = { output: process.stderr };

/** Asks yes or no on the terminal. Off one, a KbError says that `--yes` is needed. */
export async function confirmed(question: string, command: string): Promise<boolean> {
  assertTerminal(`${command} asks before it goes on`, 'Add --yes.');
  const { confirm } = await import('@inquirer/prompts');
  return answered((where) => confirm({ message: question, default: false }, where));
}

/** Throws a KbError (`usage`) where nobody can be asked: `asks` says who would. */
export function assertTerminal(asks: string, hint: string): void {
  if (!process.stdin.isTTY || !process.stderr.isTTY) throw new KbError('usage', `${asks}, and there is no terminal to ask on.`, { hint });
}

/** The answer to a prompt, which is told where to be drawn and what ends it; Ctrl-C and Ctrl-D at it are a KbError (`aborted`), as everywhere. */
export async function answered<Answer>(prompt: (where: typeof BESIDE & { signal: AbortSignal }) => Promise<Answer>): Promise<Answer> {
  const left = new AbortController();
  const leave = () => left.abort(); // after Ctrl-D a prompt waits for keys that nobody reads any more
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
  /** What it is a name of: `collection`. */
  kind: string;
  names: readonly string[];
  /** The command that lists them. */
  listed: string;
}

/** Throws a KbError (`not_found`) for a name of nothing, before a person is asked whether to change or remove what it names. */
export function assertKnown(name: string, { kind, names, listed }: Known): void {
  if (names.includes(name)) return;
  throw new KbError('not_found', `There is no ${kind} «${name}».`, { hint: didYouMean(name, names) ?? `«${listed}» lists them all.` });
}
