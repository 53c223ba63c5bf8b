import { KbError } from '../base/errors.ts';

/** Asks yes or no on the terminal. Off one, a KbError says that `--yes` is needed. */
export async function confirmed(question: string, command: string): Promise<boolean> {
  if (!process.stdin.isTTY || !process.stderr.isTTY)
    throw new KbError('usage', `${command} asks before it goes on, and there is no terminal to ask on.`, { hint: 'Add --yes.' });
  const { confirm } = await import('@inquirer/prompts');
  return answered(confirm({ message: question, default: false }, { output: process.stderr }));
}

/** The answer to a prompt; Ctrl-C at it is a KbError (`aborted`), as everywhere. */
export async function answered<Answer>(prompt: Promise<Answer>): Promise<Answer> {
  try {
    return await prompt;
  } catch (cause) {
    if (!(cause instanceof Error) || cause.name !== 'ExitPromptError') throw cause;
    throw new KbError('aborted', 'Stopped.', { hint: 'Nothing was changed.', cause });
  }
}
