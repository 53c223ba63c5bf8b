import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import type { JsonSchema, OperationObject } from '../../src/server/openapi/components.ts';
import type { OpenApiDocument } from '../../src/server/openapi/openapi.ts';

/** One operation of a document, with what leads to it. */
export interface Listed {
  /** As `POST /v1/chat`. */
  name: string;
  method: string;
  path: string;
  operation: OperationObject;
}

/** The operations of a document, in its order. */
export const listed = (document: OpenApiDocument): Listed[] =>
  Object.entries(document.paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, operation]) => ({
      name: `${method.toUpperCase()} ${path}`,
      method: method.toUpperCase(),
      path,
      operation,
    })),
  );

/** What a reference of the document leads to; anything else as it is. */
export function resolved<T extends object>(document: OpenApiDocument, value: T | { $ref: string }): T {
  if (!('$ref' in value) || typeof value.$ref !== 'string') return value as T;
  const found = value.$ref
    .slice(2)
    .split('/')
    .reduce<unknown>((at, key) => (at as Record<string, unknown> | undefined)?.[key], document);
  if (found === undefined) throw new Error(`${value.$ref} leads nowhere`);
  return resolved(document, found as T);
}

type Closing = 'as documented' | 'closed';

/**
 * Validators for the schemas of a document, in ajv's strict mode. `closed` takes an object with properties for a closed one: what it has beside
 * them is not documented.
 */
export function validators(document: OpenApiDocument, closing: Closing = 'as documented'): (schema: JsonSchema) => ValidateFunction {
  const ajv = new Ajv2020({ allErrors: true, strict: true, strictRequired: false, allowUnionTypes: true, code: { optimize: false } });
  addFormats.default(ajv, { mode: 'full' });
  ajv.addFormat('binary', true);
  ajv.addVocabulary(['components']);
  const shaped = (schema: unknown): JsonSchema =>
    JSON.parse(JSON.stringify(schema), (_, value) => (closing === 'closed' ? closed(value) : value));
  ajv.addSchema({ $id: 'document', components: { schemas: shaped(document.components.schemas) } });
  const compiled = new Map<string, ValidateFunction>(); // many operations answer with the same
  return (schema) => {
    const text = JSON.stringify(shaped(schema)).replaceAll('"#/components/', '"document#/components/');
    const known = compiled.get(text) ?? ajv.compile(JSON.parse(text));
    compiled.set(text, known);
    return known;
  };
}

function closed(value: unknown): unknown {
  const isOpenObject =
    typeof value === 'object' && value !== null && 'properties' in value && 'type' in value && !('additionalProperties' in value);
  return isOpenObject ? { ...value, additionalProperties: false } : value;
}
