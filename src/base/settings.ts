import { z } from 'zod';
import { unwrapped } from '../schema/keys.ts';
import { KbError } from './errors.ts';

/** Settings as a tree, any part of which may be absent. */
export type Layer = { [key: string]: unknown };

const isTree = (value: unknown): value is Layer => typeof value === 'object' && value !== null && !Array.isArray(value);

/** Sets `path` (dotted) of a tree, which is changed. Throws a KbError for a path that leads out of it. */
export function setPath(tree: Layer, path: string, value: unknown): void {
  const names = path.split('.');
  if (names.includes('__proto__'))
    throw new KbError('usage', `«${path}» is no key.`, { hint: 'It would change what all objects are made of.' });
  const last = names.pop()!;
  let branch = tree;
  for (const name of names) branch = (branch[name] = isTree(branch[name]) ? branch[name] : {}) as Layer;
  branch[last] = value;
}

/** The value at `path` (dotted), or undefined. */
export function getPath(tree: unknown, path: string): unknown {
  return path.split('.').reduce<unknown>((value, name) => (isTree(value) ? value[name] : undefined), tree);
}

/** What is chosen among several, and the keys beside it that mean something to the chosen one alone. */
const CHOICES: readonly (readonly [choice: string, own: readonly string[]])[] = [
  ['provider', ['model', 'options', 'context_window']],
  ['model', ['context_window']],
  ['vector_db', ['url', 'options']],
];

/**
 * Lays `over` over `under`; neither is changed. Where it names another provider, the model, its window and the options that were meant for
 * the one before go, unless it gives its own: a model's name means nothing to another provider, nor does the address of a database to another one, nor
 * the window of a model to one that is named in its stead.
 */
export function layered(under: Layer, over: Layer): Layer {
  const result: Layer = { ...under };
  for (const [choice, own] of CHOICES) {
    const isAnother = over[choice] !== under[choice] && (choice in under || choice === 'provider'); // a model without a provider is that of some other one
    if (typeof over[choice] === 'string' && isAnother) for (const key of own) delete result[key];
  }
  for (const [key, value] of Object.entries(over)) {
    if (value === undefined) continue;
    const before = result[key];
    result[key] = isTree(value) && isTree(before) ? layered(before, value) : value;
  }
  return result;
}

/** What a request says about the configuration, as a layer: each of its fields that names the key it overrides. */
export function settingsIn(schema: z.ZodType, request: unknown): Layer {
  const layer: Layer = {};
  const walk = (fields: z.ZodType, values: unknown) => {
    const object = unwrapped(fields);
    if (!(object instanceof z.ZodObject) || !isTree(values)) return;
    for (const [name, field] of Object.entries(object.shape)) {
      const value = values[name];
      if (value === undefined) continue;
      const path = (field as z.ZodType).meta()?.overrides;
      if (path === undefined) walk(field as z.ZodType, value);
      else setPath(layer, path, value);
    }
  };
  walk(schema, request);
  return layer;
}
