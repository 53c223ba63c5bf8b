import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { packageRoot } from '../../src/core/project.ts';

/** One import of a file. `to` is a path from the root of the project, or the name of a package. */
export interface Import {
  from: string;
  to: string;
  isType: boolean;
  /** By `import()`, when it is needed. */
  isLazy: boolean;
}

/** The TypeScript files in a folder, as paths from the root of the project. */
export const filesIn = (folder: string): string[] =>
  readdirSync(join(packageRoot, folder), { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    return entry.isDirectory() ? filesIn(path) : path.endsWith('.ts') ? [path] : [];
  });

export const text = (path: string): string => readFileSync(join(packageRoot, path), 'utf8');

export const lines = (path: string): number => text(path).split('\n').length - 1;

export function importsOf(from: string): Import[] {
  const source = text(from);
  const fixed = [...source.matchAll(/^(?:import|export)\s+(type\s+)?[^'"();]*?from\s+'([^']+)'|^import\s+'([^']+)'/gm)];
  const lazy = [...source.matchAll(/import\('([^']+)'\)/g)];
  const target = (name: string) => (name.startsWith('.') ? relative(packageRoot, resolve(packageRoot, dirname(from), name)) : name);
  return [
    ...fixed.map(([, type, name, bare]) => ({ from, to: target((name ?? bare)!), isType: Boolean(type), isLazy: false })),
    ...lazy.map(([, name]) => ({ from, to: target(name!), isType: false, isLazy: true })),
  ];
}

/** The longest chain of imports that begins with a file, itself first. The imports have no circle. */
export function chainsOf(imports: readonly Import[]): (path: string) => readonly string[] {
  const next = Map.groupBy(imports, ({ from }) => from);
  const chains = new Map<string, readonly string[]>();
  const chainOf = (path: string): readonly string[] => {
    const known = chains.get(path);
    if (known) return known;
    const below = (next.get(path) ?? []).map(({ to }) => chainOf(to));
    const chain = [path, ...(below.toSorted((one, other) => other.length - one.length)[0] ?? [])];
    chains.set(path, chain);
    return chain;
  };
  return chainOf;
}

/** The exports of a file, each once by its name: without default and re-exports. `isDocumented`: a docstring ends directly above. */
export function exportsOf(path: string): { name: string; isDocumented: boolean }[] {
  const EXPORT = /(?<=(\*\/)?\n)export (?:async )?(?:abstract )?(?:function\*?|const|class|type|interface) (\w+)/g;
  const found = Array.from(`\n${text(path)}`.matchAll(EXPORT), ([, end, name]) => ({ name: name!, isDocumented: end !== undefined }));
  return found.filter(({ name }, place) => found.findIndex((other) => other.name === name) === place);
}

/** Those that stand in a list more than once. */
export const twice = (names: readonly string[]): string[] => names.filter((name, place) => names.indexOf(name) !== place);
