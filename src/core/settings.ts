import { operatorAdvice } from './advice/advice.ts';
import { z } from 'zod';
import { unwrapSchema } from '../schema/fields.ts';
import { KbError } from './errors.ts';

/** A tree of settings, any part of which may be absent. */
export type Layer = { [key: string]: unknown };

const isTree = (value: unknown): value is Layer => typeof value === 'object' && value !== null && !Array.isArray(value);

/** Sets the value at `path` (dotted) in place. Throws a KbError for a path through `__proto__`. */
export function setPath(tree: Layer, path: string, value: unknown): void {
  const names = path.split('.');
  if (names.includes('__proto__'))
    throw new KbError('usage', `"${path}" is no key.`, { hint: 'It would change what all objects are made of.' });
  const last = names.pop()!;
  let branch = tree;
  for (const name of names) branch = (branch[name] = isTree(branch[name]) ? branch[name] : {}) as Layer;
  branch[last] = value;
}

/** Returns the value at `path` (dotted), or undefined. */
export function getPath(tree: unknown, path: string): unknown {
  return path.split('.').reduce<unknown>((value, name) => (isTree(value) ? value[name] : undefined), tree);
}

/** Keys of choices, each with the keys that are meaningful only for the chosen value. */
const CHOICES: readonly (readonly [choice: string, own: readonly string[]])[] = [
  ['provider', ['model', 'options', 'context_window']],
  ['model', ['context_window']],
  ['vector_db', ['url', 'options']],
];

/**
 * Merges `over` into `under`; neither is changed. If it names another provider, model or database, the settings that were meant for the previous one are
 * dropped, unless it gives its own: the model of a provider, the window of a model, the address of a database, options.
 */
export function mergeLayers(under: Layer, over: Layer): Layer {
  const result: Layer = { ...under };
  for (const [choice, own] of CHOICES) {
    const isAnother = over[choice] !== under[choice] && (choice in under || choice === 'provider'); // a model without a provider was meant for the default provider
    if (typeof over[choice] === 'string' && isAnother) for (const key of own) delete result[key];
  }
  for (const [key, value] of Object.entries(over)) {
    if (value === undefined) continue;
    const before = result[key];
    result[key] = isTree(value) && isTree(before) ? mergeLayers(before, value) : value;
  }
  return result;
}

/** Extracts the configuration keys that the fields of a request override, as a layer. */
export function readOverrides(schema: z.ZodType, request: unknown): Layer {
  const layer: Layer = {};
  const walk = (fields: z.ZodType, values: unknown) => {
    const object = unwrapSchema(fields);
    if (!(object instanceof z.ZodObject) || !isTree(values)) return;
    for (const [name, field] of Object.entries(object.shape)) {
      const value = values[name];
      if (value === undefined) continue;
      const path = (field as z.ZodType).meta()?.overrides;
      if (path === undefined) walk(field as z.ZodType, value);
      else setPath(layer, path, path === 'collection' && Array.isArray(value) ? value[0] : value); // the settings hold the first of several collections
    }
  };
  walk(schema, request);
  return layer;
}

const REFERENCE = /\$\{(\w+)\}/g;

/** Whether a text refers to an environment variable: `${NAME}`. */
export const hasReference = (text: string): boolean => text.search(REFERENCE) >= 0;

/** Lists the names of the variables that a text refers to. */
export const referencesIn = (text: string): string[] => [...text.matchAll(REFERENCE)].map(([, name]) => name!);

/** Removes the references to variables from a text. */
export const withoutReferences = (text: string): string => text.replace(REFERENCE, '');

/** Copies a structure with `${NAME}` replaced by variables; a reference to one that is not set stays. */
export function fillVariables(value: unknown, environment: Readonly<Record<string, string | undefined>>): unknown {
  if (typeof value === 'string') return value.replace(REFERENCE, (reference, name: string) => environment[name] ?? reference);
  if (Array.isArray(value)) return value.map((item) => fillVariables(item, environment));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, fillVariables(inner, environment)]));
}

/**
 * Makes the error of the first reference that was not replaced, with the variable and its place under `where`; undefined if there is none.
 * It repeats no values. `setup` if a variable must be set; `usage` if the text came in an HTTP request (`isRequested`), where nothing is
 * replaced.
 */
export function findUnsetReference(
  value: unknown,
  where: string,
  { isRequested = false }: { isRequested?: boolean } = {},
): KbError | undefined {
  if (typeof value === 'string') {
    const variable = /\$\{(\w+)\}/.exec(value)?.[1];
    if (variable === undefined) return undefined;
    return isRequested ? referenceInRequestError(where, variable) : unsetVariableError(where, variable);
  }
  if (typeof value !== 'object' || value === null) return undefined;
  for (const [key, inner] of Object.entries(value)) {
    const found = findUnsetReference(inner, `${where}${where === '' ? '' : '.'}${key}`, { isRequested });
    if (found) return found;
  }
  return undefined;
}

const unsetVariableError = (where: string, variable: string): KbError =>
  new KbError('setup', `${where} refers to the variable ${variable}, which is not set.`, {
    hint: operatorAdvice`Set ${variable} in the environment, or in a file .env beside kb.config.yaml.`,
  });

const referenceInRequestError = (where: string, variable: string): KbError =>
  new KbError('usage', `${where} holds \${${variable}}, in whose place a request over HTTP gets nothing.`, {
    hint: "Send the value itself, or have the server's kb.config.yaml give it to that origin (network.sites).",
  });
