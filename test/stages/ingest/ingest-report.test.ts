import { describe, expect, it } from 'vitest';
import { leftOutShare, OmittedContent } from '../../../src/stages/ingest/ingest-report.ts';
import { read } from '../../../packages/documents/test/support/read.ts';

describe('the omitted content of a page', () => {
  const paragraph = '<p>The hut is looked at every spring, by someone who knows it, before the first guests come up and ask for soup.</p>';
  const teaser = '<div><h3>Another story</h3><p>Read here what became of the well, the bench and the gate in a dry year.</p></div>';
  const page = (head: string, teasers: number) =>
    read(
      'html',
      `<html><head><title>Hut</title>${head}</head><body><div class="story"><h1>Hut</h1>${paragraph.repeat(20)}</div><div class="related-teasers">${teaser.repeat(teasers)}</div></body></html>`,
    );

  it('is a share in the metadata of a page that declares itself an article', async () => {
    const shared = '<meta property="og:type" content="article">';
    expect((await page(shared, 12)).metadata.left_out).toBeGreaterThan(0.1);
    expect((await page(shared, 0)).metadata.left_out).toBeUndefined();
    const whole = await page('', 12);
    expect(whole.metadata.left_out).toBeUndefined();
    expect(whole.text).toContain('Another story');
  });

  it('includes a menu that no markup declares to be one', async () => {
    const menu = `<div id="left-column"><ul>${Array.from({ length: 30 }, (_, i) => `<li><a href="/${i}">A page about the hut, number ${i}</a></li>`).join('')}</ul></div>`;
    const story = `<div class="story"><h1>Hut</h1>${paragraph.repeat(20)}</div>`;
    const head = '<title>Hut</title><meta property="og:type" content="article">';
    const shareOf = async (body: string) => (await read('html', `<html><head>${head}</head><body>${body}</body></html>`)).metadata.left_out;
    expect(await shareOf(`${menu}${story}`)).toBeGreaterThan(0.1);
    expect(await shareOf(`<nav>${menu}</nav>${story}`)).toBeUndefined();
  });

  it('is reported in one sentence, largest share first', () => {
    const pages = new OmittedContent();
    expect(pages.notices()).toEqual([]);
    for (const [source, left_out] of [
      ['a', 0.2],
      ['b', 0.5],
      ['c', undefined],
      ['d', 0.3],
      ['e', 0.12],
    ] as const)
      pages.add(source, { left_out });
    expect(pages.notices()[0]).toMatch(/^Menus, teasers, comments and the like were left out of 4 pages, more than 2% of the text: /);
    expect(pages.notices()[0]).toMatch(/: b \(50%\), d \(30%\), a \(20%\) and 1 more\. .*ingestion\.html: whole/);
    expect(leftOutShare({ left_out: 0.2 })).toEqual({ left_out: 0.2 });
    expect(leftOutShare()).toEqual({});
  });

  it('is the number of words that files show and their text lacks', () => {
    const files = new OmittedContent();
    files.add('a.docx', { missing_words: 3 });
    files.add('b.pdf', { missing_words: 1_200 });
    files.add('c.pdf', {});
    expect(files.notices()).toEqual(['1,203 words that 2 files show could not be read: b.pdf (1,200 words), a.docx (3 words).']);
  });

  it('is the number of formulas whose results a file does not have', () => {
    const files = new OmittedContent();
    files.add('a.xlsx', { formulas_without_result: 4 });
    expect(files.notices()).toEqual([
      'The results of 4 formulas are not stored in the file, so that kb shows the formulas: a.xlsx (4). Open and save it in Excel or LibreOffice to calculate them.',
    ]);
  });
});
