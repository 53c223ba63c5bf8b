import type { Page } from 'playwright';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { withBrowser } from '../support/browser.ts';
import { copied, folder, prepared, write } from '../support/folder.ts';
import { openOpenAiServer, type Reply } from '../support/openai-server.ts';
import { barriersOn, closeBrowser, openPage, serveFolder } from '../support/page.ts';
import { pdfFile } from '../../packages/documents/test/support/pdf-file.ts';
import { runCommand } from '../support/run-command.ts';
import { serveIn } from '../support/server.ts';

const TOKEN = 'correct-horse-battery';
const PHONE = { viewport: { width: 360, height: 740 }, isMobile: true, hasTouch: true };
const QUESTION = 'How long is the warranty on the boilers?';

const filler = 'Nothing else on this page is of any interest to anyone, but it is printed here all the same, line by line.';
const PAPERS = {
  'papers/warranty.md':
    '# Warranty\n\nThe machine is covered.\n\n## Periods\n\nThe warranty on the boilers is 60 months. It begins on the day of delivery.\n\n## Claims\n\nA claim needs the number under the handle.\n',
  'papers/manual.pdf': pdfFile([
    ['The machine weighs 11 kilograms.', ...Array.from({ length: 8 }, () => filler)],
    ['The fuse is rated at 13 amperes.', ...Array.from({ length: 8 }, () => filler)],
  ]),
};

/** A folder in which the papers are stored, and one with a second collection, "notes". */
let papers: string;
let withNotes: string;
/** A server on the papers, for tests that change nothing. */
let url: string;

beforeAll(() =>
  prepared(async (atEnd) => {
    papers = folder(PAPERS, atEnd);
    await runCommand(['ingest', '--docs', 'papers'], { cwd: papers });
    withNotes = copied(papers, atEnd);
    write(withNotes, { 'notes/lid.md': '# Lid\n\nThe lid of the boilers has the number 88-L.\n' });
    await runCommand(['ingest', '--docs', 'notes', '--collection', 'notes'], { cwd: withNotes });
    url = await serveFolder(papers, {}, atEnd);
  }),
);
afterAll(closeBrowser);

/** A server of the test's own, in this process, on a copy of the papers. */
const served = async (options: Parameters<typeof serveIn>[1] = {}, home = papers): Promise<string> =>
  (await serveIn(copied(home), options)).url;

/** The same, answered by a model. */
async function servedWithModel(reply: () => string | Reply): Promise<string> {
  const model = await openOpenAiServer({ reply });
  onTestFinished(() => model.close());
  return served({ settings: { chat: { llm: { provider: 'openai_compatible', model: 'm', options: { base_url: model.url } } } } });
}

async function ask(page: Page, question: string): Promise<void> {
  await page.getByRole('textbox', { name: 'Question' }).fill(question);
  await page.keyboard.press('Enter');
}

const reader = (page: Page) => page.getByRole('complementary', { name: 'Source' });

describe('the page at /', () => {
  it('is served with its own files, under a policy that allows nothing else', async () => {
    const response = await fetch(url);
    const html = await response.text();
    expect(response.headers.get('content-security-policy')).toMatch(/default-src 'none'; script-src 'self'; style-src 'self'/);
    expect(response.headers.get('content-security-policy')).not.toContain('unsafe');
    expect(html).not.toMatch(/<script(?![^>]*src=)|\son\w+=|style=/);
    const files = Array.from(html.matchAll(/(?:src|href)="([^"]+)"/g), ([, name]) => name!);
    const texts = await Promise.all(files.map(async (name) => (await fetch(new URL(name, url))).text()));
    expect(files).toHaveLength(3);
    expect([html, ...texts].reduce((sum, text) => sum + Buffer.byteLength(text), 0)).toBeLessThan(150 * 1024);
  });

  it('is answered with 304 while a file is the same', async () => {
    const etag = (await fetch(url)).headers.get('etag')!;
    expect((await fetch(url, { headers: { 'if-none-match': etag } })).status).toBe(304);
    expect((await fetch(`${url}/assets/main.js`, { headers: { 'if-none-match': etag } })).status).toBe(200);
  });

  it('is open although a token is needed, and nothing else is', async () => {
    const { url: closed } = await serveIn(folder(), { token: TOKEN });
    const statuses = await Promise.all(
      ['/', '/assets/main.js', '/v1/collections', '/docs'].map(async (path) => (await fetch(closed + path)).status),
    );
    expect(statuses).toEqual([200, 200, 401, 401]);
  });

  it('is absent with server.page: false', async () => {
    const { url: without } = await serveIn(folder(), { settings: { server: { page: false } } });
    expect([(await fetch(without)).status, (await fetch(`${without}/assets/main.js`)).status]).toEqual([404, 404]);
    expect((await fetch(`${without}/v1/health`)).status).toBe(200);
  });
});

withBrowser('the page', () => {
  it('answers with citations, each of which opens its passage in the section with the block marked; Esc leads back', async () => {
    const answering = await servedWithModel(() => ({ pieces: ['The boilers are ', 'covered for 60 months [1].'] }));
    const { page, asked, complaints } = await openPage(answering);
    await ask(page, QUESTION);
    const citation = page.getByRole('button', { name: '1: source, Warranty' });
    await citation.click();
    expect(await reader(page).locator('mark').allTextContents()).toEqual([
      'The warranty on the boilers is 60 months. It begins on the day of delivery.',
    ]);
    expect(await page.evaluate('scrollY')).toBe(0);
    expect(await reader(page).textContent()).toContain('A claim needs the number under the handle.');
    await page.keyboard.press('Escape');
    expect(await reader(page).isVisible()).toBe(false);
    expect(await citation.evaluate((element) => element === element.ownerDocument.activeElement)).toBe(true);
    expect([complaints, asked.filter((address) => !address.startsWith(answering))]).toEqual([[], []]);
  });

  it('suggests questions that the documents answer', async () => {
    const { page } = await openPage(url);
    await page.getByRole('button', { name: /^What is “Warranty.*” about\?$/ }).click();
    await page.getByRole('button', { name: '1: source, Warranty' }).first().waitFor();
    const other = (await openPage(url)).page;
    await other.getByRole('button', { name: 'What documents do you have?' }).click();
    const list = other.getByText('The knowledge base holds these documents');
    await list.waitFor();
    expect(await list.textContent()).toContain('(2)');
  });

  it('shows the page of a PDF, and its neighbours', async () => {
    const { page } = await openPage(url);
    await ask(page, 'What is the fuse rated at?');
    await page
      .getByRole('button', { name: /: source/ })
      .first()
      .click();
    await reader(page).getByText('Page 2 of 2').waitFor();
    expect(await reader(page).locator('mark').first().textContent()).toContain('13 amperes');
    const sketch = reader(page).getByRole('img', { name: 'page 2' });
    expect(await sketch.locator('.mark').count()).toBe(1);
    expect(await sketch.getAttribute('viewBox')).toMatch(/^0 0 77/);
    expect(await barriersOn(page)).toEqual([]);
    await page.getByRole('button', { name: 'Previous page' }).click();
    await reader(page).getByText('The machine weighs 11 kilograms.').waitFor();
    expect(await reader(page).locator('mark').count()).toBe(0);
  });

  it('says that a question is not answered', async () => {
    const { page } = await openPage(url);
    await ask(page, 'Who won the world cup?');
    await page.locator('.verdict.none').waitFor();
    expect(await page.locator('.verdict').textContent()).toContain('Not answered.');
  });

  it('stops an answer and keeps its beginning', async () => {
    const { page } = await openPage(await servedWithModel(() => ({ pieces: ['Sixty ', 'months ', 'from '], end: 'hang' })));
    await ask(page, QUESTION);
    await page.getByText('Sixty').waitFor();
    await page.getByRole('button', { name: 'Stop' }).click();
    await page.getByText('Stopped.').first().waitFor();
    expect(await page.getByText('Sixty').isVisible()).toBe(true);
    expect(await page.getByRole('button', { name: 'Ask again' }).isVisible()).toBe(true);
  });

  it('runs and loads nothing that an answer contains', async () => {
    const answer = [
      '<img src="http://127.0.0.1:9/x.png" onerror="document.title=1"><script>document.title=2</script>',
      '![a picture](http://127.0.0.1:9/y.png) [go](javascript:document.title=3)',
      '[there](https://a.example/) <a href="https://b.example/" onclick="document.title=4">and there</a> <div class="reader" style="position:fixed">plain</div>',
    ].join('\n\n');
    const final = {
      type: 'final',
      stage: 'complete',
      message: '',
      sequence: 1,
      data: { answer, sources: [], history: [], errors: [], intent: 'rag' },
    };
    const { page, asked, complaints } = await openPage(url);
    await page.route('**/v1/chat/stream', (route) =>
      route.fulfill({ contentType: 'text/event-stream', body: `event: final\ndata: ${JSON.stringify(final)}\n\n` }),
    );
    await ask(page, QUESTION);
    const prose = page.locator('.turn .prose');
    await prose.getByText('[a picture]').waitFor();
    expect(await prose.locator('img, script, [style], [onclick], [class*=reader], a[href^=javascript]').count()).toBe(0);
    expect(
      await prose.locator('a').evaluateAll((links) => links.map((link) => [link.getAttribute('href'), link.getAttribute('rel')])),
    ).toEqual([['https://a.example/', 'noopener noreferrer']]);
    expect([await page.title(), asked.filter((address) => address.includes(':9/')), complaints]).toEqual(['Ask · kb', [], []]);
  });

  it('stores the conversation in the browser, sends its history, and clears it', async () => {
    const { page } = await openPage(url);
    await ask(page, QUESTION);
    await page.locator('.verdict').waitFor();
    await page.reload();
    await page.getByRole('heading', { name: QUESTION }).waitFor();
    const request = page.waitForRequest((one) => one.url().endsWith('/v1/chat/stream'));
    await ask(page, 'And when does it begin?');
    expect((await request).postDataJSON().history).toHaveLength(2);
    await page.locator('.verdict').nth(1).waitFor();
    await page.getByRole('button', { name: 'Clear conversation' }).click();
    await page.reload();
    await page.getByRole('heading', { name: 'Ask your documents' }).waitFor();
    expect(await page.getByRole('heading', { name: QUESTION }).count()).toBe(0);
  });

  it('finds passages, which the keyboard can step through', async () => {
    const { page } = await openPage(url);
    await page.getByRole('heading', { name: 'Ask your documents' }).waitFor();
    await page.keyboard.press('Alt+2');
    await page.keyboard.type('warranty boilers');
    await page.keyboard.press('Enter');
    await page.locator('.hit').first().waitFor();
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    await reader(page).locator('mark').waitFor();
    await page.keyboard.press('Escape');
    await page.keyboard.press('/');
    expect(
      await page.getByRole('searchbox', { name: 'Search' }).evaluate((element) => element === element.ownerDocument.activeElement),
    ).toBe(true);
  });

  it('lists documents, finds one, shows and removes it', async () => {
    const { page } = await openPage(`${await served()}/#sources`);
    await page.getByText('2 documents').waitFor();
    await page.getByRole('searchbox', { name: 'Find a document' }).fill('warr');
    await page.getByText('1 document', { exact: true }).waitFor();
    await page.getByRole('button', { name: /papers\/warranty\.md/ }).click();
    await reader(page).getByText('The machine is covered.').waitFor();
    await reader(page).getByRole('button', { name: 'Remove' }).click();
    await reader(page).getByRole('button', { name: 'Remove for good?' }).click();
    await page.getByText('1 document ·').waitFor();
    await page.getByText('No document has these words').waitFor();
    expect(await reader(page).isVisible()).toBe(false);
  });

  it('finds a document by words that were typed before the list was loaded', async () => {
    const { page } = await openPage(url);
    let release = (): void => undefined;
    const released = new Promise<void>((resolve) => (release = resolve));
    await page.route(/\/sources\?limit/, async (route) => {
      await released;
      await route.continue();
    });
    await page.goto(new URL('#sources', page.url()).href);
    await page.reload();
    await page.getByText('2 documents').waitFor();
    await page.getByRole('searchbox', { name: 'Find a document' }).fill('warr');
    expect(await page.getByText('No document has these words').isVisible()).toBe(false);
    release();
    await page.getByText('1 document', { exact: true }).waitFor();
  });

  it('stores chosen and dropped files, and says why one failed', async () => {
    const { page } = await openPage((await serveIn(folder())).url);
    await page.getByText('Nothing is stored yet').waitFor();
    const file = (name: string, text: string) => ({ name, mimeType: 'text/plain', buffer: Buffer.from(text) });
    await page
      .locator('input[type=file]')
      .setInputFiles([file('lid.md', '# Lid\n\nThe lid has the number 88-L.'), file('broken.pdf', 'no PDF')]);
    const uploads = page.getByRole('list', { name: 'Added files' });
    await uploads.getByText('Stored: one passage.').waitFor();
    await uploads.locator('.failed .name', { hasText: 'broken.pdf' }).waitFor();
    const data = await page.evaluateHandle(
      "(() => { const data = new DataTransfer(); data.items.add(new File(['# Cup\\n\\nThe cup holds two decilitres.'], 'cup.md')); return data; })()",
    );
    for (const type of ['dragenter', 'drop']) await page.dispatchEvent('main', type, { dataTransfer: data });
    await page
      .getByRole('button', { name: /cup\.md/ })
      .and(page.locator('.document'))
      .waitFor();
    expect(await page.locator('.document').count()).toBe(2);
  });

  it('asks for the token if one is needed, rejects a wrong one, and forgets it with the tab', async () => {
    const { page } = await openPage(await served({ token: TOKEN }));
    const field = page.getByLabel('Token', { exact: true });
    await field.fill('wrong-horse-battery');
    await page.keyboard.press('Enter');
    await page.getByText('does not accept this token').waitFor();
    expect(await page.getByRole('textbox', { name: 'Question' }).isVisible()).toBe(false);
    await field.fill(TOKEN);
    await page.keyboard.press('Enter');
    await ask(page, QUESTION);
    await page.getByText('60 months').first().waitFor();
    expect(await page.evaluate('JSON.stringify(localStorage)')).not.toContain(TOKEN);
  });

  it('offers adding and removing if the token allows it, and says why a token is useless', async () => {
    const scopes = { reader: ['read' as const], dropper: ['admin' as const], both: ['read' as const, 'write' as const] };
    const tokens = Object.fromEntries(
      Object.entries(scopes).map(([name, list]) => [`${name}-of-papers`, { scopes: list, collections: ['*'] }]),
    );
    const { page } = await openPage(await served({ tokens }));
    const enter = async (token: string) => {
      await page.getByLabel('Token').fill(token);
      await page.keyboard.press('Enter');
    };
    await enter('dropper-of-papers');
    await page.getByText('This needs a token with the scope read').waitFor();
    for (const [token, shown] of [
      ['reader-of-papers', 0],
      ['both-of-papers', 1],
    ] as const) {
      await enter(token);
      await page.getByRole('link', { name: 'Sources' }).click();
      await page.getByRole('button', { name: 'warranty' }).filter({ visible: true }).first().click();
      await reader(page).getByRole('button', { name: 'Whole document' }).waitFor();
      expect([
        await page.getByRole('button', { name: 'Add files' }).count(),
        await reader(page).getByRole('button', { name: 'Remove' }).count(),
      ]).toEqual([shown, shown]);
      await page.getByRole('button', { name: 'Forget token' }).click();
    }
  });

  it('forgets the answers together with the token', async () => {
    const { page } = await openPage(await served({ token: TOKEN }));
    await page.getByLabel('Token', { exact: true }).fill(TOKEN);
    await page.keyboard.press('Enter');
    await ask(page, QUESTION);
    await page
      .getByRole('button', { name: /^1: source/ })
      .first()
      .waitFor();
    await page.getByRole('button', { name: 'Forget token' }).click();
    await page.getByLabel('Token', { exact: true }).waitFor();
    expect(await page.evaluate('JSON.stringify(localStorage)')).not.toContain('60 months');
  });

  it('begins with the configured collection, and asks the chosen one', async () => {
    const { page } = await openPage(await served({ settings: { collection: 'notes' } }, withNotes));
    const picker = page.getByRole('combobox', { name: 'Collection' });
    await page.getByRole('button', { name: 'Lid' }).waitFor();
    expect(await picker.inputValue()).toBe('notes');
    await picker.selectOption('default');
    await ask(page, QUESTION);
    await page.locator('.prose', { hasText: '60 months' }).waitFor();
    await page.reload();
    await page.locator('.verdict').waitFor();
    await picker.waitFor();
    expect(await picker.inputValue()).toBe('default');
  });

  it('asks and searches all collections at once, and shows the collection of each passage', async () => {
    const { page } = await openPage(await served({}, withNotes));
    const picker = page.getByRole('combobox', { name: 'Collection' });
    await picker.selectOption('All collections');
    await page.getByRole('button', { name: 'notes', exact: true }).waitFor();
    expect(await barriersOn(page)).toEqual([]);
    await ask(page, 'What number has the lid of the boilers?');
    await page.locator('.prose', { hasText: '88-L' }).waitFor();
    await page.locator('.source', { hasText: 'notes' }).first().click();
    await reader(page).getByText('notes · notes/lid.md').waitFor();
    await reader(page).getByRole('button', { name: 'Section' }).waitFor();
    await page.keyboard.press('Escape');
    await page.goto(new URL('#search', page.url()).href);
    await page.reload();
    await picker.waitFor();
    expect(await picker.inputValue()).toBe('*');
    await page.getByRole('searchbox', { name: 'Search' }).fill('boilers');
    await page.keyboard.press('Enter');
    await page.locator('.hit').nth(1).waitFor();
    expect((await page.locator('.hit .kind').allTextContents()).toSorted()).toEqual(expect.arrayContaining(['default', 'notes']));
    expect(await barriersOn(page)).toEqual([]);
    await picker.selectOption('default');
    await page.getByRole('link', { name: 'Ask' }).click();
    await ask(page, QUESTION);
    await page.locator('.verdict').nth(1).waitFor();
    expect(await page.locator('.turn').last().locator('.kind').count()).toBe(0);
  });

  it('fits its views, the collections and signing out on a phone', async () => {
    const { page } = await openPage(await served({ token: TOKEN }, withNotes), PHONE);
    await page.getByLabel('Token', { exact: true }).fill(TOKEN);
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'Forget token' }).waitFor();
    const heights = await page
      .getByRole('link', { name: /^(Ask|Search|Sources)$/ })
      .evaluateAll((links) => links.map((link) => link.clientHeight));
    expect(Math.max(...heights)).toBeLessThan(60);
    expect(await page.evaluate('document.documentElement.scrollWidth - innerWidth')).toBe(0);
    expect(await barriersOn(page)).toEqual([]);
  });

  it('closes the reader on a phone with the back button', async () => {
    const { page } = await openPage(url, PHONE);
    await page.getByRole('link', { name: 'Sources' }).click();
    await page.getByRole('button', { name: 'Warranty' }).first().click();
    await reader(page).getByText('The machine is covered.').waitFor();
    await page.goBack();
    await reader(page).waitFor({ state: 'hidden' });
    expect(await page.getByRole('searchbox', { name: 'Find a document' }).isVisible()).toBe(true);
  });

  it('reports that the server is down, and continues when it is back', async () => {
    const { page } = await openPage(url);
    await page.getByRole('heading', { name: 'Ask your documents' }).waitFor();
    await page.route('**/v1/**', (route) => route.abort());
    await ask(page, QUESTION);
    await page.getByText('Trying again…').waitFor();
    await page.unroute('**/v1/**');
    await page.getByText('Trying again…').waitFor({ state: 'hidden' });
    await page.getByRole('button', { name: 'Ask again' }).click();
    await page.locator('.verdict').waitFor();
    expect(await page.locator('.turn').last().textContent()).toContain('60 months');
  });

  it.each([
    ['light', { colorScheme: 'light' as const }],
    ['dark', { colorScheme: 'dark' as const }],
    ['on a phone', PHONE],
    ['on a phone, dark', { ...PHONE, colorScheme: 'dark' as const }],
  ])('has no barrier, and nothing that sticks out (%s)', async (_, options) => {
    const { page } = await openPage(url, options);
    const look = async (state: string) => {
      expect([state, await barriersOn(page)]).toEqual([state, []]);
      expect([state, await page.evaluate('document.documentElement.scrollWidth - innerWidth')]).toEqual([state, 0]);
    };
    await page.getByRole('button', { name: /^What is “Warranty.*” about\?$/ }).waitFor();
    await look('empty');
    await ask(page, QUESTION);
    await page.locator('.verdict').waitFor();
    await look('answered');
    await page
      .getByRole('button', { name: /: source/ })
      .first()
      .click();
    await reader(page).locator('mark').first().waitFor();
    await look('reading');
    await page.keyboard.press('Escape');
    for (const view of ['Search', 'Sources']) {
      await page.getByRole('link', { name: view }).click();
      if (view === 'Search') await page.getByRole('searchbox', { name: 'Search' }).fill('warranty');
      if (view === 'Search') await page.keyboard.press('Enter');
      await page
        .locator(view === 'Search' ? '.hit' : '.document')
        .first()
        .waitFor();
      await look(view);
    }
  });
});
