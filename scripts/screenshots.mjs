// `node scripts/screenshots.mjs`: takes docs/page.webp and docs/page-phone.webp, the pictures of the page in the README, from a server with the example manuals. Needs a Chrome or Chromium.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { execa } from 'execa';
import { chromium } from 'playwright';
import { ensureBuilt, root } from './prepare.mjs';

const QUESTION = 'How long is the warranty on the boilers?';
const SHOTS = [
  { name: 'page', viewport: { width: 1280, height: 800 }, colorScheme: 'light', opens: true },
  { name: 'page-phone', viewport: { width: 390, height: 800 }, colorScheme: 'dark', isMobile: true, hasTouch: true, opens: false },
];
/** Pixels of a picture for each of the page's, and how faithful its compression is, from 0 to 1. */
const SCALE = 1.5;
const QUALITY = 0.7;

ensureBuilt();
const { findBrowser } = await import('../src/drivers/browser/chromium.ts');
const store = mkdtempSync(join(tmpdir(), 'kb-screenshots-'));
const kb = (...words) => {
  const env = { PATH: process.env.PATH, HOME: store, KB_STORAGE_URL: store };
  return execa(process.execPath, [join(root, 'bin', 'run.js'), ...words], { cwd: join(root, 'examples'), env, extendEnv: false });
};
await kb('ingest', '--docs', 'manuals');
const server = kb('serve', '--port', '0', '--quiet');
const address = addressOf(server); // it may say it before the browser is there
const browser = await chromium.launch({ executablePath: await findBrowser(), args: process.getuid?.() === 0 ? ['--no-sandbox'] : [] });
try {
  const url = await address;
  for (const shot of SHOTS) writeFileSync(join(root, 'docs', `${shot.name}.webp`), await take(shot, url));
} finally {
  await browser.close();
  server.kill();
  await server.catch(() => {});
  rmSync(store, { recursive: true });
}

/** The address that a started server prints. */
function addressOf(started) {
  return new Promise((resolve, reject) => {
    started.stdout.on('data', (text) => {
      const [, url] = /listening on (\S+)/.exec(text) ?? [];
      if (url) resolve(url);
    });
    started.catch(reject);
  });
}

/** The question answered and, where there is room beside it, the cited passage. */
async function take({ name: _, opens, ...options }, url) {
  const context = await browser.newContext({ ...options, deviceScaleFactor: SCALE });
  const page = await context.newPage();
  await page.goto(url);
  await page.getByRole('textbox', { name: 'Question' }).fill(QUESTION);
  await page.keyboard.press('Enter');
  await page.locator('.verdict').waitFor();
  if (opens) {
    await page.locator('button.citation').first().click();
    await page.getByRole('button', { name: 'Section' }).waitFor();
    await page.locator('.reader mark').first().waitFor();
  }
  await page.mouse.move(0, 0);
  const png = await page.screenshot();
  await context.close();
  return compressed(png);
}

/** A picture as WebP: the browser knows how. */
async function compressed(png) {
  const page = await browser.newPage();
  const data = await page.evaluate(
    async ({ picture, quality }) => {
      const bitmap = await createImageBitmap(await (await fetch(picture)).blob());
      const canvas = Object.assign(document.createElement('canvas'), { width: bitmap.width, height: bitmap.height });
      canvas.getContext('2d').drawImage(bitmap, 0, 0);
      return canvas.toDataURL('image/webp', quality);
    },
    { picture: `data:image/png;base64,${png.toString('base64')}`, quality: QUALITY },
  );
  await page.close();
  return Buffer.from(data.split(',')[1], 'base64');
}
