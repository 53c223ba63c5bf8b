import { z } from 'zod';
import { unwrapSchema } from '../schema/fields.ts';
import { findNearest, isWithinDistance } from './nearest.ts';
import { holdsSecret } from './secrets.ts';

/** Maximum characters of a name that are shown and compared. */
const MAX_NAME_LENGTH = 60;

/** Shortens the name of a field for error messages. */
export const shortName = (name: string): string => (name.length > MAX_NAME_LENGTH ? `${name.slice(0, MAX_NAME_LENGTH)}…` : name);

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
  /** Whether it has another type, rather than being out of bounds. */
  isWrongType: boolean;
}

/** Collects the errors of issues in their order, with whole paths; of a union, those of the branch that the value was meant for. */
function collectIssues(issues: readonly Issue[], under: Path): ValidationIssue[] {
  return issues.flatMap((issue): ValidationIssue[] => {
    const path = [...under, ...issue.path];
    if (issue.code === 'unrecognized_keys') return issue.keys.map((key) => ({ path, key, expected: [], isWrongType: false }));
    if (issue.code === 'invalid_union' && issue.errors.length > 0) return selectBranchIssues(issue.errors, path);
    const choices = issue.code === 'invalid_value' ? issue.values.map(String) : undefined;
    const isWrongType = issue.code === 'invalid_type' || issue.code === 'invalid_value';
    return [{ path, expected: [expectation(issue)], isWrongType, ...(choices ? { choices } : {}) }];
  });
}

/** Whether the value itself has another type. Its length is then not reported. */
const isTypeMismatch = ({ code, path }: Issue): boolean => code === 'invalid_type' && path.length === 0;

/**
 * Selects the issues of the branch that the value was meant for: among those of its type, the one with the fewest. If the type fits no
 * branch, all expected types are joined.
 */
function selectBranchIssues(branches: readonly (readonly Issue[])[], path: Path): ValidationIssue[] {
  const weight = (collected: ValidationIssue[]) => collected.reduce((sum, { key }) => sum + (key === undefined ? 1 : 2), 0);
  const all = branches.map((issues) => collectIssues(issues.some(isTypeMismatch) ? issues.filter(isTypeMismatch) : issues, path));
  const [best] = all
    .filter((collected) => collected.every((item) => item.key !== undefined || item.path.length > path.length))
    .toSorted((a, b) => weight(a) - weight(b));
  if (best) return best;
  const here = all.flat().filter((item) => item.path.length === path.length);
  const choices = here.flatMap((item) => item.choices ?? []);
  const expected = [...new Set(here.flatMap((item) => item.expected))];
  return [{ path, expected, isWrongType: true, ...(choices.length > 0 ? { choices } : {}) }];
}

const TYPE_NAMES: Record<string, string> = {
  string: 'a text',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  array: 'a list',
  object: 'an object',
  record: 'an object',
};
const UNIT_NAMES: Record<string, string> = { string: 'character', array: 'entry', set: 'entry' };

/** Writes what an issue expects, as a noun phrase, like the messages of the checks of a schema. */
function expectation(issue: Issue): string {
  if (issue.code === 'invalid_type') return TYPE_NAMES[issue.expected] ?? issue.expected;
  if (issue.code === 'invalid_value') return `${issue.values.length > 1 ? 'one of ' : ''}${issue.values.map(String).join(', ')}`;
  if (issue.code === 'too_small') return formatLimit(issue.inclusive ? 'at least' : 'more than', issue.minimum, issue.origin);
  if (issue.code === 'too_big') return formatLimit(issue.inclusive ? 'at most' : 'less than', issue.maximum, issue.origin);
  if (isSentence(issue.message)) return issue.message;
  return issue.message.replace(/^Invalid input: /, '').replace(/^./, (letter) => letter.toLowerCase());
}

function formatLimit(words: string, limit: number | bigint, origin: string): string {
  const noun = UNIT_NAMES[origin];
  const unit = noun === undefined ? '' : ` ${limit === 1 ? noun : noun.replace(/y$/, 'ie').concat('s')}`;
  return `${words} ${limit.toLocaleString('en-US')}${unit}`;
}

/** The validated value and its schema, from which a message says what was found, and which key was meant. */
interface ValidatedValue {
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
  /** What is wrong, without what was found: `a whole number is expected`, `this key is unknown`. */
  problem: string;
  /** What was found: `, not a text`; empty if `problem` suffices. Never the value itself, which may be long or secret. */
  actual: string;
  /** The probable intention or the alternatives, as a sentence. */
  hint?: string | undefined;
  /** Keys beside a misspelt one whose absence it explains: the one that was meant, and those of other branches of a union. */
  excused?: readonly string[];
}

/** Maximum errors that are explained in one message; the others are counted. */
const MAX_EXPLAINED = 10;

/**
 * Explains a validation error, with one line for each wrong value: `retrieval.top_k: a whole number is expected, not a text.` After ten
 * lines, the last one says how many more there are.
 */
export function explainValidationError(error: z.ZodError, examined: ValidatedValue): string {
  const { messages, more } = validationMessages(error, examined, MAX_EXPLAINED);
  const lines = messages.map(({ path, problem, actual, hint }, i) => {
    if (isSentence(problem)) return problem;
    const isNew = hint !== undefined && messages.findIndex((message) => message.hint === hint) === i;
    return `${formatPath(path) || (examined.whole ?? 'the request')}: ${problem}${actual}.${isNew ? ` ${hint}` : ''}`;
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
  { schema, value }: ValidatedValue,
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
  if (isSentence(expected[0]!)) return { path, problem: expected[0]!, actual: '' };
  const found = valueAt(path, value);
  const meant = choices && typeof found === 'string' && found.length > SHORT_WORD ? findNearest(shortName(found), choices) : undefined;
  const problem = `${joinAlternatives(expected)} ${/^(?:at|more|less) .*(?:characters|entries)$/.test(expected.at(-1)!) ? 'are' : 'is'} expected`;
  return { path, problem, actual: describeValue(item, found), hint: meant && `Did you mean "${meant}"?` };
}

function explainKey(path: Path, key: string, { schema, value }: ValidatedValue): ValidationMessage {
  const objects = schemasAt(schema, path).filter((inner) => inner instanceof z.ZodObject);
  const owner = objects.find(({ shape }) => Object.hasOwn(shape, key));
  if (owner) {
    // for a union, zod may report a branch without the key: the branch that has it explains the error
    const [item] = collectIssues(owner.safeParse(valueAt(path, value)).error?.issues ?? [], path);
    if (item && item.key === undefined) return explainValue(item, value);
    return { path: [...path, key], problem: 'this key does not go with the ones beside it', actual: '' };
  }
  const known = [...new Set(objects.flatMap(({ shape }) => Object.keys(shape)))];
  const here = (name: string): string => formatPath([...path, name]);
  const problem = { path: [...path, key], problem: 'this key is unknown', actual: '' };
  const inner = known.some((name) => isWithinDistance(name, key, 1)) ? undefined : innerHint(path, key, objects);
  const meant = inner === undefined ? findNearest(shortName(key), known) : undefined;
  if (meant === undefined) return { ...problem, hint: inner ?? keyHint(key, known) };
  const others = known.filter((name) => !objects.some(({ shape }) => Object.hasOwn(shape, meant) && Object.hasOwn(shape, name)));
  return { ...problem, hint: `Did you mean "${here(meant)}"?`, excused: [meant, ...others].map(here) };
}

/** Suggests the key inside a block of the same object: `storage.collection` for `collection`. */
function innerHint(path: Path, key: string, objects: readonly z.ZodObject[]): string | undefined {
  for (const { shape } of objects) {
    for (const [name, field] of Object.entries(shape)) {
      const inner = unwrapSchema(field as z.ZodType);
      if (inner instanceof z.ZodObject && Object.hasOwn(inner.shape, key)) return `Here it is "${formatPath([...path, name, key])}".`;
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

const joinAlternatives = (words: readonly string[]): string =>
  words.length < 2 ? words.join('') : `${words.slice(0, -1).join(', ')} or ${words.at(-1)}`;

function describeValue({ isWrongType, expected, choices }: ValidationIssue, found: unknown): string {
  if (!isWrongType) return '';
  if (found === undefined) return ', and nothing was given';
  if (typeof found === 'string') return choices ? '' : ', not a text';
  if (Array.isArray(found)) return ', not a list';
  if (typeof found === 'object' && found !== null) return ', not an object';
  if (!Number.isFinite(found)) return `, not ${String(found)}`; // null, true, false, NaN and infinities
  return expected.includes('a whole number') ? ', not one with decimals' : ', not a number';
}

function schemasAt(schema: z.ZodType, path: Path): z.ZodType[] {
  const inner = unwrapSchema(schema);
  if (inner instanceof z.ZodUnion) return inner.options.flatMap((option) => schemasAt(option as z.ZodType, path));
  const [name, ...rest] = path;
  if (name === undefined) return [inner];
  if (inner instanceof z.ZodArray) return schemasAt(inner.element as z.ZodType, rest);
  if (inner instanceof z.ZodRecord) return schemasAt(inner.valueType as z.ZodType, rest);
  if (!(inner instanceof z.ZodObject) || !Object.hasOwn(inner.shape, name)) return [];
  return schemasAt(inner.shape[name as string] as z.ZodType, rest);
}

/** Maximum letters of a word for which no other is suggested: so short a word resembles many. */
const SHORT_WORD = 3;
