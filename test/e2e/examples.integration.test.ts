import { chmodSync, cpSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { delimiter, join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { packageRoot } from '../../src/core/project.ts';
import { folder } from '../support/folder.ts';
import { PROGRAM, start, startKb } from '../support/program.ts';
import { withPython } from '../support/python.ts';
import { listening } from '../support/listening.ts';
import { runCommand } from '../support/run-command.ts';

const EXAMPLES = join(packageRoot, 'examples');

it('examples/ci indexes a handbook, and goes back if the gate is missed', async () => {
  const cwd = folder();
  cpSync(join(EXAMPLES, 'ci'), cwd, { recursive: true });
  const bin = folder({ kb: `#!/bin/sh\nexec "${process.execPath}" "${PROGRAM}" "$@"\n` });
  chmodSync(join(bin, 'kb'), 0o755);
  const run = () => start(['sh', 'reindex.sh'], { cwd, env: { PATH: `${bin}${delimiter}${process.env.PATH}` }, input: '' }).done;
  const sources = async () => {
    const { sources: found } = JSON.parse((await runCommand(['sources', '--json'], { cwd })).out) as { sources: { source: string }[] };
    return found.map(({ source }) => source);
  };
  const all = ['handbook/bicycles.md', 'handbook/doors.md', 'handbook/laundry.md'];
  expect(await run()).toMatchObject({ code: 0, error: expect.not.stringContaining('gate') });
  expect([await sources(), readFileSync(join(cwd, 'eval.md'), 'utf8')]).toEqual([all, expect.stringContaining('100%')]);
  rmSync(join(cwd, 'handbook', 'doors.md'));
  expect(await run()).toMatchObject({ code: 1, error: expect.stringMatching(/--min-recall[^]*is back/) });
  expect(await sources()).toEqual(all);
});

/** Starts `kb serve` in a folder for who has the token; it is killed after the test. Gives its address. */
async function serve(cwd: string, token: string): Promise<string> {
  const server = startKb(['serve', '--port', '0'], { cwd, env: { KB_SERVER_TOKEN: token } });
  onTestFinished(() => void server.child.kill('SIGKILL'));
  await server.until(/listening on/);
  return /listening on (\S+)/.exec(server.said.out)![1]!;
}

/** A port that nobody uses now. */
async function freePort(): Promise<string> {
  const server = createServer();
  const { port, close } = await listening(server);
  await close();
  return String(port);
}

it('examples/support-bot.ts answers over HTTP from the knowledge base, separates conversations and hands over what it cannot answer', async () => {
  expect(readFileSync(join(EXAMPLES, 'support-bot.ts'), 'utf8').trimEnd().split('\n').length).toBeLessThanOrEqual(40);
  const cwd = folder({ 'doors.md': '# Doors\n\nThe front door is locked at ten in the evening.\n' });
  await runCommand(['ingest', '--docs', 'doors.md'], { cwd });
  const token = 'correct-horse-battery';
  const KB_URL = await serve(cwd, token);
  const PORT = await freePort();
  const bot = start([process.execPath, join(EXAMPLES, 'support-bot.ts')], { cwd, env: { KB_URL, KB_TOKEN: token, PORT } });
  onTestFinished(() => void bot.child.kill('SIGKILL'));
  await bot.until(/listens/);
  const ask = (user: string, text: string) =>
    fetch(`http://127.0.0.1:${PORT}`, { method: 'POST', body: JSON.stringify({ user, text }) }).then((response) => response.json());
  expect(await ask('ann', 'When is the front door locked?')).toEqual({
    text: expect.stringContaining('ten in the evening'),
    sources: ['[1] doors.md'],
  });
  expect(await ask('bob', 'Which tax does Norway raise on fish?')).toEqual({ text: expect.stringContaining('colleague'), sources: [] });
  expect(await ask('ann', 'Thanks!')).toEqual({ text: expect.not.stringContaining('colleague'), sources: [] });
});

it('examples/own-parser.ts reads files that kb does not know, and reports broken ones', async () => {
  const cue = (number: number, time: string, text: string) => `${number}\n${time},000 --> ${time},900\n${text}\n`;
  const cwd = folder({ 'pump.srt': [cue(1, '00:01:05', 'The pump hums.'), cue(2, '00:02:10', 'Its gasket\nis made of cork.')].join('\n') });
  writeFileSync(join(cwd, 'broken.srt'), 'no cue');
  const { code, out, error } = await start([process.execPath, join(EXAMPLES, 'own-parser.ts'), cwd, 'What is the gasket made of?'], {
    cwd,
    input: '',
  }).done;
  expect([code, out, error]).toEqual([
    0,
    expect.stringMatching(/^pump\.srt\n[^]*Minute 00:02[^]*made of cork/),
    expect.stringMatching(/broken\.srt.*a cue has no time/),
  ]);
});

withPython('examples/python-client', () => {
  it('the Python example generates a client from the OpenAPI document, asks a question and reports why one is rejected', async () => {
    const cwd = folder({ 'doors.md': '# Doors\n\nThe front door is locked at ten in the evening.\n' });
    await runCommand(['ingest', '--docs', 'doors.md'], { cwd });
    const token = 'correct-horse-battery';
    const env = { KB_URL: await serve(cwd, token), KB_TOKEN: token };
    const example = join(cwd, 'python-client');
    cpSync(join(EXAMPLES, 'python-client'), example, { recursive: true, filter: (path) => !/\.venv|kb_client/.test(path) });
    const quick = { PIP_NO_COMPILE: 'no' }; // pip reads "no" as: do not compile what it installs, of which little is run
    const generated = await start(['sh', 'generate.sh'], { cwd: example, env: { ...env, ...quick }, input: '' }).done;
    expect([generated.code, generated.error]).toEqual([0, '']);
    const python = join(example, '.venv', 'bin', 'python');
    const ask = (words: string, own = {}) => start([python, 'ask.py', words], { cwd: example, env: { ...env, ...own }, input: '' }).done;
    expect(await ask('When is the front door locked?')).toMatchObject({
      code: 0,
      out: expect.stringMatching(/ten in the evening[^]*\n\[1\] Doors: doors\.md\n$/),
    });
    expect(await ask('When?', { KB_TOKEN: 'wrong-horse-battery' })).toMatchObject({ code: 1, error: expect.stringMatching(/token/i) });
  });
});
