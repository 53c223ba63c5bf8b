import { z } from 'zod';

/** A value in which one field has a chosen text. */
interface Variant<Value = unknown> {
  /** The field: `docs[].path`. */
  field: string;
  value: Value;
}

/** Lists, for every field of a request that takes text, in every form that the schema allows, a request with `text` in that field. */
export const variantsOf = (input: z.ZodType, text: string): Variant<Record<string, unknown>>[] =>
  [...walk(input, text)] as Variant<Record<string, unknown>>[];

/** Fields that may be nested without end are entered so far. */
const MAX_DEPTH = 8;

function* walk(schema: z.ZodType, text: string, { field = '', depth = 0 } = {}): Generator<Variant, void, void> {
  if (depth > MAX_DEPTH) return;
  const inner = { depth: depth + 1 };
  const inside = (variants: Iterable<Variant>, wrap: (value: unknown) => unknown): Variant[] =>
    [...variants].map((variant) => ({ ...variant, value: wrap(variant.value) }));
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodNullable || schema instanceof z.ZodDefault)
    yield* walk(schema.unwrap() as z.ZodType, text, { field, ...inner });
  else if (schema instanceof z.ZodPipe) yield* walk(schema.def.out as z.ZodType, text, { field, ...inner });
  else if (schema instanceof z.ZodString || schema instanceof z.ZodUnknown || schema instanceof z.ZodAny) yield { field, value: text };
  else if (schema instanceof z.ZodUnion) for (const option of schema.options) yield* walk(option as z.ZodType, text, { field, ...inner });
  else if (schema instanceof z.ZodArray)
    yield* inside(walk(schema.element as z.ZodType, text, { field: `${field}[]`, ...inner }), (value) => [value]);
  else if (schema instanceof z.ZodRecord)
    yield* inside(walk(schema.valueType as z.ZodType, text, { field: `${field}.*`, ...inner }), (value) => ({ url: value }));
  else if (schema instanceof z.ZodObject) {
    const required = fill(schema, text) as object;
    for (const [name, fieldSchema] of Object.entries(schema.shape))
      yield* inside(walk(fieldSchema as z.ZodType, text, { field: field === '' ? name : `${field}.${name}`, ...inner }), (value) => ({
        ...required,
        [name]: value,
      }));
  }
}

/** Makes the smallest value of a schema. */
function fill(schema: z.ZodType, text: string): unknown {
  if (schema instanceof z.ZodString) return text;
  if (schema instanceof z.ZodNumber) return 1;
  if (schema instanceof z.ZodBoolean) return true;
  if (schema instanceof z.ZodEnum) return schema.options[0];
  if (schema instanceof z.ZodUnion) return fill(schema.options[0] as z.ZodType, text);
  if (schema instanceof z.ZodArray) return [fill(schema.element as z.ZodType, text)];
  if (!(schema instanceof z.ZodObject)) return {};
  const required = Object.entries(schema.shape).filter(([, field]) => !(field as z.ZodType).safeParse(undefined).success);
  return Object.fromEntries(required.map(([name, field]) => [name, fill(field as z.ZodType, text)]));
}
