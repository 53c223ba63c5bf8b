import { z } from 'zod';

/** Fields of a request that lay themselves over keys of the configuration: the same schema, optional, with `meta.overrides` naming the key. */
export type Overriding<Shape extends z.ZodRawShape> = { [Key in keyof Shape]: z.ZodOptional<Shape[Key]> };

/** A field that overrides the key `path` of the configuration, with the key's own schema, meaning and bounds. */
export function overriding<Schema extends z.ZodType>(schema: Schema, path: string): z.ZodOptional<Schema> {
  const { description, flag: _flag, ...meta } = (schema.meta() ?? {}) as Record<string, unknown> & { description?: string };
  const field = z.optional(schema);
  return field.meta({ ...meta, overrides: path, ...(description ? { description } : {}) }) as z.ZodOptional<Schema>;
}

/** Every key of a section as a flat field: `chunk_size` of a request overrides `chunking.chunk_size`. */
export function flattened<Shape extends z.ZodRawShape>(section: z.ZodObject<Shape>, path: string): Overriding<Shape> {
  const fields = Object.entries(section.shape).map(([key, schema]) => [key, overriding(schema as z.ZodType, `${path}.${key}`)]);
  return Object.fromEntries(fields) as unknown as Overriding<Shape>;
}

/** A section of the configuration as a block of a request: `chunking: { chunk_size }` overrides `chunking.chunk_size`. */
export function block<Shape extends z.ZodRawShape>(
  section: z.ZodObject<Shape>,
  path: string,
): z.ZodOptional<z.ZodObject<Overriding<Shape>>> {
  const fields = Object.fromEntries(
    Object.entries(section.shape).map(([key, schema]) => {
      const inner = schema as z.ZodType;
      return [key, inner instanceof z.ZodObject ? block(inner, `${path}.${key}`) : overriding(inner, `${path}.${key}`)];
    }),
  );
  return z.strictObject(fields as unknown as Overriding<Shape>).optional() as unknown as z.ZodOptional<z.ZodObject<Overriding<Shape>>>;
}
