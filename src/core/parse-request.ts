import { type Hint } from './advice/advice.ts';
import { z } from 'zod';
import { MAX_ENTRIES, MAX_NAME_LENGTH, unwrapSchema } from '../schema/fields.ts';
import { KbError } from './errors.ts';
import { explainValidationError, formatPath } from './validation-issues.ts';
import { type Chunking, DEFAULT_CHUNK_SIZE } from '../schema/config.ts';

type JsonObject = Record<string, unknown>;

const isObject = (value: unknown): value is JsonObject => typeof value === 'object' && value !== null && !Array.isArray(value);

/** Lists the alternatives of a schema, without optional wrappers. */
function alternativesOf(schema: z.ZodType): z.ZodType[] {
  const inner = unwrapSchema(schema);
  return inner instanceof z.ZodUnion ? inner.options.flatMap((option) => alternativesOf(option as z.ZodType)) : [inner];
}

/** The fields of this name in all alternatives of a union. */
const fieldsOf = (objects: readonly z.ZodObject[], name: string): z.ZodType[] =>
  objects.flatMap(({ shape }) => (Object.hasOwn(shape, name) ? [shape[name] as z.ZodType] : []));

/**
 * Copies a value without the fields that are null, if the schema lets them be absent: in JSON, both mean the same. Nulls that the schema does
 * not describe, such as metadata values, stay.
 */
export function withoutNulls(schema: z.ZodType, value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  const kinds = alternativesOf(schema);
  if (Array.isArray(value)) return inList(kinds, value);
  const objects = kinds.filter((kind) => kind instanceof z.ZodObject);
  return objects.length > 0 && isObject(value) ? inObject(objects, value) : value;
}

function inList(kinds: readonly z.ZodType[], list: readonly unknown[]): readonly unknown[] {
  const elements = kinds.flatMap((kind) => (kind instanceof z.ZodArray ? alternativesOf(kind.element as z.ZodType) : []));
  if (!elements.some((element) => element instanceof z.ZodObject || element instanceof z.ZodArray)) return list;
  const element = elements.length === 1 ? elements[0]! : z.union(elements as [z.ZodType, z.ZodType]);
  const entries = list.map((entry) => withoutNulls(element, entry));
  return entries.some((entry, i) => entry !== list[i]) ? entries : list;
}

function inObject(objects: readonly z.ZodObject[], given: JsonObject): JsonObject {
  let kept = given;
  const change = (name: string, value: unknown) => {
    if (kept === given) kept = { ...given };
    kept[name] = value;
  };
  for (const [name, value] of Object.entries(given)) {
    if (typeof value !== 'object') continue;
    const fields = fieldsOf(objects, name);
    if (value !== null) {
      const inner = fields.reduce((before, field) => withoutNulls(field, before), value as unknown);
      if (inner !== value) change(name, inner);
    } else if (fields.some((field) => field.safeParse(undefined).success)) {
      change(name, undefined);
      delete kept[name];
    }
  }
  return kept;
}

/**
 * Converts values of fields that came in another form: a text to the JSON value that it contains, a number or boolean to a text, if the schema of the field
 * refuses the value as it is. Other values stay, so that the schema reports them.
 */
export function coerceFields({ shape }: z.ZodObject, given: unknown): unknown {
  if (!isObject(given)) return given;
  return Object.fromEntries(
    Object.entries(given).map(([name, value]) => [name, Object.hasOwn(shape, name) ? coerceValue(shape[name] as z.ZodType, value) : value]),
  );
}

function coerceValue(field: z.ZodType, value: unknown): unknown {
  const type = unwrapSchema(field);
  const isText = type instanceof z.ZodString || type instanceof z.ZodEnum;
  if (isText) return typeof value === 'number' || typeof value === 'boolean' ? String(value) : value;
  if (typeof value !== 'string' || field.safeParse(value).success) return value;
  try {
    return JSON.parse(value) as unknown;
  } catch {
    return value;
  }
}

const MAX_KEYS = 10_000;

/** Maximum lists and objects in one value: a body of ten megabytes may hold millions of empty ones, which take twenty times as much memory. */
const MAX_CONTAINERS = 400_000;

/** Maximum nesting of lists and objects: far beyond that of any valid request. */
const MAX_DEPTH = 64;

/** Number of names that are shown of a path that is too deep. */
const NAMES_SHOWN = 2;

/**
 * Finds what schemas do not check: a key that they drop silently, a value nested too deep, too many or too long keys, too many lists and objects.
 * Returns a message; undefined if there is none. The length of lists is checked by the schema.
 */
export function findUnsafeData(value: unknown, path: readonly PropertyKey[], whole: string): string | undefined {
  let containers = 0;
  const examine = (inner: unknown, at: readonly PropertyKey[]): string | undefined => {
    if (typeof inner !== 'object' || inner === null) return undefined;
    if (at.length > MAX_DEPTH)
      return `${formatPath(at.slice(0, NAMES_SHOWN))}: at most ${MAX_DEPTH} levels of lists and objects are expected.`;
    if (++containers > MAX_CONTAINERS) return tooManyContainers(whole);
    const problem = Array.isArray(inner) ? undefined : findUnsafeKey(inner, at, whole);
    if (problem !== undefined || isForeign(inner)) return problem;
    for (const name of Array.isArray(inner) ? objectIndexes(inner) : Object.keys(inner)) {
      const entry = (inner as Record<PropertyKey, unknown>)[name];
      const found = typeof entry === 'object' ? examine(entry, [...at, name]) : undefined;
      if (found !== undefined) return found;
    }
    return undefined;
  };
  return examine(value, path);
}

/** Whether an object is not plain data: bytes and streams of a library caller. */
function isForeign(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  return !Array.isArray(value) && prototype !== Object.prototype && prototype !== null;
}

function findUnsafeKey(value: object, path: readonly PropertyKey[], whole: string): string | undefined {
  if (isForeign(value)) return undefined;
  if (Object.hasOwn(value, '__proto__')) return `${formatPath([...path, '__proto__'])}: no key may have this name.`;
  const keys = Object.keys(value);
  if (keys.length > MAX_KEYS)
    return `${formatPath(path) || whole}: at most ${figure(MAX_KEYS)} keys are expected, not ${figure(keys.length)}.`;
  const long = keys.find((key) => key.length > MAX_NAME_LENGTH);
  return long === undefined
    ? undefined
    : `${formatPath([...path, long])}: a key has at most ${MAX_NAME_LENGTH} characters, not ${long.length}.`;
}

const [QUOTE, BACKSLASH, COLON, COMMA] = [0x22, 0x5c, 0x3a, 0x2c];
const [OPENING_BRACKET, CLOSING_BRACKET, OPENING_BRACE, CLOSING_BRACE] = [0x5b, 0x5d, 0x7b, 0x7d];

/** Bounds of a JSON text. */
interface JsonBounds {
  /** Levels of lists and objects. */
  depth: number;
  /** Keys of one object. */
  keys: number;
  /** Entries of one list. */
  entries: number;
  /** Lists and objects in all. */
  containers: number;
}

const REQUEST_BOUNDS: JsonBounds = { depth: MAX_DEPTH, keys: MAX_KEYS, entries: MAX_ENTRIES, containers: MAX_CONTAINERS };

/**
 * Finds in a JSON text what `findUnsafeData` or a schema rejects in its value: too many levels, keys, entries of a list, lists and objects. Parsing and
 * validating such a text takes seconds, and many times its memory. Returns what is expected (`at most 10,000 keys in one object`); undefined if there is no
 * problem. A text that is not JSON has any result.
 */
export function findUnsafeJson(text: string, bounds = REQUEST_BOUNDS): string | undefined {
  const levels = [{ isList: false, keys: 0, commas: 0 }];
  let level = levels[0]!;
  let containers = 0;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) at = endOfString(text, at);
    else if (code === COMMA) {
      if (++level.commas >= bounds.entries && level.isList) return `at most ${figure(bounds.entries)} entries in one list`;
    } else if (code === COLON) {
      if (++level.keys > bounds.keys) return `at most ${figure(bounds.keys)} keys in one object`;
    } else if (code === OPENING_BRACKET || code === OPENING_BRACE) {
      level = { isList: code === OPENING_BRACKET, keys: 0, commas: 0 };
      if (levels.push(level) > bounds.depth + 2) return `at most ${figure(bounds.depth)} levels of lists and objects`;
      if (++containers > bounds.containers) return `at most ${figure(bounds.containers)} lists and objects in all`;
    } else if ((code === CLOSING_BRACKET || code === CLOSING_BRACE) && levels.length > 1) {
      levels.pop();
      level = levels.at(-1)!;
    }
  }
  return undefined;
}

const figure = (bound: number): string => bound.toLocaleString('en-US');

/** The index of the quotation mark that ends the string at `start`; the end of the text if there is none. */
function endOfString(text: string, start: number): number {
  for (let end = text.indexOf('"', start + 1); end >= 0; end = text.indexOf('"', end + 1)) {
    let escapes = 0;
    while (text.charCodeAt(end - 1 - escapes) === BACKSLASH) escapes++;
    if (escapes % 2 === 0) return end;
  }
  return text.length;
}

const tooManyContainers = (whole: string): string => `${whole}: at most ${figure(MAX_CONTAINERS)} lists and objects are expected in all.`;

/** Lists the indexes of lists and objects in a list. A vector, by far the longest list, has none. */
function objectIndexes(list: readonly unknown[]): number[] {
  const indexes: number[] = [];
  for (let at = 0; at < list.length; at++) if (typeof list[at] === 'object') indexes.push(at);
  return indexes;
}

/** Throws a KbError (`usage`) for a value with a key `__proto__` anywhere, which schemas drop silently, and for one with too many levels or keys. */
export function assertPlainData(value: unknown, path: readonly PropertyKey[] = []): void {
  const problem = findUnsafeData(value, path, 'the request');
  if (problem !== undefined) throw new KbError('usage', problem);
}

/** Origin of a value that is not a whole request: its place, its name in errors about the whole, and a hint. */
interface Origin {
  where: string;
  whole: string;
  hint?: Hint;
}

/** Parses a flag, a line or a file by a schema. Throws a KbError (`usage`) that says where it is and what is invalid. */
export function parsePart<Schema extends z.ZodType>(schema: Schema, value: unknown, { where, whole, hint }: Origin): z.output<Schema> {
  const problem = findUnsafeData(value, [], whole);
  const result = schema.safeParse(value);
  if (result.success && problem === undefined) return result.data;
  throw new KbError(
    'usage',
    `${where}: ${problem ?? explainValidationError(result.error!, { schema, value, whole })}`,
    hint === undefined ? {} : { hint },
  );
}

/** Explains in a sentence why the chunk sizes contradict each other; undefined if they are valid. `nameOf` names the keys. */
export function explainChunkingConflict(
  { chunk_size = DEFAULT_CHUNK_SIZE, chunk_overlap }: Chunking,
  nameOf = (path: string): string => path,
): string | undefined {
  if (chunk_overlap <= chunk_size) return undefined;
  const [overlap, size] = [nameOf('chunking.chunk_overlap'), nameOf('chunking.chunk_size')];
  return `${overlap} (${chunk_overlap}) is larger than ${size} (${chunk_size}): a chunk can't repeat more than it holds.`;
}

/** Explains in a sentence why the overlap that a request names is too large; undefined if it is not: each text would be sent back many times. */
export function explainRequestedOverlap({ chunk_size = DEFAULT_CHUNK_SIZE, chunk_overlap }: Chunking): string | undefined {
  if (chunk_overlap <= chunk_size / 2) return undefined;
  return `chunking.chunk_overlap (${chunk_overlap}) is more than half of chunking.chunk_size (${chunk_size}): a chunk repeats at most as much as it adds.`;
}

/** Maximum errors that are collected from one value: those of a request of ten megabytes would block a server for seconds. */
const MAX_ERRORS = 10_000;
/** Entries of each list that are validated again if a value has too many errors. */
const SAMPLE = 10;

class TooManyErrors extends Error {}

/** Parses a request; null for an optional field means that it is absent. Throws a KbError (`usage`) that explains what does not fit, in time linear in its size. */
export function parseRequest<Schema extends z.ZodType>(schema: Schema, given: unknown): z.output<Schema> {
  assertPlainData(given);
  const value = withoutNulls(schema, given);
  const result = parseBounded(schema, value);
  if (result?.success) return result.data;
  if (result) throw new KbError('usage', explainValidationError(result.error, { schema, value }));
  const sample = takeSample(value);
  const sampleResult = parseBounded(schema, sample);
  throw new KbError(
    'usage',
    sampleResult && !sampleResult.success
      ? explainValidationError(sampleResult.error, { schema, value: sample, isSample: true })
      : `the request: more than ${MAX_ERRORS.toLocaleString('en-US')} values in it do not fit.`,
  );
}

/** Parses a value; undefined if it has too many errors to report. */
function parseBounded<Schema extends z.ZodType>(schema: Schema, value: unknown): z.ZodSafeParseResult<z.output<Schema>> | undefined {
  let errors = 0;
  const error = () => {
    if (++errors > MAX_ERRORS) throw new TooManyErrors();
    return undefined;
  };
  try {
    const result = schema.safeParse(value, { error });
    void result.error?.issues; // zod may create them only now
    return result;
  } catch (thrown) {
    if (thrown instanceof TooManyErrors) return undefined;
    throw thrown;
  }
}

function takeSample(value: unknown): unknown {
  if (Array.isArray(value)) return value.slice(0, SAMPLE).map(takeSample);
  if (typeof value !== 'object' || value === null || Object.getPrototypeOf(value) !== Object.prototype) return value;
  return Object.fromEntries(Object.entries(value).map(([name, entry]) => [name, takeSample(entry)]));
}
