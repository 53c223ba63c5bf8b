import { readFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';

/** Returns what the declarations that can be reached from a file import from packages. */
function importedPackages(entry: string): string[] {
  const files = new Set([entry]);
  const packages = new Set<string>();
  for (const file of files) {
    for (const [, target] of readFileSync(file, 'utf8').matchAll(/(?:from|import\()\s*['"]([^'"]+)['"]/g)) {
      if (target!.startsWith('.')) files.add(resolve(dirname(file), target!.replace(/\.[jt]s$/, '.d.ts')));
      else packages.add(target!);
    }
  }
  return [...packages];
}

describe('the types of the library', () => {
  it('need no types but those of installed packages: a project without @types/node compiles them', () => {
    expect(importedPackages(resolve(import.meta.dirname, '../../dist/src/index.d.ts'))).toEqual(['zod']);
  });
});
