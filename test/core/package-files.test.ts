import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { dirname, join, normalize, sep } from 'node:path';
import { expect, it } from 'vitest';
import { packageRoot } from '../../src/core/project.ts';

const { files, scripts } = JSON.parse(readFileSync(join(packageRoot, 'package.json'), 'utf8')) as {
  files: string[];
  scripts: Record<string, string>;
};
const packed = [...files, 'LICENSE', 'README.md', 'package.json'];
const docs = readdirSync(join(packageRoot, 'docs')).filter((name) => name.endsWith('.md'));
const pages = ['README.md', ...docs.map((name) => join('docs', name))];

/** The files that a page links to, from the folder of the package. */
const linksOf = (page: string): string[] =>
  [...readFileSync(join(packageRoot, page), 'utf8').matchAll(/\]\(([^()\s#]+)[^()]*\)/g)]
    .map(([, target]) => target!)
    .filter((target) => !/^[a-z]+:/.test(target))
    .map((target) => normalize(join(dirname(page), target)).replaceAll(sep, '/'));

it('README and documentation link only to files of the package', () => {
  const links = pages.flatMap((page) => linksOf(page).map((link) => ({ page, link })));
  expect(links.length).toBeGreaterThan(50);
  expect(links.filter(({ link }) => !existsSync(join(packageRoot, link)))).toEqual([]);
  expect(links.filter(({ link }) => !packed.some((file) => link === file || link.startsWith(`${file}/`)))).toEqual([]);
});

it('the package has no script that npm runs, or warns of, on installation', () => {
  expect(['preinstall', 'install', 'postinstall', 'prepare'].filter((name) => name in scripts)).toEqual([]);
});
