import { z } from 'zod';

/** Fields of a request that lay themselves over keys of the configuration: the same schema, optional, with `meta.overrides` naming the key. */
export type Overriding<Shape extends z.ZodRawShape> = { [Key in keyof Shape]: z.ZodOptional<Shape[Key]> };

/** Seconds that a request to somewhere else may be waited for, at most: an hour. */
export const LONGEST_WAIT = 3600;

/** Characters of a path, at most: as many as Linux takes. */
export const LONGEST_PATH = 4096;

/** What a provider alone understands. */
export const options = () => z.record(z.string(), z.unknown()).optional();

/** Entries of a list in a request, at most: what a longer one holds is not looked at. */
const MOST_ENTRIES = 100_000;

/** A list in a request. */
export const listOf = <Schema extends z.ZodType>(entry: Schema): z.ZodArray<Schema> => z.array(entry).max(MOST_ENTRIES);

/** A field that overrides the key `path` of the configuration, with the key's own schema, meaning and bounds. */
export function overriding<Schema extends z.ZodType>(schema: Schema, path: string): z.ZodOptional<Schema> {
  const { flag: _flag, id: _id, ...meta } = schema.meta() ?? {};
  return z.optional(schema).meta({ ...meta, overrides: path }) as z.ZodOptional<Schema>;
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
  const inner = z.strictObject(fields as unknown as Overriding<Shape>);
  const described = section.description === undefined ? inner : inner.describe(section.description);
  return described.optional() as unknown as z.ZodOptional<z.ZodObject<Overriding<Shape>>>;
}

/** Bytes as a number, or as people write them: `10 MiB`, `500 KB`. */
export const Bytes = z.preprocess((value) => (typeof value === 'string' ? bytesIn(value) : value), z.int().min(1)).meta({ unit: 'bytes' });

const BYTES_OF: Record<string, number> = { '': 1, kb: 1e3, mb: 1e6, gb: 1e9, kib: 2 ** 10, mib: 2 ** 20, gib: 2 ** 30 };

/** What is no size stays as it is: the schema says what is wrong with it. */
function bytesIn(text: string): number | string {
  const [, number, unit = ''] = /^(\d+(?:\.\d+)?)\s*(?:([kmg]i?b)|b)?$/i.exec(text.trim()) ?? [];
  return number === undefined ? text : Math.round(Number(number) * BYTES_OF[unit.toLowerCase()]!);
}
