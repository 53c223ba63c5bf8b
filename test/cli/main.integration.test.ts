import { join } from 'node:path';
import { expect, it } from 'vitest';
import { packageRoot } from '../../src/base/project.ts';
import { folder } from '../support/folder.ts';
import { start } from '../support/program.ts';

const MAIN = JSON.stringify(join(packageRoot, 'src/cli/main.ts'));
const run = (work: string) =>
  start([process.execPath, '--input-type=module', '-e', `const { toItsEnd } = await import(${MAIN}); ${work}`], {
    cwd: folder(),
    input: '',
  }).done;

it('work that can never end is said to be a mistake, and fails', async () => {
  expect(await run('await toItsEnd(new Promise(() => {}));')).toMatchObject({
    code: 1,
    error: expect.stringMatching(/^Error: .*mistake in kb/),
  });
});

it('work that ends is left alone, and what fails is thrown on', async () => {
  expect(await run('console.log(await toItsEnd(Promise.resolve("done")));')).toMatchObject({ code: 0, out: 'done\n', error: '' });
  expect((await run('await toItsEnd(Promise.reject(new Error("x"))).catch(({ message }) => console.log(message));')).out).toBe('x\n');
});
