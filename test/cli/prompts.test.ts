import { expect, it } from 'vitest';
import { showPrompt } from '../../src/cli/prompts.ts';
import { EXIT, exitCodeOf } from '../../src/cli/failure.ts';

it('Ctrl-C at a prompt is a stop, and other failures are thrown unchanged', async () => {
  const left = Object.assign(new Error('User force closed the prompt with SIGINT'), { name: 'ExitPromptError' });
  const stop: unknown = await showPrompt(() => Promise.reject(left)).catch((error: unknown) => error);
  expect(stop).toMatchObject({ code: 'aborted', message: 'Stopped.' });
  expect(exitCodeOf(stop)).toBe(EXIT.interrupted);
  await expect(showPrompt(() => Promise.reject(new Error('x')))).rejects.toThrow('x');
  await expect(showPrompt(async (where) => where.output)).resolves.toBe(process.stderr);
});
