import fc from 'fast-check';
import type { JsonSchema } from '../../src/server/openapi/components.ts';
import type { OpenApiDocument } from '../../src/server/openapi/openapi.ts';
import { resolved } from './openapi.ts';

/** Texts for the fields of a name, where any text would seldom do anything: names of files that are there, identifiers that are stored. */
export type Texts = Record<string, fc.Arbitrary<string>>;

/** Strings and lists are at most this long, however long they may be. */
const MAX_LENGTH = { string: 40, list: 3 };

const text = fc.oneof(
  fc.lorem({ maxCount: 4 }),
  fc.string({ maxLength: MAX_LENGTH.string }),
  fc.string({ maxLength: MAX_LENGTH.string, unit: 'grapheme' }),
  fc.string({ maxLength: MAX_LENGTH.string, unit: 'binary' }),
);

/** Values that fit a schema of the document. Throws for a keyword that it does not know: it would make values that do not fit. */
export function fitting(
  document: OpenApiDocument,
  given: JsonSchema,
  { texts = {}, name = '', within = [] }: { texts?: Texts; name?: string; within?: readonly string[] } = {},
): fc.Arbitrary<unknown> {
  const schema = resolved<JsonSchema>(document, given);
  const references = given.$ref === undefined ? within : [...within, given.$ref];
  const inner = (part: unknown, key = name) => fitting(document, part as JsonSchema, { texts, name: key, within: references });
  if (schema.enum) return texts[name] ?? fc.constantFrom(...(schema.enum as unknown[]));
  if ('const' in schema) return fc.constant(schema.const);
  const choices = (schema.anyOf ?? schema.oneOf) as unknown[] | undefined;
  if (choices) return fc.oneof(...choices.filter((part) => !leadsOn(part as JsonSchema, references)).map((part) => inner(part)));
  if (Array.isArray(schema.type)) return fc.oneof(...schema.type.map((type) => inner({ ...schema, type })));
  switch (schema.type) {
    case undefined:
      return fc.jsonValue({ maxDepth: 3 });
    case 'null':
      return fc.constant(null);
    case 'boolean':
      return fc.boolean();
    case 'string':
      return texts[name] ? fc.oneof({ weight: 3, arbitrary: texts[name] }, strings(schema)) : strings(schema);
    case 'integer':
    case 'number':
      return numbers(schema);
    case 'array':
      return fc.array(inner(schema.items ?? {}), {
        minLength: Number(schema.minItems ?? 0),
        maxLength: Math.min(MAX_LENGTH.list, Number(schema.maxItems ?? MAX_LENGTH.list)),
      });
    case 'object':
      return objects(schema, inner);
    default:
      throw new Error(`There are no values for the type ${JSON.stringify(schema.type)} yet.`);
  }
}

/** How often a schema may stand within itself. */
const MAX_DEPTH = 2;

/** Whether a choice leads once more into a schema that it stands in already. */
function leadsOn(part: JsonSchema, within: readonly string[]): boolean {
  const reference = part.$ref ?? (part.items as JsonSchema | undefined)?.$ref;
  return reference !== undefined && within.filter((one) => one === reference).length >= MAX_DEPTH;
}

function strings({
  minLength = 0,
  maxLength = Infinity,
  pattern,
  format,
}: JsonSchema & { minLength?: number; maxLength?: number }): fc.Arbitrary<string> {
  if (format === 'date-time') return fc.date({ noInvalidDate: true }).map((date) => date.toISOString());
  if (pattern !== undefined) return fc.stringMatching(new RegExp(String(pattern)));
  if (format !== undefined) throw new Error(`There are no values for the format ${String(format)} yet.`);
  return text.map((found) => [...found].slice(0, maxLength).join('')).filter((found) => [...found].length >= minLength);
}

function numbers(schema: JsonSchema): fc.Arbitrary<number> {
  const bound = (key: string, otherwise: number) => (schema[key] === undefined ? otherwise : Number(schema[key]));
  const [low, high] = [bound('minimum', bound('exclusiveMinimum', -1e6)), bound('maximum', bound('exclusiveMaximum', 1e6))];
  if (schema.type === 'integer')
    return fc.oneof(
      fc.integer({ min: low, max: Math.min(high, low + 20) }),
      fc.integer({ min: low, max: high }),
      fc.constantFrom(low, high),
    );
  const isInside = (value: number) => value !== schema.exclusiveMinimum && value !== schema.exclusiveMaximum;
  return fc.double({ min: low, max: high, noNaN: true }).filter(isInside);
}

function objects(schema: JsonSchema, inner: (part: unknown, key?: string) => fc.Arbitrary<unknown>): fc.Arbitrary<unknown> {
  const isRequired = (key: string) => schema.required?.includes(key);
  const fields = Object.entries(schema.properties ?? {}).map(
    ([key, part]) => [key, isRequired(key) ? inner(part, key) : seldom(inner(part, key))] as const,
  );
  const known = fc.record(Object.fromEntries(fields), { noNullPrototype: true }).map(given);
  const open = schema.additionalProperties;
  if (typeof open !== 'object' || fields.length > 0) return known;
  return fc.dictionary(fc.string({ maxLength: 10 }), inner(open), { maxKeys: 3, noNullPrototype: true });
}

/** Few of the fields that may be absent are there: most of those that there are exclude each other, or lead to something that is not there. */
const seldom = (value: fc.Arbitrary<unknown>): fc.Arbitrary<unknown> =>
  fc.oneof({ withCrossShrink: true }, { weight: 3, arbitrary: fc.constant(undefined) }, { weight: 1, arbitrary: value });

const given = (value: Record<string, unknown>): Record<string, unknown> =>
  Object.fromEntries(Object.entries(value).filter(([, part]) => part !== undefined));
