import { readdirSync, readFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { completenessOf } from '../../bench/visible-text.ts';
import { htmlParser } from '../../src/html/page.ts';

// Of every page of documentation, each heading and at least 98 % of the words of its content are in the document.

const SHARE = 0.98;
const PAGES = fileURLToPath(new URL('../pages', import.meta.url));
/** Folders of real pages, read with all below them. */
const real = (process.env.KB_TEST_PAGES ?? '').split(delimiter).filter(Boolean);

const pagesIn = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((path) => /\.x?html?$/i.test(path))
    .toSorted()
    .map((path) => join(folder, path));

/** What a page lost, in words; undefined for one that is whole. */
async function lossOf(path: string): Promise<string | undefined> {
  const bytes = readFileSync(path);
  const { text } = await htmlParser.parse(bytes, { source: path });
  const { words, kept, lost, missing } = await completenessOf(bytes, text);
  return kept >= words * SHARE && lost.length === 0
    ? undefined
    : `${path}: ${kept} of ${words} words, without ${missing.slice(0, 8).join(' ')}; headings lost: ${lost.join(', ')}`;
}

describe('the document of a page', () => {
  it.each(pagesIn(PAGES).map((path) => [path.slice(PAGES.length + 1), path]))('contains the content of %s', async (_name, path) => {
    expect(await lossOf(path!)).toBeUndefined();
  });

  it('does not contain the navigation', async () => {
    for (const path of pagesIn(PAGES)) {
      const { text } = await htmlParser.parse(readFileSync(path), { source: path });
      expect(text, path).not.toMatch(/\b(?:Prev|Toggle|Table of contents)\b/);
    }
  });
});

describe.skipIf(real.length === 0)(`the documents of real pages${real.length === 0 ? ' (KB_TEST_PAGES names no folders)' : ''}`, () => {
  it.each(real.flatMap(pagesIn))('contain the content of %s', { timeout: 60_000 }, async (path) => {
    expect(await lossOf(path)).toBeUndefined();
  });
});
