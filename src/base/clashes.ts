import type { z } from 'zod';

export type Issue = z.core.$ZodIssue;
export type Path = readonly PropertyKey[];

/** One thing that does not fit: an unknown key, or a value and what it might have been. */
export interface Clash {
  path: Path;
  key?: string;
  /** Noun phrases: `a text`, `at least 1`. */
  expected: string[];
  choices?: string[];
  /** Whether it is of another kind, rather than out of bounds. */
  isOther: boolean;
}

/** Everything that issues say, in their order, with whole paths. Of a union, the branch that the value was meant for. */
export function clashesOf(issues: readonly Issue[], under: Path): Clash[] {
  return issues.flatMap((issue): Clash[] => {
    const path = [...under, ...issue.path];
    if (issue.code === 'unrecognized_keys') return issue.keys.map((key) => ({ path, key, expected: [], isOther: false }));
    if (issue.code === 'invalid_union' && issue.errors.length > 0) return ofBestBranch(issue.errors, path);
    const choices = issue.code === 'invalid_value' ? issue.values.map(String) : undefined;
    const isOther = issue.code === 'invalid_type' || issue.code === 'invalid_value';
    return [{ path, expected: [expectation(issue)], isOther, ...(choices ? { choices } : {}) }];
  });
}

/** The value is of another kind: that it is also too long, or too short, says nothing. */
const isOfNoKind = ({ code, path }: Issue): boolean => code === 'invalid_type' && path.length === 0;

/** What is wrong in the branch that the value was meant for: the one of its kind with the fewest misfits. Where it is of no branch's kind, all that it might be. */
function ofBestBranch(branches: readonly (readonly Issue[])[], path: Path): Clash[] {
  const weight = (clashes: Clash[]) => clashes.reduce((sum, { key }) => sum + (key === undefined ? 1 : 2), 0);
  const all = branches.map((issues) => clashesOf(issues.some(isOfNoKind) ? issues.filter(isOfNoKind) : issues, path));
  const [best] = all
    .filter((clashes) => clashes.every((clash) => clash.key !== undefined || clash.path.length > path.length))
    .toSorted((a, b) => weight(a) - weight(b));
  if (best) return best;
  const here = all.flat().filter((clash) => clash.path.length === path.length);
  const choices = here.flatMap((clash) => clash.choices ?? []);
  const expected = [...new Set(here.flatMap((clash) => clash.expected))];
  return [{ path, expected, isOther: true, ...(choices.length > 0 ? { choices } : {}) }];
}

const KINDS: Record<string, string> = {
  string: 'a text',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  array: 'a list',
  object: 'an object',
  record: 'an object',
};
const COUNTED: Record<string, string> = { string: 'character', array: 'entry', set: 'entry' };

/** What an issue expects, as a noun phrase. The messages of a schema's own checks are written as such. */
function expectation(issue: Issue): string {
  if (issue.code === 'invalid_type') return KINDS[issue.expected] ?? issue.expected;
  if (issue.code === 'invalid_value') return `${issue.values.length > 1 ? 'one of ' : ''}${issue.values.map(String).join(', ')}`;
  if (issue.code === 'too_small') return bounded(issue.inclusive ? 'at least' : 'more than', issue.minimum, issue.origin);
  if (issue.code === 'too_big') return bounded(issue.inclusive ? 'at most' : 'less than', issue.maximum, issue.origin);
  return issue.message.replace(/^Invalid input: /, '').replace(/^./, (letter) => letter.toLowerCase());
}

function bounded(words: string, limit: number | bigint, origin: string): string {
  const noun = COUNTED[origin];
  const unit = noun === undefined ? '' : ` ${limit === 1 ? noun : noun.replace(/y$/, 'ie').concat('s')}`;
  return `${words} ${limit.toLocaleString('en-US')}${unit}`;
}
