import { Config } from '../../schema/config.ts';
import { keysOf, unwrapSchema } from '../../schema/fields.ts';
import { flagOf, operatorWording, type Wording, withValue, type NamedRequest } from './advice.ts';
import { z } from 'zod';
import { setPath, type Layer } from '../settings.ts';

let cachedFlags: ReadonlyMap<string, string> | undefined;

const flagsByKey = (): ReadonlyMap<string, string> =>
  (cachedFlags ??= new Map(keysOf(Config).flatMap(({ path, flag }) => (flag === undefined ? [] : [[path, flag] as const]))));

/** Wording for the command line: flags with their configuration keys, and commands. */
export const commandLineWording: Wording = {
  ...operatorWording,
  setting(path, value) {
    const flag = flagsByKey().get(path);
    if (flag === undefined) return operatorWording.setting(path, value);
    const key = value === 'true' ? withValue(path, value) : path; // a switch takes no value
    return `--${flag}${value === undefined || value === 'true' ? '' : ` ${value}`} (${key})`;
  },
  field: (name) => (name === 'filter' ? '--where (--filter)' : flagOf(name)), // a filter is written in two ways
};

/** Wording for an interface that takes requests: the fields of this request, and `call` for other operations. */
export const requestWording = (input: z.ZodType, call: Wording['call']): Wording => ({
  isOperators: false,
  setting: (path, value) => {
    const name = findOverride(input, path);
    return name && withValue(name, value);
  },
  field: (name) => (Object.hasOwn(shapeOf(input), name) ? name : undefined),
  call,
});

function shapeOf(schema: z.ZodType): z.ZodRawShape {
  const inner = unwrapSchema(schema);
  return inner instanceof z.ZodObject ? inner.shape : {};
}

/** Formats fields as a JSON body; a key of the configuration (`collection`) becomes the field that overrides it. Empty without fields. */
export function formatBody(input: z.ZodType, fields: NamedRequest): string {
  const body: Layer = {};
  for (const [name, value] of Object.entries(fields))
    setPath(body, Object.hasOwn(shapeOf(input), name) ? name : (findOverride(input, name) ?? name), value);
  return Object.keys(body).length === 0
    ? ''
    : JSON.stringify(body, undefined, 1)
        .replaceAll(/\n */g, ' ')
        .replaceAll(/(?<=[{[]) | (?=[}\]])/g, '');
}

/** Finds the field of a request that overrides a key of the configuration; dotted if it is in a block. */
function findOverride(input: z.ZodType, path: string): string | undefined {
  for (const [name, field] of Object.entries(shapeOf(input)) as [string, z.ZodType][]) {
    if (field.meta()?.overrides === path) return name;
    const within = findOverride(field, path);
    if (within !== undefined) return `${name}.${within}`;
  }
  return undefined;
}
