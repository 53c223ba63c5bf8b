import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseAst } from 'vitest/node';
import { packageRoot } from '../../src/core/project.ts';

/** A regular expression of the sources, and where it stands. */
export interface Pattern {
  regex: RegExp;
  where: string;
}

interface Node {
  type: string;
  start: number;
  regex?: { pattern: string; flags: string };
}

/** Every literal regular expression in the sources. */
export function literalPatterns(): Pattern[] {
  return ['src', 'commands', 'packages/documents/src'].flatMap((folder) =>
    readdirSync(join(packageRoot, folder), { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.ts') && !name.endsWith('.d.ts'))
      .flatMap((name) => literalsIn(join(folder, name))),
  );
}

function literalsIn(file: string): Pattern[] {
  const text = readFileSync(join(packageRoot, file), 'utf8');
  const found: Pattern[] = [];
  const visit = (node: unknown): void => {
    if (Array.isArray(node)) return node.forEach(visit);
    if (typeof node !== 'object' || node === null) return;
    const { type, start, regex } = node as Node;
    if (type === 'Literal' && regex) {
      const line = text.slice(0, start).split('\n').length;
      found.push({ regex: new RegExp(regex.pattern, regex.flags), where: `${file}:${line}` });
    } else Object.values(node).forEach(visit);
  };
  visit(parseAst(text, { lang: 'ts' }));
  return found;
}

/** Records every regular expression that is constructed, with its caller, until `stop` is called. */
export function recordConstructed(): { patterns: Pattern[]; stop: () => void } {
  const { RegExp: original } = globalThis;
  const seen = new Set<string>();
  const patterns: Pattern[] = [];
  globalThis.RegExp = new Proxy(original, {
    construct(target, given: [string, string?]) {
      const regex = new target(...given);
      const where = /(?:src|commands)\/[\w/.-]+\.ts:\d+/.exec(new Error('caller').stack?.split('\n').slice(2).join('\n') ?? '')?.[0];
      if (where && !seen.has(String(regex))) patterns.push({ regex, where });
      seen.add(String(regex));
      return regex;
    },
  });
  return { patterns, stop: () => void (globalThis.RegExp = original) };
}
