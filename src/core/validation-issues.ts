import { z } from 'zod';
import { unwrapped } from '../schema/fields.ts';
import { distance, nearest } from './nearest.ts';
import { holdsSecret } from './secrets.ts';

/** Characters of a name that are shown and compared. */
const LONGEST_NAME = 60;

/** Shortens the name of a field for error messages. */
export const shortName = (name: string): string => (name.length > LONGEST_NAME ? `${name.slice(0, LONGEST_NAME)}…` : name);

/** Writes a path as in `files[1].path`. Long names, which a caller may choose, are shortened. */
export const formatPath = (path: readonly PropertyKey[]): string =>
  path.map((name, i) => (typeof name === 'number' ? `[${name}]` : `${i > 0 ? '.' : ''}${shortName(String(name))}`)).join('');

type Issue = z.core.$ZodIssue;
type Path = readonly PropertyKey[];

/** One error: an unknown key, or a value and what is expected. */
interface ValidationIssue {
  path: Path;
  key?: string;
  /** Noun phrases: `a text`, `at least 1`. */
  expected: string[];
  choices?: string[];
  /** Whether it is of another kind, rather than out of bounds. */
  isOther: boolean;
}

/** Collects the errors of issues in their order, with whole paths; of a union, those of the branch that the value was meant for. */
function collectIssues(issues: readonly Issue[], under: Path): ValidationIssue[] {
  return issues.flatMap((issue): ValidationIssue[] => {
    const path = [...under, ...issue.path];
    if (issue.code === 'unrecognized_keys') return issue.keys.map((key) => ({ path, key, expected: [], isOther: false }));
    if (issue.code === 'invalid_union' && issue.errors.length > 0) return issuesOfBestBranch(issue.errors, path);
    const choices = issue.code === 'invalid_value' ? issue.values.map(String) : undefined;
    const isOther = issue.code === 'invalid_type' || issue.code === 'invalid_value';
    return [{ path, expected: [expectation(issue)], isOther, ...(choices ? { choices } : {}) }];
  });
}

/** Whether the value is of another kind: then its length says nothing. */
const isOfOtherKind = ({ code, path }: Issue): boolean => code === 'invalid_type' && path.length === 0;

/**
 * Selects the issues of the branch that the value was meant for: of those of its kind, the one with the fewest. If it is of no kind, all
 * kinds are named.
 */
function issuesOfBestBranch(branches: readonly (readonly Issue[])[], path: Path): ValidationIssue[] {
  const weight = (collected: ValidationIssue[]) => collected.reduce((sum, { key }) => sum + (key === undefined ? 1 : 2), 0);
  const all = branches.map((issues) => collectIssues(issues.some(isOfOtherKind) ? issues.filter(isOfOtherKind) : issues, path));
  const [best] = all
    .filter((collected) => collected.every((item) => item.key !== undefined || item.path.length > path.length))
    .toSorted((a, b) => weight(a) - weight(b));
  if (best) return best;
  const here = all.flat().filter((item) => item.path.length === path.length);
  const choices = here.flatMap((item) => item.choices ?? []);
  const expected = [...new Set(here.flatMap((item) => item.expected))];
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

/** Writes what an issue expects, as a noun phrase, like the messages of the checks of a schema. */
function expectation(issue: Issue): string {
  if (issue.code === 'invalid_type') return KINDS[issue.expected] ?? issue.expected;
  if (issue.code === 'invalid_value') return `${issue.values.length > 1 ? 'one of ' : ''}${issue.values.map(String).join(', ')}`;
  if (issue.code === 'too_small') return bounded(issue.inclusive ? 'at least' : 'more than', issue.minimum, issue.origin);
  if (issue.code === 'too_big') return bounded(issue.inclusive ? 'at most' : 'less than', issue.maximum, issue.origin);
  if (isSentence(issue.message)) return issue.message;
  return issue.message.replace(/^Invalid input: /, '').replace(/^./, (letter) => letter.toLowerCase());
}

function bounded(words: string, limit: number | bigint, origin: string): string {
  const noun = COUNTED[origin];
  const unit = noun === undefined ? '' : ` ${limit === 1 ? noun : noun.replace(/y$/, 'ie').concat('s')}`;
  return `${words} ${limit.toLocaleString('en-US')}${unit}`;
}

/** The validated value and its schema, to say what was there instead, and which key was meant. */
interface Examined {
  schema: z.ZodType;
  value: unknown;
  /** Name of the value in errors about the whole. */
  whole?: string;
  /** Whether it is a part of a value with thousands of errors. */
  isSample?: boolean;
}

/** An error, in words. */
interface ValidationMessage {
  path: Path;
  /** `a whole number is expected`, `this key is unknown`: what is wrong, without what was there. */
  problem: string;
  /** `, not a text`; empty where the problem says it all. Never the value itself, which may be long, or secret. */
  instead: string;
  /** The probable intention or the alternatives, as a sentence. */
  hint?: string | undefined;
  /** Keys beside a misspelt one whose absence it explains: the one that was meant, and those of other branches of a union. */
  excused?: readonly string[];
}

/** Maximum errors that are explained in one message; the others are counted. */
const MOST_EXPLAINED = 10;

/**
 * Explains a validation error, with one line for each wrong value: `retrieval.top_k: a whole number is expected, not a text.` After ten
 * lines, the last one says how many more there are.
 */
export function explain(error: z.ZodError, examined: Examined): string {
  const { messages, more } = validationMessages(error, examined, MOST_EXPLAINED);
  const lines = messages.map(({ path, problem, instead, hint }, i) => {
    if (isSentence(problem)) return problem;
    const isNew = hint !== undefined && messages.findIndex((message) => message.hint === hint) === i;
    return `${formatPath(path) || (examined.whole ?? 'the request')}: ${problem}${instead}.${isNew ? ` ${hint}` : ''}`;
  });
  const rest = more === 1 ? 'And 1 more value does not fit.' : `And ${more.toLocaleString('en-US')} more values do not fit.`;
  return [...lines, ...(examined.isSample ? ['And thousands more values do not fit.'] : more > 0 ? [rest] : [])].join('\n');
}

/** Whether a check has a complete message, which stands for itself. */
const isSentence = (message: string): boolean => /^\p{Lu}.*\.$/su.test(message);

/**
 * Explains the first `most` errors, and counts the others. Unknown keys come first; the missing key that a misspelt one was meant for is
 * no error of its own. Of a union, the branch that fits best is reported.
 */
export function validationMessages(
  error: z.ZodError,
  { schema, value }: Examined,
  most = Infinity,
): { messages: ValidationMessage[]; more: number } {
  const own = error.issues.filter((issue) => !('note' in issue)); // without the bounds of all integers, which come before a schema's own
  const collected = collectIssues(own.length > 0 ? own : error.issues, []);
  const keys = collected.flatMap(({ path, key }) => (key === undefined ? [] : [{ path, key }]));
  const unknown = keys.slice(0, most).map(({ path, key }) => explainKey(path, key, { schema, value }));
  const excused = new Set(unknown.flatMap((message) => message.excused ?? []));
  const isOfItsOwn = ({ path, key, expected }: ValidationIssue): boolean => {
    if (key !== undefined || (valueAt(path, value) === undefined && excused.has(formatPath(path)))) return false;
    return keys.length === 0 || path.length > 0 || !isSentence(expected[0]!); // a check of the whole value means little while a key is wrong
  };
  const wrong = collected.filter(isOfItsOwn);
  const explained = [...unknown, ...wrong.slice(0, most - unknown.length).map((item) => explainValue(item, value))];
  const messages = [...new Map(explained.map((message) => [formatPath(message.path) + message.problem, message])).values()];
  return { messages, more: keys.length + wrong.length - explained.length };
}

function explainValue(item: ValidationIssue, value: unknown): ValidationMessage {
  const { path, expected, choices } = item;
  if (isSentence(expected[0]!)) return { path, problem: expected[0]!, instead: '' };
  const found = valueAt(path, value);
  const meant = choices && typeof found === 'string' && found.length > SHORT_WORD ? nearest(shortName(found), choices) : undefined;
  const problem = `${listed(expected)} ${/^(?:at|more|less) .*(?:characters|entries)$/.test(expected.at(-1)!) ? 'are' : 'is'} expected`;
  return { path, problem, instead: describeValue(item, found), hint: meant && `Did you mean «${meant}»?` };
}

function explainKey(path: Path, key: string, { schema, value }: Examined): ValidationMessage {
  const objects = schemasAt(schema, path).filter((inner) => inner instanceof z.ZodObject);
  const owner = objects.find(({ shape }) => Object.hasOwn(shape, key));
  if (owner) {
    // of a union, zod may report a branch that does not know the key: the one that does explains the error
    const [item] = collectIssues(owner.safeParse(valueAt(path, value)).error?.issues ?? [], path);
    if (item && item.key === undefined) return explainValue(item, value);
    return { path: [...path, key], problem: 'this key does not go with the ones beside it', instead: '' };
  }
  const known = [...new Set(objects.flatMap(({ shape }) => Object.keys(shape)))];
  const here = (name: string): string => formatPath([...path, name]);
  const problem = { path: [...path, key], problem: 'this key is unknown', instead: '' };
  const inner = known.some((name) => distance(name, key) === 1) ? undefined : innerHint(path, key, objects);
  const meant = inner === undefined ? nearest(shortName(key), known) : undefined;
  if (meant === undefined) return { ...problem, hint: inner ?? keyHint(key, known) };
  const others = known.filter((name) => !objects.some(({ shape }) => Object.hasOwn(shape, meant) && Object.hasOwn(shape, name)));
  return { ...problem, hint: `Did you mean «${here(meant)}»?`, excused: [meant, ...others].map(here) };
}

/** Finds a key in a block beside this place: `collection` of a request that has it in `storage`. */
function innerHint(path: Path, key: string, objects: readonly z.ZodObject[]): string | undefined {
  for (const { shape } of objects) {
    for (const [name, field] of Object.entries(shape)) {
      const inner = unwrapped(field as z.ZodType);
      if (inner instanceof z.ZodObject && Object.hasOwn(inner.shape, key)) return `Here it is «${formatPath([...path, name, key])}».`;
    }
  }
  return undefined;
}

function keyHint(key: string, known: readonly string[]): string | undefined {
  if (holdsSecret(key)) return 'Credentials are read from the environment.';
  return known.length > 0 ? `Known here: ${known.join(', ')}.` : undefined;
}

const valueAt = (path: Path, value: unknown): unknown =>
  path.reduce<unknown>((inner, name) => (inner as Record<PropertyKey, unknown> | null | undefined)?.[name], value);

const listed = (words: readonly string[]): string =>
  words.length < 2 ? words.join('') : `${words.slice(0, -1).join(', ')} or ${words.at(-1)}`;

function describeValue({ isOther, expected, choices }: ValidationIssue, found: unknown): string {
  if (!isOther) return '';
  if (found === undefined) return ', and nothing was given';
  if (typeof found === 'string') return choices ? '' : ', not a text';
  if (Array.isArray(found)) return ', not a list';
  if (typeof found === 'object' && found !== null) return ', not an object';
  if (!Number.isFinite(found)) return `, not ${String(found)}`; // null, true, false, and numbers that are none
  return expected.includes('a whole number') ? ', not one with decimals' : ', not a number';
}

function schemasAt(schema: z.ZodType, path: Path): z.ZodType[] {
  const inner = unwrapped(schema);
  if (inner instanceof z.ZodUnion) return inner.options.flatMap((option) => schemasAt(option as z.ZodType, path));
  const [name, ...rest] = path;
  if (name === undefined) return [inner];
  if (inner instanceof z.ZodArray) return schemasAt(inner.element as z.ZodType, rest);
  if (inner instanceof z.ZodRecord) return schemasAt(inner.valueType as z.ZodType, rest);
  if (!(inner instanceof z.ZodObject) || !Object.hasOwn(inner.shape, name)) return [];
  return schemasAt(inner.shape[name as string] as z.ZodType, rest);
}

/** Maximum letters of a word that is near to any other. */
const SHORT_WORD = 3;
