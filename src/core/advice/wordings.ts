import { Config } from '../../schema/config.ts';
import { keysOf, unwrapped } from '../../schema/fields.ts';
import { flagOf, operatorWording, type Wording, withValue, type NamedRequest } from './advice.ts';
import { z } from 'zod';
import { setPath, type Layer } from '../settings.ts';

let flags: ReadonlyMap<string, string> | undefined;

const flagsOfKeys = (): ReadonlyMap<string, string> =>
  (flags ??= new Map(keysOf(Config).flatMap(({ path, flag }) => (flag === undefined ? [] : [[path, flag] as const]))));

/** The words of the command line: flags, with the keys that stand behind them, and commands. */
export const commandLineWording: Wording = {
  ...operatorWording,
  setting(path, value) {
    const flag = flagsOfKeys().get(path);
    if (flag === undefined) return operatorWording.setting(path, value);
    const key = value === 'true' ? withValue(path, value) : path; // a switch takes no value
    return `--${flag}${value === undefined || value === 'true' ? '' : ` ${value}`} (${key})`;
  },
  field: (name) => (name === 'filter' ? '--where (--filter)' : flagOf(name)), // a filter is written in two ways
};

/** The words of a face that takes requests: the fields of this one, and how it calls other operations. */
export const requestWording = (input: z.ZodType, call: Wording['call']): Wording => ({
  isOperators: false,
  setting: (path, value) => {
    const name = fieldOver(input, path);
    return name && withValue(name, value);
  },
  field: (name) => (Object.hasOwn(shapeOf(input), name) ? name : undefined),
  call,
});

function shapeOf(schema: z.ZodType): z.ZodRawShape {
  const inner = unwrapped(schema);
  return inner instanceof z.ZodObject ? inner.shape : {};
}

/** Fields as JSON; a key of the configuration (`collection`) stands in the field that overrides it. Empty where there are none. */
export function bodyOf(input: z.ZodType, fields: NamedRequest): string {
  const body: Layer = {};
  for (const [name, value] of Object.entries(fields))
    setPath(body, Object.hasOwn(shapeOf(input), name) ? name : (fieldOver(input, name) ?? name), value);
  return Object.keys(body).length === 0
    ? ''
    : JSON.stringify(body, undefined, 1)
        .replaceAll(/\n */g, ' ')
        .replaceAll(/(?<=[{[]) | (?=[}\]])/g, '');
}

/** The field of a request that overrides a key of the configuration, dotted where it stands in a block. */
function fieldOver(input: z.ZodType, path: string): string | undefined {
  for (const [name, field] of Object.entries(shapeOf(input)) as [string, z.ZodType][]) {
    if (field.meta()?.overrides === path) return name;
    const within = fieldOver(field, path);
    if (within !== undefined) return `${name}.${within}`;
  }
  return undefined;
}
