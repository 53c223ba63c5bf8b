import { z } from 'zod';
import { unwrapped } from '../schema/keys.ts';

type Fields = Record<string, unknown>;

const isObject = (value: unknown): value is Fields => typeof value === 'object' && value !== null && !Array.isArray(value);

/** The kinds of value that a schema takes, without what wraps them. */
function branches(schema: z.ZodType): z.ZodType[] {
  const inner = unwrapped(schema);
  return inner instanceof z.ZodUnion ? inner.options.flatMap((option) => branches(option as z.ZodType)) : [inner];
}

/** What an object that fits none, one or several of the branches may hold under this name. */
const fieldsOf = (objects: readonly z.ZodObject[], name: string): z.ZodType[] =>
  objects.flatMap(({ shape }) => (Object.hasOwn(shape, name) ? [shape[name] as z.ZodType] : []));

/**
 * The value without the fields that are null where the schema lets them be absent: over JSON, null says the same. What the schema does not describe, such as the
 * values of metadata, stays as it is. The value itself is not changed: what changes is copied.
 */
export function withoutNulls(schema: z.ZodType, value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  const kinds = branches(schema);
  if (Array.isArray(value)) return inList(kinds, value);
  const objects = kinds.filter((kind) => kind instanceof z.ZodObject);
  return objects.length > 0 && isObject(value) ? inObject(objects, value) : value;
}

function inList(kinds: readonly z.ZodType[], list: readonly unknown[]): readonly unknown[] {
  const elements = kinds.flatMap((kind) => (kind instanceof z.ZodArray ? branches(kind.element as z.ZodType) : []));
  if (!elements.some((element) => element instanceof z.ZodObject || element instanceof z.ZodArray)) return list;
  const element = elements.length === 1 ? elements[0]! : z.union(elements as [z.ZodType, z.ZodType]);
  const entries = list.map((entry) => withoutNulls(element, entry));
  return entries.some((entry, i) => entry !== list[i]) ? entries : list;
}

function inObject(objects: readonly z.ZodObject[], given: Fields): Fields {
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
