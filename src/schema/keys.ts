import { z } from 'zod';

/** One key of the configuration that holds a value. */
export interface Key {
  /** Dotted: `chunking.chunk_size`. */
  path: string;
  schema: z.ZodType;
  description: string;
  /** Its command-line flag without dashes, if it has one. */
  flag: string | undefined;
  /** The environment variable: `KB_CHUNKING_CHUNK_SIZE`. */
  variable: string;
}

/** The schema inside optional wrappers. */
export function unwrapped(schema: z.ZodType): z.ZodType {
  return schema instanceof z.ZodOptional || schema instanceof z.ZodDefault ? unwrapped(schema.unwrap() as z.ZodType) : schema;
}

/** The description of a schema, or of the schema inside optional wrappers; empty if there is none. */
export function descriptionOf(schema: z.ZodType): string {
  if (schema.description !== undefined) return schema.description;
  return schema instanceof z.ZodOptional || schema instanceof z.ZodDefault ? descriptionOf(schema.unwrap() as z.ZodType) : '';
}

/** Lists the keys of an object schema in their order. Sections are entered; an optional object or a free map is one key. */
export function keysOf(schema: z.ZodObject, prefix = ''): Key[] {
  return Object.entries(schema.shape).flatMap(([name, field]) => {
    const path = prefix + name;
    const inner = unwrapped(field as z.ZodType);
    if (field instanceof z.ZodObject) return keysOf(field, `${path}.`);
    const meta = (field as z.ZodType).meta() ?? inner.meta();
    const variable = `KB_${path.replaceAll('.', '_').toUpperCase()}`;
    return [
      {
        path,
        schema: field as z.ZodType,
        description: descriptionOf(field as z.ZodType),
        flag: meta?.flag as string | undefined,
        variable,
      },
    ];
  });
}
