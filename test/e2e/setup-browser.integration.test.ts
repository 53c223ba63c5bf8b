import { expect, it } from 'vitest';
import { withBrowser } from '../support/browser.ts';
import { folder } from '../support/folder.ts';
import { kb } from '../support/program.ts';
import { runCommand } from '../support/run-command.ts';

withBrowser('kb setup-browser', () => {
  it('kb setup-browser says in one sentence which browser it found', async () => {
    const { code, out, error } = await kb(['setup-browser', '--quiet'], { cwd: folder() });
    expect({ code, error }).toEqual({ code: 0, error: '' });
    expect(out).toMatch(/^Version \d\S+ of \/?.+ was found, and starts: .+\.\n$/);
  });

  it('kb setup-browser returns it with --json, and doctor names the same', async () => {
    const cwd = folder();
    const { code, out } = await runCommand(['setup-browser', '--json'], { cwd });
    expect(code).toBe(0);
    const found = JSON.parse(out) as { browser: string };
    expect(found).toMatchObject({
      installed: false,
      version: expect.stringMatching(/^\d/),
      message: expect.stringContaining(found.browser),
    });
    const doctor = JSON.parse((await runCommand(['doctor', '--json'], { cwd })).out) as { checks: unknown[] };
    expect(doctor.checks).toContainEqual({ name: 'browser', status: 'ok', message: found.browser });
  });
});
