import { cpSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { spawnSync } from 'node:child_process';
import { expect, it, onTestFinished } from 'vitest';
import { packageRoot } from '../../src/core/project.ts';
import { folder } from '../support/folder.ts';
import { start, startKb } from '../support/program.ts';

const hasCurl = spawnSync('curl', ['--version']).status === 0;

/** The examples of a page that speak to the server, in their order. */
const examplesIn = (page: string): string[] =>
  [...readFileSync(join(packageRoot, page), 'utf8').matchAll(/^```sh\n([^]*?)^```/gm)]
    .map(([, lines]) => lines!)
    .filter((lines) => /^curl /m.test(lines));

it.skipIf(!hasCurl).each(['docs/http.md', 'README.md'])('the examples of %s do what they show (skipped without curl)', async (page) => {
  const examples = examplesIn(page);
  expect(examples.length).toBeGreaterThan(0);
  const cwd = folder();
  cpSync(join(packageRoot, 'examples', 'manuals'), join(cwd, 'manuals'), { recursive: true });
  const server = startKb(['serve', '--port', '0'], { cwd });
  onTestFinished(() => void server.child.kill('SIGKILL'));
  await server.until(/listening on/);
  const url = /listening on (\S+)/.exec(server.said.out)![1]!;
  for (const example of examples) {
    // The shell's own curl, which ends with 22 where the server refuses.
    const script = `curl() { command curl --fail-with-body --max-time 60 "$@"; }\n${example.replaceAll('http://127.0.0.1:8000', url)}`;
    const { code, out, error } = await start(['sh', '-ec', script], { cwd, input: '' }).done;
    expect([example, code, error]).toEqual([example, 0, '']);
    expect(out).not.toMatch(/"failed":[1-9]|"errors":\[\{|"answer":""/);
  }
});
