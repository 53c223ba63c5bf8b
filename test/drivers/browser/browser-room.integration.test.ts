import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { withBrowser } from '../../support/browser.ts';
import { folder } from '../../support/folder.ts';

const CHROMIUM = new URL('../../../src/drivers/browser/chromium.ts', import.meta.url).href;

/** A process that starts a browser, whose temporary files are in this folder; it says so, and does what is to be done next. */
function starting(place: string, next: string) {
  const program = `const browser = await (await import('${CHROMIUM}')).launchChromium(); console.log('open'); ${next}`;
  return spawn(process.execPath, ['--input-type=module', '-e', program], {
    env: { ...process.env, TMPDIR: place },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
}

/** What is left of browsers: of Chromium's own sockets nothing is asked. */
const leftIn = (place: string): string[] => readdirSync(place).filter((name) => /^(kb-|playwright)/.test(name));

const isAtWork = (place: string): boolean =>
  execFileSync('ps', ['-eo', 'args='], { encoding: 'utf8' }).includes(`--user-data-dir=${place}`);

withBrowser('the files of a browser', () => {
  it('are removed when it ends, or when the next one starts if its process was killed', async () => {
    const place = folder();
    const killed = starting(place, 'setInterval(() => {}, 1000);');
    await once(killed.stdout, 'data');
    killed.kill('SIGKILL');
    await expect.poll(() => isAtWork(place), { timeout: 20_000 }).toBe(false);
    expect(leftIn(place).length).toBe(2);
    const others = join(place, 'kept');
    mkdirSync(others);
    const room = join(place, `kb-browser-${hostname()}-${killed.pid}-other0`);
    mkdirSync(room);
    writeFileSync(join(room, 'profile'), 'kept');
    const [code] = await once(starting(place, 'await browser.close();'), 'exit');
    expect(code).toBe(0);
    expect(leftIn(place)).toEqual([]);
    expect(readdirSync(place)).toContain('kept');
  });
});
