import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { expect, it } from 'vitest';
import { packageRoot } from '../src/core/project.ts';

const docs = readdirSync(join(packageRoot, 'docs')).filter((name) => name.endsWith('.md'));
const PAGES = ['README.md', 'CONTRIBUTING.md', 'SECURITY.md', ...docs.map((name) => `docs/${name}`)];

const textOf = (path: string): string => readFileSync(path, 'utf8').replace(/^```[^]*?^```/gm, '');

/** The anchors of the headings of a page, as GitHub makes them. */
function anchorsOf(path: string): Set<string> {
  const seen = new Map<string, number>();
  const anchors = [...textOf(path).matchAll(/^#{1,6} (.+)$/gm)].map(([, heading]) => {
    const plain = heading!.replace(/\[([^\]]*)\]\([^)]*\)/g, '$1').toLowerCase();
    const anchor = plain.replace(/[^\p{L}\p{N}\p{M} _-]/gu, '').replaceAll(' ', '-');
    const count = seen.get(anchor) ?? 0;
    seen.set(anchor, count + 1);
    return count === 0 ? anchor : `${anchor}-${count}`;
  });
  return new Set(anchors);
}

it.each(PAGES)('links in %s lead to files and headings that exist', (page) => {
  const file = join(packageRoot, page);
  const links = [...textOf(file).matchAll(/\]\((?!https?:|mailto:)([^)\s]+)\)/g)].map(([, link]) => link!);
  const broken = links.filter((link) => {
    const [path = '', anchor] = link.split('#');
    const target = path === '' ? file : resolve(dirname(file), decodeURIComponent(path));
    if (!existsSync(target)) return true;
    return anchor !== undefined && statSync(target).isFile() && target.endsWith('.md') && !anchorsOf(target).has(anchor);
  });
  expect(broken).toEqual([]);
});

it('are linked: the page on security from README and SECURITY.md', () => {
  for (const page of ['README.md', 'SECURITY.md']) expect(textOf(join(packageRoot, page))).toContain('](docs/security.md');
  expect(textOf(join(packageRoot, 'README.md'))).toContain('](SECURITY.md)');
});
