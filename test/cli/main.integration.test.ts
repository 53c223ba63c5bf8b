import { join } from 'node:path';
import { expect, it } from 'vitest';
import { packageRoot } from '../../src/core/project.ts';
import { folder } from '../support/folder.ts';
import { start } from '../support/program.ts';

const MAIN = JSON.stringify(join(packageRoot, 'src/cli/main.ts'));
const ASK = JSON.stringify(join(packageRoot, 'src/cli/prompts.ts'));
const PROMPTS = import.meta.resolve('@inquirer/prompts');
const run = (work: string) =>
  start([process.execPath, '--input-type=module', '-e', `const { failIfUnfinished } = await import(${MAIN}); ${work}`], {
    cwd: folder(),
    input: '',
  }).done;

it('work that can never end is reported as a mistake, and fails', async () => {
  expect(await run('await failIfUnfinished(new Promise(() => {}));')).toMatchObject({
    code: 1,
    error: expect.stringMatching(/^Error: .*mistake in kb/),
  });
});

it('work that ends is not affected, and errors are thrown', async () => {
  expect(await run('console.log(await failIfUnfinished(Promise.resolve("done")));')).toMatchObject({ code: 0, out: 'done\n', error: '' });
  expect((await run('await failIfUnfinished(Promise.reject(new Error("x"))).catch(({ message }) => console.log(message));')).out).toBe(
    'x\n',
  );
});

it('the end of input at a prompt, as with Ctrl-D, is a stop and no mistake', async () => {
  const prompts = `const { showPrompt } = await import(${ASK}); const { input, select } = await import('${PROMPTS}');`;
  for (const prompt of [`input({ message: 'Name' }, where)`, `select({ message: 'Who?', choices: ['a', 'b'] }, where)`]) {
    const work = `${prompts} await failIfUnfinished(showPrompt((where) => ${prompt})).catch(({ code }) => setTimeout(() => console.log(code)));`;
    expect(await run(work)).toMatchObject({ code: 0, out: 'aborted\n', error: expect.not.stringContaining('mistake in kb') });
  }
});

it('work after an abandoned prompt is waited for', async () => {
  const late = `showPrompt((where) => input({ message: 'Name' }, where)).catch(async ({ code }) => (await import('node:timers/promises')).setTimeout(5, code))`;
  const work = `const { showPrompt } = await import(${ASK}); const { input } = await import('${PROMPTS}'); console.log(await failIfUnfinished(${late}));`;
  expect(await run(work)).toMatchObject({ code: 0, out: 'aborted\n' });
});
