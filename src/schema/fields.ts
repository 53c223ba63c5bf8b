import { z } from 'zod';

/** Request fields that override configuration keys: the same schemas, optional, with `meta.overrides` naming the key. */
export type Overriding<Shape extends z.ZodRawShape> = { [Name in keyof Shape]: z.ZodOptional<Shape[Name]> };

/** Maximum timeout of a request to another service, in seconds: an hour. */
export const MAX_WAIT = 3600;

/** Maximum characters of a path: PATH_MAX of Linux. */
export const MAX_PATH_LENGTH = 4096;

/** Maximum characters of a query, and of the context that is sent with it; a longer text is a document, not a question. */
export const MAX_QUERY_LENGTH = 100_000;

/** Maximum characters of a name: a key, a field of a filter, a model, a parameter. */
export const MAX_NAME_LENGTH = 256;

/** Maximum characters of an address, and of an identifier, which may be one. */
export const MAX_ADDRESS_LENGTH = 8192;

/** Maximum characters of a title, a description or a text in metadata, which are stored with each chunk of a document. */
export const MAX_LABEL_LENGTH = 10_000;

/** Makes a field for options that only the chosen provider defines. */
export const options = () => z.record(z.string(), z.unknown()).optional();

/** Maximum bytes of the result of one request to a server, as JSON. */
export const MAX_RESULT_BYTES = 64 * 2 ** 20;

/** Maximum entries of a list in a request; the entries of a longer one are not validated. */
export const MAX_ENTRIES = 20_000;

/** Makes the schema of a list in a request, of at most MAX_ENTRIES entries. */
export const listOf = <Schema extends z.ZodType>(entry: Schema): z.ZodArray<Schema> => z.array(entry).max(MAX_ENTRIES);

/** Makes a request field that overrides the configuration key `path`, with the schema, description and bounds of the key. */
export function overrideKey<Schema extends z.ZodType>(schema: Schema, path: string): z.ZodOptional<Schema> {
  const { flag: _flag, id: _id, ...meta } = schema.meta() ?? {};
  return z.optional(schema).meta({ ...meta, overrides: path }) as z.ZodOptional<Schema>;
}

/** Makes a flat request field for every key of a section: `chunk_size` overrides `chunking.chunk_size`. */
export function flattenSection<Shape extends z.ZodRawShape>(section: z.ZodObject<Shape>, path: string): Overriding<Shape> {
  const fields = Object.entries(section.shape).map(([key, schema]) => [key, overrideKey(schema as z.ZodType, `${path}.${key}`)]);
  return Object.fromEntries(fields) as unknown as Overriding<Shape>;
}

/** Makes a nested request block of a section: `chunking: { chunk_size }` overrides `chunking.chunk_size`. */
export function block<Shape extends z.ZodRawShape>(
  section: z.ZodObject<Shape>,
  path: string,
): z.ZodOptional<z.ZodObject<Overriding<Shape>>> {
  const fields = Object.fromEntries(
    Object.entries(section.shape).map(([key, schema]) => {
      const inner = schema as z.ZodType;
      return [key, inner instanceof z.ZodObject ? block(inner, `${path}.${key}`) : overrideKey(inner, `${path}.${key}`)];
    }),
  );
  const inner = z.strictObject(fields as unknown as Overriding<Shape>);
  const described = section.description === undefined ? inner : inner.describe(section.description);
  return described.optional() as unknown as z.ZodOptional<z.ZodObject<Overriding<Shape>>>;
}

/** Bytes as a number, or as people write them: `10 MiB`, `500 KB`. */
export const Bytes = z
  .preprocess((value) => (typeof value === 'string' ? parseBytes(value) : value), z.int().min(1))
  .meta({ unit: 'bytes' });

const BYTES_OF: Record<string, number> = { '': 1, kb: 1e3, mb: 1e6, gb: 1e9, kib: 2 ** 10, mib: 2 ** 20, gib: 2 ** 30 };

/** Parses a size; any other text is returned as it is, so that the schema reports it. */
function parseBytes(text: string): number | string {
  const [, number, unit = ''] = /^(\d+(?:\.\d+)?)\s*(?:([kmg]i?b)|b)?$/i.exec(text.trim()) ?? [];
  return number === undefined ? text : Math.round(Number(number) * BYTES_OF[unit.toLowerCase()]!);
}

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
export function unwrapSchema(schema: z.ZodType): z.ZodType {
  return schema instanceof z.ZodOptional || schema instanceof z.ZodDefault ? unwrapSchema(schema.unwrap() as z.ZodType) : schema;
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
    const inner = unwrapSchema(field as z.ZodType);
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
