import { join } from 'node:path';
import { expect, it } from 'vitest';
import { packageRoot } from '../../../src/core/project.ts';
import { folder } from '../../support/folder.ts';
import { start } from '../../support/program.ts';

const SUSPENSION = JSON.stringify(join(packageRoot, 'src/cli/repl/keyboard.ts'));

/** How often the prompt is drawn after Ctrl-Z, where `kill` stands for what that does to the process. */
const draws = async (kill: string): Promise<string> => {
  const script = `
    const { enableSuspend } = await import(${SUSPENSION});
    const { EventEmitter } = await import('node:events');
    const { stat } = await import('node:fs');
    const reader = new EventEmitter();
    const signal = process.kill.bind(process);
    let draws = 0;
    process.stdin.setRawMode = () => {};
    process.kill = () => ${kill};
    const release = enableSuspend(reader, { leave: () => {}, restore: () => { draws += 1; } });
    const turns = async () => { for (let turn = 0; turn < 20; turn += 1) await new Promise((next) => setImmediate(next)); };
    await new Promise((next) => stat('.', () => { reader.emit('SIGTSTP'); next(); })); // where keys are heard: before immediates
    await turns();
    release();
    console.log(draws);`;
  const { out } = await start([process.execPath, '--input-type=module', '-e', script], { cwd: folder(), input: '' }).done;
  return out.trim();
};

it('the prompt is drawn once after fg', async () => {
  expect(await draws(`signal(process.pid, 'SIGCONT')`)).toBe('1');
});

it('the prompt is drawn once if nothing stopped the program', async () => {
  expect(await draws('true')).toBe('1');
});
