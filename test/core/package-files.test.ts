import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { packageRoot } from '../../src/core/project.ts';

it('the README links to nothing that the package lacks', () => {
  const { files } = JSON.parse(readFileSync(join(packageRoot, 'package.json'), 'utf8')) as { files: string[] };
  const there = [...files, 'LICENSE', 'README.md', 'package.json'];
  const readme = readFileSync(join(packageRoot, 'README.md'), 'utf8');
  const links = [...readme.matchAll(/\]\(([^()\s#]+)[^()]*\)/g)].map(([, target]) => target!).filter((target) => !/^[a-z]+:/.test(target));
  expect(links.length).toBeGreaterThan(10);
  expect(links.filter((link) => !there.some((file) => link === file || link.startsWith(`${file}/`)))).toEqual([]);
});
