import { isDeepStrictEqual } from 'node:util';
import { z } from 'zod';
import { KbError } from '../../core/errors.ts';

/** A schema as the document holds it: JSON Schema 2020-12. */
export interface JsonSchema {
  $ref?: string;
  description?: string;
  examples?: unknown[];
  properties?: Record<string, JsonSchema>;
  required?: string[];
  [keyword: string]: unknown;
}

/** The shared schemas of a document, which fill as they are asked for. */
export interface Components {
  readonly schemas: Record<string, JsonSchema>;
  /** What a request (`input`) or a result (`output`) looks like. A schema with an id becomes a component, and this a reference to it. */
  of(schema: z.ZodType, side: 'input' | 'output'): JsonSchema;
  /** The component that a reference leads to; any other schema as it is. */
  resolved(schema: JsonSchema): JsonSchema;
  /** Shares a schema under a name, and gives the reference to it. */
  share(name: string, schema: JsonSchema): JsonSchema;
}

const PLACE = '#/components/schemas/';

/** What the schemas say about the command line and the configuration, which is nobody's business over HTTP. */
const OWN_KEYS = ['id', 'flag', 'overrides', 'unit'];

/** An empty set of shared schemas. */
export function createComponents(): Components {
  const schemas: Record<string, JsonSchema> = {};

  const share = (name: string, schema: JsonSchema): JsonSchema => {
    if (name in schemas && !isDeepStrictEqual(schemas[name], schema)) {
      throw new KbError('internal', `Two different schemas of the OpenAPI document are called ${name}.`, {
        hint: 'Give one of them an id of its own; a schema that requests and results share must say the same of both.',
      });
    }
    schemas[name] = schema;
    return { $ref: PLACE + name };
  };

  return {
    schemas,
    share,
    of(schema, side) {
      const { $schema: _, $defs = {}, ...root } = moved(z.toJSONSchema(schema, { io: side, override }) as JsonSchema);
      for (const [name, shared] of Object.entries($defs as Record<string, JsonSchema>)) share(name, shared);
      return root;
    },
    resolved: (schema) => (schema.$ref ? schemas[schema.$ref.slice(PLACE.length)]! : schema),
  };
}

/** The same with plain values alone, its references leading to where an OpenAPI document keeps its schemas. */
const moved = (schema: JsonSchema): JsonSchema =>
  JSON.parse(JSON.stringify(schema), (key, value) =>
    key === '$ref' && typeof value === 'string' ? value.replace('#/$defs/', PLACE) : value,
  );

/**
 * Takes out what only zod or only kb needs. An object that is not strict stays open on both sides: a client must not break on a field that a
 * later version adds, and requests and results that share it describe it alike.
 */
function override({ zodSchema, jsonSchema }: { zodSchema: z.core.$ZodTypes; jsonSchema: z.core.JSONSchema.BaseSchema }): void {
  for (const key of OWN_KEYS) delete jsonSchema[key];
  const { def } = zodSchema._zod;
  if (def.type === 'object' && def.catchall === undefined) delete jsonSchema.additionalProperties;
  if (def.type === 'record') delete jsonSchema.propertyNames;
  if (jsonSchema.format !== undefined) delete jsonSchema.pattern;
  if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum;
  if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum;
}
