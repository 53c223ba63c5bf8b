import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { packageRoot } from '../src/base/project.ts';
import { genericInputs, inputsFor, repeats } from './support/growing-inputs.ts';
import { growsFasterThanInput, searching } from './support/linear-time.ts';
import { literalPatterns, recordConstructed, type Pattern } from './support/regular-expressions.ts';

// A text of 100,000 characters keeps the event loop for a minute where one expression takes quadratic time.

/** The modules of the sources that construct regular expressions. */
const constructing = (): string[] =>
  readdirSync(join(packageRoot, 'src'), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts') && !name.endsWith('.d.ts') && !name.endsWith('-worker.ts'))
    .map((name) => join(packageRoot, 'src', name))
    .filter((path) => readFileSync(path, 'utf8').includes('new RegExp('));

/** The expressions that take more than linear time, each with the beginning of a text that shows it. */
function slowOnes(patterns: readonly Pattern[]): string[] {
  const distinct = new Map(patterns.filter(({ regex }) => repeats(regex)).map((pattern) => [String(pattern.regex), pattern]));
  return [...distinct.values()].flatMap(({ regex, where }) => {
    const work = searching(regex);
    const input = [...inputsFor(regex), ...genericInputs].find((growing) => growsFasterThanInput(work, growing));
    return input ? [`${where} ${String(regex)}: ${JSON.stringify(input(24))}`] : [];
  });
}

it('finds quadratic expressions, and passes linear ones', () => {
  const pattern = (regex: RegExp): Pattern => ({ regex, where: 'here' });
  const quadratic = [/\s+$/, /,?\s+and\s/i, /<[^>]*>/g, /(?:a|b)*c/, /\[([^\]]*)\]\(/, /^(.*?)\s*#*$/, /^(?:a+)+$/];
  for (const regex of quadratic) expect(slowOnes([pattern(regex)]), String(regex)).toHaveLength(1);
  expect(slowOnes([/(?<!\s)\s+$/, /^[\s>]*a/, /<[^<>]*>/g, /[\w-]{2,40}:/, /\p{L}+(?!\p{L})/gu].map(pattern))).toEqual([]);
});

it('finds every literal', () => {
  const found = literalPatterns();
  expect(found.length).toBeGreaterThan(500);
  expect(found.map(({ where }) => where.split(':')[0])).toContain('src/base/asked.ts');
});

it('has no literal that takes more than linear time', { timeout: 600_000 }, () => {
  expect(slowOnes(literalPatterns())).toEqual([]);
});

it('constructs none that takes more than linear time', { timeout: 600_000 }, async () => {
  const { patterns, stop } = recordConstructed();
  for (const path of constructing()) await import(path);
  stop();
  expect(patterns.length).toBeGreaterThan(20);
  expect(slowOnes(patterns)).toEqual([]);
});
