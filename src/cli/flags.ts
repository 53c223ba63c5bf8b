import type { FlagValues } from './command-context.ts';
import * as Flags from '@oclif/core/flags';
import type { Interfaces } from '@oclif/core';
import { z } from 'zod';
import { parseWhere } from './parse-where.ts';
import { KbError } from '../core/errors.ts';
import { setPath, type Layer } from '../core/settings.ts';
import { parsePart } from '../core/parse-request.ts';
import { parseValueText, readSetFlags } from '../config/load.ts';
import type { ConfigSection, Operation } from '../schema/operation-row.ts';
import { Config } from '../schema/config.ts';
import { descriptionOf, keysOf, unwrapSchema, type Key } from '../schema/fields.ts';
import { holdsSecret, redactUrl } from '../core/secrets.ts';
import { shellWord } from '../core/advice/advice.ts';

/** Flags of a command, by name. */
export type FlagTable = Interfaces.FlagInput;
type Flag = FlagTable[string];

const toFlagName = (name: string): string => name.replaceAll('_', '-');

/** The flags that every command has. */
export const commonFlags: FlagTable = {
  config: Flags.string({
    description: 'Configuration file, in place of the kb.config.yaml found from here upwards',
    helpValue: 'FILE',
    helpGroup: 'GLOBAL',
  }),
  json: Flags.boolean({ description: 'Write one JSON document to standard output, and nothing else', helpGroup: 'GLOBAL' }),
  quiet: Flags.boolean({
    description: 'No progress, no notes, no summary of what was done: results and failures alone',
    helpGroup: 'GLOBAL',
  }),
  set: Flags.string({
    description: 'Any key of the configuration, such as chat.persona=…',
    multiple: true,
    multipleNonGreedy: true,
    helpValue: 'KEY=VALUE',
    helpGroup: 'GLOBAL',
  }),
};

/** Flag of commands whose items may fail one by one. */
export const allowFailures = Flags.boolean({ description: 'Exit with 0 even when some items failed' });

/** Flag of commands that output documents. */
export const outputDir = Flags.string({ description: 'Write each document as a Markdown file into this folder', helpValue: 'FOLDER' });

/** Keys of the configuration that have a flag of their own, in the sections that an operation reads. */
function settingKeys(schema: z.ZodObject, sections: readonly ConfigSection[]): Key[] {
  return keysOf(schema).filter(
    ({ path, flag }) => flag !== undefined && sections.some((section) => path === section || path.startsWith(`${section}.`)),
  );
}

/** Fields of a request that override no key: those whose value fits into a flag. */
function requestFields(input: z.ZodType): [string, z.ZodType][] {
  const object = unwrapSchema(input);
  if (!(object instanceof z.ZodObject)) return [];
  return Object.entries(object.shape as Record<string, z.ZodType>).filter(
    ([, field]) => field.meta()?.overrides === undefined && fitsFlag(unwrapSchema(field)),
  );
}

const fitsFlag = (schema: z.ZodType): boolean =>
  isSwitch(schema) ||
  schema instanceof z.ZodNumber ||
  schema instanceof z.ZodEnum ||
  schema instanceof z.ZodRecord ||
  schema instanceof z.ZodString;
const isSwitch = (schema: z.ZodType): boolean => schema instanceof z.ZodBoolean;

function settingFlag({ schema, description, path }: Key): Flag {
  const inner = unwrapSchema(schema);
  const shared = { description, ...(path.includes('.') ? { helpGroup: path.split('.')[0]!.toUpperCase() } : {}) };
  if (isSwitch(inner)) return Flags.boolean({ ...shared, allowNo: true });
  if (inner instanceof z.ZodEnum) return Flags.string({ ...shared, options: inner.options.map(String) });
  return Flags.string({ ...shared, helpValue: inner instanceof z.ZodNumber ? 'NUMBER' : 'TEXT' });
}

function requestFlag(field: z.ZodType): Flag {
  const inner = unwrapSchema(field);
  const description = descriptionOf(field);
  if (isSwitch(inner)) return Flags.boolean({ description });
  if (inner instanceof z.ZodEnum) return Flags.string({ description, options: inner.options.map(String) });
  if (inner instanceof z.ZodRecord) return Flags.string({ description, helpValue: 'JSON' });
  return Flags.string({ description });
}

const whereFlag = Flags.string({
  description: `What --filter says, in words: 'lang = de and (source ^= guides/ or not year < 2020) and tag in (a, b)'; also !=, <=, >, >= and exists`,
  helpValue: 'CONDITION',
});

/** Makes the flags of an operation: fields of its request, then configuration keys that it reads. `omit`: fields that are arguments. */
export function operationFlags(
  { input, sections }: Pick<Operation, 'input' | 'sections'>,
  { omit = [], configuration = Config }: { omit?: readonly string[]; configuration?: z.ZodObject } = {},
): FlagTable {
  const fields = requestFields(input).filter(([name]) => !omit.includes(name));
  return {
    ...Object.fromEntries(fields.map(([name, field]) => [toFlagName(name), requestFlag(field)])),
    ...(fields.some(([name]) => name === 'filter') ? { where: whereFlag } : {}),
    ...settingFlags(sections, configuration),
  };
}

/** The flags of sections of the configuration. */
export const settingFlags = (sections: readonly ConfigSection[], configuration: z.ZodObject = Config): FlagTable =>
  Object.fromEntries(settingKeys(configuration, sections).map((key) => [key.flag!, settingFlag(key)]));

/** Reads the configuration values that flags set; a flag of its own overrides `--set`. */
export function readSettingFlags(
  values: FlagValues,
  { configuration = Config }: { configuration?: z.ZodObject } = {},
): { layer: Layer; names: Map<string, string> } {
  const { layer, names } = readSetFlags((values.set as string[] | undefined) ?? []);
  for (const key of keysOf(configuration)) {
    const value = key.flag === undefined ? undefined : values[key.flag];
    if (value === undefined) continue;
    setPath(layer, key.path, typeof value === 'string' ? parseValueText(key, value) : value);
    names.set(key.path, `--${key.flag}`);
  }
  return { layer, names };
}

/** Splits `--collection a,b` of a command that searches: into flags with the first collection, and the list for the request. */
export function splitCollections(values: FlagValues): { flags: FlagValues; collections: { collection?: string[] } } {
  const names = typeof values.collection === 'string' ? values.collection.split(',').map((name) => name.trim()) : [];
  return names.length > 1
    ? { flags: { ...values, collection: names[0] }, collections: { collection: names } }
    : { flags: values, collections: {} };
}

/** Flag of commands that search. */
export const searchedCollectionFlag = Flags.string({
  description: 'Collection to search; several with commas between them',
  helpValue: 'NAME',
});

/** Reads the request fields that flags set. Throws a KbError that names the flag. */
export function readRequestFlags(input: z.ZodType, values: FlagValues): Record<string, unknown> {
  const request: Record<string, unknown> = {};
  for (const [name, field] of requestFields(input)) {
    const value = values[toFlagName(name)];
    if (value === undefined || Array.isArray(value)) continue; // the command itself reads flags with several values
    request[name] = typeof value === 'string' ? parseValue(toFlagName(name), unwrapSchema(field), value) : value;
  }
  if (values.where === undefined) return request;
  const where = parseWhere(String(values.where));
  return { ...request, filter: request.filter === undefined ? where : { and: [request.filter, where] } };
}

function parseValue(flag: string, schema: z.ZodType, text: string): unknown {
  if (!(schema instanceof z.ZodRecord) && !(schema instanceof z.ZodNumber)) return text;
  const value = parseJson(flag, text);
  parsePart(schema, value, { where: `--${flag}`, whole: 'the value' });
  return value;
}

function parseJson(flag: string, text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch (cause) {
    throw new KbError('usage', `--${flag} "${text}" is not JSON.`, { hint: `For example --${flag} '{"title": "Manual"}'.`, cause });
  }
}

/** Configuration keys that identify a collection, its store and its embedder. */
const COLLECTION_KEYS = /^(?:collection|storage\.(?:vector_db|url|options|collection)|embedding\.(?:provider|model|options))(?:\.|$)/;

/**
 * Writes the flags that the next command needs for the same collection, as typed in a shell: ` --collection manuals`. Empty if none was given.
 * `without` lists keys to leave out. Credentials are not repeated, because the text appears on screens and in logs.
 */
export function repeatFlags(flags: FlagValues, { without = [] }: { without?: readonly string[] } = {}): string {
  const own = keysOf(Config).flatMap(({ path, flag }) =>
    flag !== undefined && COLLECTION_KEYS.test(path) && !without.includes(path) ? [flag] : [],
  );
  const given = ['config', ...own].flatMap((flag) => (flags[flag] === undefined ? [] : [`--${flag}`, redactWord(String(flags[flag]))]));
  const settings = ((flags.set ?? []) as string[]).filter((setting) => {
    const [path] = setting.split('=', 1);
    return COLLECTION_KEYS.test(path!) && !without.includes(path!);
  });
  return [...given, ...settings.flatMap((setting) => ['--set', redactSetting(setting)])].map((word) => ` ${shellWord(word)}`).join('');
}

/** A text with a user name or parameters, as in an address. */
const ADDRESS_CREDENTIALS = /\/\/[^/\s]*@|:\/\/(?:(?!:\/\/)\S)*\?/;

/** Removes the credentials of an address in a word. */
const redactWord = (word: string): string => (ADDRESS_CREDENTIALS.test(word) ? redactUrl(word) : word);

/** Replaces the value of `KEY=VALUE` by … if it is or holds a credential. */
function redactSetting(setting: string): string {
  const [, key = '', value = ''] = /^([^=]*)=(.*)$/s.exec(setting) ?? [];
  const isSecret = key.split('.').some((name) => holdsSecret(name, value)) || holdsCredentials(parseValueText(undefined, value));
  return `${key}=${isSecret ? '…' : redactWord(value)}`;
}

const holdsCredentials = (value: unknown): boolean =>
  typeof value === 'object' &&
  value !== null &&
  Object.entries(value).some(([name, inner]) => holdsSecret(name, String(inner)) || holdsCredentials(inner));
