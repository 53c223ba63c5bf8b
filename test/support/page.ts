import axe from 'axe-core';
import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright';
import { onTestFinished } from 'vitest';
import { findBrowser } from '../../src/drivers/browser/chromium.ts';
import type { AtEnd } from './folder.ts';
import { startKb } from './program.ts';

/** Starts `kb serve` in a folder, on any free port; it is killed after the test. Gives its address. */
export async function serveFolder(cwd: string, env: Record<string, string> = {}, atEnd: AtEnd = onTestFinished): Promise<string> {
  const started = startKb(['serve', '--port', '0', '--quiet'], { cwd, env });
  atEnd(() => void started.child.kill('SIGKILL'));
  await started.until(/listening on http:\S+/);
  return /listening on (http:\S+)/.exec(started.said.out)![1]!;
}

export interface OpenedPage {
  page: Page;
  /** Addresses that it asked for. */
  asked: string[];
  /** Uncaught errors, and what the browser complains about. */
  complaints: string[];
}

let opened: Promise<Browser> | undefined;

/** A browser without a window, started once for all tests of a file. */
async function launch(): Promise<Browser> {
  const executablePath = await findBrowser();
  return chromium.launch({
    ...(executablePath ? { executablePath } : {}),
    args: process.getuid?.() === 0 ? ['--no-sandbox'] : [],
  });
}

/** Ends the browser that `openPage` has started. */
export async function closeBrowser(): Promise<void> {
  await (await opened)?.close();
  opened = undefined;
}

/** Opens an address in a browser, with a profile of its own that is closed after the test. */
export async function openPage(url: string, options: BrowserContextOptions = {}): Promise<OpenedPage> {
  const browser = await (opened ??= launch());
  const context = await browser.newContext({ viewport: { width: 1280, height: 900 }, ...options });
  onTestFinished(() => context.close());
  const page = await context.newPage();
  const asked: string[] = [];
  const complaints: string[] = [];
  page.on('request', (request) => asked.push(request.url()));
  page.on('pageerror', (error) => complaints.push(String(error)));
  page.on('console', (line) => line.type() === 'error' && complaints.push(line.text()));
  await page.goto(url);
  return { page, asked, complaints };
}

/** Barriers for people with disabilities that axe finds on the page as it is: WCAG 2.2, levels A and AA. */
export async function barriersOn(page: Page): Promise<string[]> {
  await page.evaluate(axe.source);
  const runOnly = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa'];
  // the page's own globals, which the types of these tests do not know
  const { violations } = (await page.evaluate(`axe.run(document, ${JSON.stringify({ runOnly })})`)) as axe.AxeResults;
  return violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ target }) => target.join(' ')).join(', ')}`);
}
