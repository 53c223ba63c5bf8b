import { expect, it, onTestFinished } from 'vitest';
import { folder, write } from '../support/folder.ts';
import { kb, startKb } from '../support/program.ts';
import { runCommand } from '../support/run-command.ts';

const CONFIG = 'sources:\n  docs: docs\n';
const FILES = { 'kb.config.yaml': CONFIG, 'docs/gate.md': '# Gate\n\nThe gate is locked at ten.\n' };

function started(words: string[], cwd: string) {
  const child = startKb(words, { cwd });
  onTestFinished(() => void child.child.kill('SIGKILL'));
  return child;
}

it('kb watch reports on standard error, stores changes, and ends with 0 on the first Ctrl-C', async () => {
  const cwd = folder(FILES);
  const watch = started(['watch'], cwd);
  await watch.until(/Stored 1 chunk of 1 document\./);
  write(cwd, { 'docs/bell.md': '# Bell\n\nThe bell rings at noon.\n' });
  await watch.until(/Changed: docs\/bell\.md\.\s[^]*Stored 1 chunk of 1 document\./);
  watch.child.kill('SIGINT');
  const { code, out, error } = await watch.done;
  expect([code, out]).toEqual([0, '']);
  expect(error).toMatch(/^\d\d:\d\d:\d\d Watching 1 folder\./);
  expect((await runCommand(['retrieve', 'bell', '--mode', 'text'], { cwd })).out).toContain('rings at noon');
});

it('kb watch prints its result as one document with --json', async () => {
  const watch = started(['watch', '--json'], folder(FILES));
  await watch.until(/Stored 1 chunk/);
  watch.child.kill('SIGTERM');
  const { code, out } = await watch.done;
  expect([code, JSON.parse(out)]).toEqual([0, expect.objectContaining({ runs: 1, stored: 1, pruned: 0, failed: 0 })]);
});

it('kb watch and kb serve --watch end with 2 without configured sources, and name what is missing', async () => {
  for (const words of [['watch'], ['serve', '--watch', '--port', '0']])
    expect(await kb(words, { cwd: folder() })).toMatchObject({ code: 2, error: expect.stringContaining('sources') });
});

it('kb serve --watch serves changed documents, shows its state, and stops cleanly', async () => {
  const cwd = folder(FILES);
  const server = started(['serve', '--watch', '--port', '0'], cwd);
  await server.until(/watch: Stored 1 chunk of 1 document\./);
  const url = /listening on (\S+)/.exec(server.said.out)![1]!;
  write(cwd, { 'docs/bell.md': '# Bell\n\nThe bell rings at noon.\n' });
  await server.until(/Changed: docs\/bell\.md\.[^]*watch: Stored 1 chunk of 1 document\./);
  const found = await fetch(`${url}/v1/retrieve`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ query: 'bell', mode: 'text' }),
  });
  expect(await found.text()).toContain('rings at noon');
  const { watch } = (await (await fetch(`${url}/v1/health`)).json()) as { watch: object };
  const metrics = await (await fetch(`${url}/metrics`)).text();
  for (const line of [
    'kb_operations_total{operation="ingest",outcome="done"} 2',
    'kb_chunks_stored_total 2',
    'kb_watch_last_run_timestamp_seconds 1',
  ])
    expect(metrics).toContain(`\n${line}`);
  expect(watch).toEqual({ state: 'waiting', failed: 0, last_run: expect.any(String), next_run: expect.any(String) });
  server.child.kill('SIGTERM');
  const { code, out, error } = await server.done;
  expect([code, out.trim()]).toEqual([0, `listening on ${url}`]);
  const written = error.split('\n').flatMap((line) => (line.includes('"wrote"') ? [JSON.parse(line) as object] : []));
  const line = {
    who: 'watch',
    operation: 'ingest',
    collections: ['default'],
    outcome: 'done',
    counts: { stored: 1, pruned: 0, failed: 0 },
  };
  expect(written).toMatchObject([line, line]);
});

it('kb serve --watch reports an ingest that failed as a whole', async () => {
  const server = startKb(['serve', '--watch', '--port', '0'], { cwd: folder(FILES), env: { KB_EMBEDDING_PROVIDER: 'openai' } });
  onTestFinished(() => void server.child.kill('SIGKILL'));
  await server.until(/the watch has ended/);
  const url = /listening on (\S+)/.exec(server.said.out)![1]!;
  expect(await (await fetch(`${url}/metrics`)).text()).toContain('kb_operations_total{operation="ingest",outcome="failed"} 1');
  expect(server.said.error).toMatch(/"operation":"ingest".*"outcome":"failed"/);
});
