import { z } from 'zod';

type JsonSchema = z.core.JSONSchema.BaseSchema;

/** What kb alone knows of a field. */
const OWN_KEYS = ['id', 'flag', 'overrides', 'unit', 'examples'] as const;

/** The JSON Schema of what a tool takes (`input`) or gives, without references and without what only kb understands: not every client follows the one, or passes over the other. */
export function toolSchema(schema: z.ZodObject, io: 'input' | 'output'): { type: 'object' } {
  const override = ({ jsonSchema }: { jsonSchema: JsonSchema }): void => {
    for (const key of OWN_KEYS) delete jsonSchema[key];
    delete jsonSchema.propertyNames;
  };
  const { $schema: _, $defs = {}, ...root } = z.toJSONSchema(schema, { io, override }) as JsonSchema & { $defs?: Record<string, object> };
  const inline = (_key: string, value: unknown): unknown => {
    const { $ref, ...beside } = (value ?? {}) as JsonSchema;
    return typeof $ref === 'string' ? { ...$defs[$ref.slice('#/$defs/'.length)], ...beside } : value;
  };
  return JSON.parse(JSON.stringify(root, inline)) as { type: 'object' };
}
