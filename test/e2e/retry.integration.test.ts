import { join } from 'node:path';
import { writeFileSync } from 'node:fs';
import { expect, it, onTestFinished } from 'vitest';
import { folder } from '../support/folder.ts';
import { kb } from '../support/program.ts';
import { runCommand } from '../support/run-command.ts';
import { openSite } from '../support/site.ts';

const page = (title: string) => `<main><h1>${title}</h1><p>${`This is all there is to say of ${title}. `.repeat(8)}</p></main>`;

it('kb scrape --retry reads failed pages again, but not those that are gone', async () => {
  const web = await openSite({ '/ok': page('ok'), '/busy': { status: 503, headers: { 'retry-after': '0' } } });
  onTestFinished(() => web.close());
  const cwd = folder();
  const first = await kb(['scrape', ...['/ok', '/busy', '/gone'].map((path) => web.url + path), '--json'], { cwd });
  expect(first.code).toBe(1);
  writeFileSync(join(cwd, 'failed.json'), first.out);

  web.routes['/busy'] = page('busy');
  web.hits.length = 0;
  const again = await runCommand(['scrape', '--retry', 'failed.json', '--json'], { cwd });
  expect(again.code).toBe(0);
  expect(JSON.parse(again.out)).toMatchObject({ pages: 1, failed: 0, dlq: null, outputs: [{ source: `${web.url}/busy` }] });
  expect(web.hits.map(({ url }) => url)).toEqual(['/busy']);

  writeFileSync(join(cwd, 'failed.json'), again.out);
  expect(await runCommand(['scrape', '--retry', 'failed.json'], { cwd })).toMatchObject({
    code: 0,
    out: '',
    error: 'There is nothing to be read again.\n',
  });
  expect((await runCommand(['scrape'], { cwd })).code).toBe(2);
});
