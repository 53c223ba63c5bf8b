import { z } from 'zod';
import { MAX_LABEL_LENGTH, MAX_NAME_LENGTH } from '../fields.ts';

/** A value that a field is compared with. */
export type FilterScalar = string | number | boolean;

/** A range, with at least one bound. */
export interface FilterRange {
  gt?: string | number | undefined;
  gte?: string | number | undefined;
  lt?: string | number | undefined;
  lte?: string | number | undefined;
}

/** Condition on a field: a value, or an object of which all keys must hold. */
export type FilterCondition = FilterScalar | (FilterRange & { in?: FilterScalar[]; prefix?: string; exists?: boolean });

/** Conditions by field, all of which must hold; under `and` and `or` lists of filters, under `not` a filter. */
export interface Filter {
  [field: string]: FilterCondition | Filter | Filter[];
}

/** Limits: nested filters, filters in a list, conditions of a whole filter, values of `in` in the whole filter. */
const MAX_DEPTH = 8;
const MAX_FILTERS = 100;
const MAX_CONDITIONS = 1_000;
const MAX_VALUES = 10_000;
/** Maximum mistakes that are reported of one filter. */
const MAX_ISSUES = 100;

const BOUNDS = new Set(['gt', 'gte', 'lt', 'lte']);
const OPERATORS = ['in', 'gt', 'gte', 'lt', 'lte', 'prefix', 'exists'];

type Path = (string | number)[];

/** A mistake in a filter: its place, and what is expected there. */
interface FilterIssue {
  path: Path;
  expected: string;
}

const isObject = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null && !Array.isArray(value);
const isShortText = (value: unknown): boolean => typeof value === 'string' && value.length <= MAX_LABEL_LENGTH;
const isScalar = (value: unknown): boolean => isShortText(value) || typeof value === 'boolean' || Number.isFinite(value);

/** What has been counted of a whole filter. */
interface FilterCounts {
  conditions: number;
  /** Values of all lists under `in`. */
  values: number;
}

/** Finds the mistakes in a filter at a depth; `counted` counts its conditions. Of a filter with too many, those of the first are found. */
function* issuesOfFilter(
  filter: unknown,
  path: Path,
  { depth, counted }: { depth: number; counted: FilterCounts },
): Generator<FilterIssue, void> {
  if (depth > MAX_DEPTH) return yield { path, expected: `at most ${MAX_DEPTH} levels of filters` };
  if (!isObject(filter)) return yield { path, expected: 'an object such as {"year": {"gte": 2024}}' };
  const entries = Object.entries(filter);
  if (depth > 1 && entries.length === 0) yield { path, expected: 'at least one condition' };
  for (const [key, value] of entries) {
    const at = [...path, key];
    if (key.length > MAX_NAME_LENGTH) return yield { path: at, expected: `a field of at most ${MAX_NAME_LENGTH} characters` };
    const next = { depth: depth + 1, counted };
    if (key === 'not') yield* issuesOfFilter(value, at, next);
    else if (key === 'and' || key === 'or') yield* issuesOfList(value, at, next);
    else yield* issuesOfCondition(value, at, counted);
    if (counted.conditions > MAX_CONDITIONS) return;
    if (++counted.conditions > MAX_CONDITIONS)
      return yield { path: at, expected: `at most ${MAX_CONDITIONS.toLocaleString('en-US')} conditions` };
  }
}

function* issuesOfList(list: unknown, path: Path, next: Parameters<typeof issuesOfFilter>[2]): Generator<FilterIssue, void> {
  if (!Array.isArray(list) || list.length === 0 || list.length > MAX_FILTERS)
    return yield { path, expected: `a list of 1 to ${MAX_FILTERS} filters` };
  for (const [i, filter] of list.entries()) {
    yield* issuesOfFilter(filter, [...path, i], next);
    if (next.counted.conditions > MAX_CONDITIONS) return;
  }
}

/** Finds the mistakes in the condition of a field. */
function* issuesOfCondition(condition: unknown, path: Path, counted: FilterCounts): Generator<FilterIssue, void> {
  if (isScalar(condition)) return;
  if (!isObject(condition))
    return yield { path, expected: `${textExpected(condition)}, a number, true, false or an object with ${OPERATORS.join(', ')}` };
  const entries = Object.entries(condition).filter(([, value]) => value !== null && value !== undefined);
  if (entries.length === 0) yield { path, expected: `one of ${OPERATORS.join(', ')}` };
  for (const [sign, value] of entries) {
    if (sign === 'in' && Array.isArray(value)) counted.values += value.length;
    const expected = counted.values > MAX_VALUES && sign === 'in' ? VALUES : expectedOf(sign, value);
    if (expected !== undefined) yield { path: [...path, sign], expected };
  }
}

/** What is expected instead of a value that is not a text, or too long. */
const textExpected = (value: unknown): string =>
  typeof value === 'string' && value !== '' ? `a text of at most ${MAX_LABEL_LENGTH.toLocaleString('en-US')} characters` : 'a text';
const VALUES = `a list of 1 to ${MAX_VALUES.toLocaleString('en-US')} texts, numbers, true or false`;

/** What is expected instead of a value; undefined if the value is valid. */
function expectedOf(sign: string, value: unknown): string | undefined {
  if (BOUNDS.has(sign)) return isShortText(value) || Number.isFinite(value) ? undefined : `${textExpected(value)} or a number`;
  if (sign === 'prefix') return isShortText(value) && value !== '' ? undefined : textExpected(value);
  if (sign === 'exists') return typeof value === 'boolean' ? undefined : 'true or false';
  if (sign !== 'in') return `one of ${OPERATORS.join(', ')}`;
  return Array.isArray(value) && value.length > 0 && value.every(isScalar) ? undefined : VALUES;
}

const textSchema = { type: 'string', maxLength: MAX_LABEL_LENGTH };
const scalarSchema = { anyOf: [textSchema, { type: 'number' }, { type: 'boolean' }] };
const bound = (description: string) => ({ description, anyOf: [textSchema, { type: 'number' }] });
/** A nested filter. It is not described further, because client generators often fail on a schema that refers to itself. */
const nested = { type: 'object', description: 'A filter, under not, or in a list under and, or' };

/** The condition of a field as JSON Schema, as far as that can express it. */
const conditionSchema = {
  anyOf: [
    ...scalarSchema.anyOf,
    {
      type: 'object',
      properties: {
        in: { description: 'Any of these values', type: 'array', minItems: 1, maxItems: MAX_VALUES, items: scalarSchema },
        gt: bound('More than this'),
        gte: bound('At least this'),
        lt: bound('Less than this'),
        lte: bound('At most this'),
        prefix: { description: 'Text that begins like this', ...textSchema, minLength: 1 },
        exists: { description: 'Whether the field is there', type: 'boolean' },
      },
      additionalProperties: false,
    },
    { type: 'array', minItems: 1, maxItems: MAX_FILTERS, items: nested },
    nested,
  ],
};

/**
 * A filter on chunks. Fields are `source`, `title` and any metadata key, nested ones as dotted paths. A comparison with a missing field is
 * false; a list matches if any of its values does.
 */
export const Filter = z
  .record(z.string(), z.unknown() as z.ZodType<Filter[string]>)
  .check(({ value, issues }) => {
    let found = 0;
    for (const { path, expected } of issuesOfFilter(value, [], { depth: 1, counted: { conditions: 0, values: 0 } })) {
      issues.push({ code: 'custom', message: expected, path, input: value });
      if (++found === MAX_ISSUES) return;
    }
  })
  .meta({
    id: 'Filter',
    description:
      'Filter applied before the search: {"field": value}, or in place of the value {"in": [..]}, {"gte": .., "lt": ..}, {"prefix": ".."}, {"exists": true}. All keys must hold; {"or": [..]}, {"and": [..]} and {"not": {..}} combine filters, at most 8 deep',
    additionalProperties: conditionSchema,
  });
