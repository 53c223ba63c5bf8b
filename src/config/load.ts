import { basename } from 'node:path';
import { describe, KbError } from '../core/errors.ts';
import { parseYamlDocument, toPlainValue } from '../core/yaml.ts';
import { isMap, isScalar, type YAMLMap, parse } from 'yaml';
import { z } from 'zod';
import { findNearest, didYouMean, isWithinDistance } from '../core/nearest.ts';
import { fillVariables, getPath, hasReference, type Layer, mergeLayers, setPath, withoutReferences } from '../core/settings.ts';
import { holdsSecret } from '../core/secrets.ts';
import { Config, DEFAULTS } from '../schema/config.ts';
import { keysOf, unwrapSchema, type Key } from '../schema/fields.ts';
import { explainChunkingConflict, assertPlainData } from '../core/parse-request.ts';
import { validationMessages } from '../core/validation-issues.ts';
import type { Environment, OwnDrivers } from '../ports/engines.ts';
import { assertAccepted } from './accepted-addresses.ts';
import { type Disclosure, findReferences, listDisclosures, type Reference } from './disclosures.ts';
import { type ConfigPlace, findConfig, readEnvFile, readText } from './find-files.ts';
import { ownNames, withOwnNames } from '../schema/provider-names.ts';

export type { Environment } from '../ports/engines.ts';

/** A layer of the configuration, and the flag or variable that each of its paths comes from. */
export interface NamedLayer {
  layer: Layer;
  names: Map<string, string>;
}

/** The contents of a configuration file, with the line of each key by its dotted path. */
interface ConfigFile {
  layer: Layer;
  lines: Map<string, number>;
  references: Reference[];
}

/** Reads a configuration file; variables replace `${NAME}` in free maps and lists such as `headers`. Throws a KbError that names the line and the key, but no value. */
export function readConfigFile(path: string, environment: Environment = {}): ConfigFile {
  const name = basename(path);
  const origin = { where: name, code: 'configuration', hint: 'Fix the line; kb.config.example.yaml shows every key.' } as const;
  const { document, lineAt } = parseYamlDocument(readText(path, 'The configuration file '), origin);
  const file: ConfigFile = { layer: {}, lines: new Map(), references: [] };
  if (document.contents === null) return file;
  if (!isMap(document.contents)) throw new KbError('configuration', `${name}: the file must hold keys, such as "collection: manuals".`);
  const unknown: KbError[] = [];
  walk(document.contents, Config, '');
  if (unknown.length > 1) throw new KbError('configuration', unknown.map(describe).join('\n'));
  if (unknown[0]) throw unknown[0];
  return file;

  function walk(map: YAMLMap, schema: z.ZodObject, prefix: string): void {
    for (const pair of map.items) {
      const key = String(isScalar(pair.key) ? pair.key.value : pair.key);
      const line = lineAt((isScalar(pair.key) && pair.key.range?.[0]) || 0);
      const field = fieldOf(schema, prefix, key);
      if (field === undefined) {
        unknown.push(unknownKeyError(`${name}, line ${line}`, prefix + key, Object.keys(schema.shape)));
        continue;
      }
      const target = prefix + key === 'storage.collection' ? 'collection' : prefix + key;
      file.lines.set(target, line);
      const inner = unwrapSchema(field);
      if (inner instanceof z.ZodObject && isMap(pair.value)) walk(pair.value, inner, `${prefix}${key}.`);
      else if (pair.value !== null && !(isScalar(pair.value) && pair.value.value === null)) {
        const place = { ...origin, where: `${name}, line ${line}: ${prefix}${key}` };
        const value = toPlainValue(() => (pair.value as { toJS(document: unknown): unknown }).toJS(document), place);
        refuseUnsafeKeys(value, `${name}, line ${line}`, prefix + key);
        const isFilled = typeof value === 'object' && target !== 'sources.markdown';
        if (isFilled) file.references.push(...findReferences(value, target));
        setPath(file.layer, target, isFilled ? fillVariables(value, environment) : value);
      }
    }
  }
}

/** Finds the schema of a key. `storage.collection` is an alias of `collection`. */
function fieldOf(schema: z.ZodObject, prefix: string, key: string): z.ZodType | undefined {
  if (prefix === 'storage.' && key === 'collection') return Config.shape.collection;
  return Object.hasOwn(schema.shape, key) ? (schema.shape[key] as z.ZodType) : undefined;
}

function unknownKeyError(where: string, path: string, known: readonly string[]): KbError {
  const name = path.split('.').at(-1)!;
  if (holdsSecret(name)) return credentialInFileError(where, path);
  const meant = findNearest(name, known);
  const prefix = path.slice(0, path.length - name.length);
  return new KbError('configuration', `${where}: unknown key "${path}".`, {
    hint: meant ? `Did you mean "${prefix}${meant}"?` : `Known here: ${known.join(', ')}.`,
  });
}

const credentialInFileError = (where: string, path: string): KbError =>
  new KbError('configuration', `${where}: "${path}" looks like a credential, which does not belong in a file.`, {
    hint: /^(network|ingestion|sources)\./.test(path)
      ? 'Set it in the environment (or .env), and write ${NAME} in its place.'
      : "Set it in the environment (or .env) under the provider's own name, such as OPENAI_API_KEY.",
  });

/** Rejects credentials in free maps and lists, and keys that schemas drop silently. A reference to a variable is no credential. */
function refuseUnsafeKeys(value: unknown, where: string, path: string): void {
  if (typeof value !== 'object' || value === null) return;
  for (const [key, inner] of Object.entries(value)) {
    const isReference = typeof inner === 'string' && (key === 'basic_auth' ? hasPasswordReference(inner) : hasReference(inner));
    const isSecret = !Array.isArray(value) && (holdsSecret(key, String(inner)) || isSiteCredentialValue(path, key, inner));
    if (key === '__proto__') throw new KbError('configuration', `${where}: ${path}.${key}: no key may have this name.`);
    if (isSecret && !isReference) throw credentialInFileError(where, `${path}.${key}`);
    refuseUnsafeKeys(inner, where, `${path}.${key}`);
  }
}

/** Fixed values that some services expect as user name or password beside a token; they are no secrets. */
const PLACEHOLDER_PASSWORD = /^(x|none|x-oauth-basic|(api[_-]?)?token)?$/i;

/** Whether the password of `name:password` comes from a variable; a variable in the name does not suffice. */
function hasPasswordReference(given: string): boolean {
  const [, password] = /^[^:]*:(.*)$/s.exec(given) ?? [];
  if (!hasReference(given)) return false;
  return password === undefined || PLACEHOLDER_PASSWORD.test(withoutReferences(password));
}

/** Minimum length of a cookie that may be a secret rather than a setting such as `lang=en`. */
const MIN_SECRET_COOKIE = 12;

/** Whether a value is a password of `network.sites`, or a cookie there that identifies a user. */
const isSiteCredentialValue = (path: string, key: string, value: unknown): boolean =>
  /^network\.sites\.\d+$/.test(path)
    ? key === 'basic_auth'
    : /^network\.sites\.\d+\.cookies$/.test(path) && (/sess|auth|sid|login|user/i.test(key) || String(value).length >= MIN_SECRET_COOKIE);

/** Where the configuration comes from. */
export interface LoadOptions {
  cwd: string;
  /** The file that `--config` names; else `KB_CONFIG`, else the nearest `kb.config.yaml`. */
  file?: string | undefined;
  environment: Environment;
  flags?: NamedLayer;
  /** Drivers of the calling program, as `createEngine` takes them: the configuration may use their names. */
  own?: OwnDrivers | undefined;
}

/** The configuration, with where it came from. */
export interface LoadedConfig {
  config: Config;
  /** The configuration file, if there is one. */
  file: string | undefined;
  /** The folder to which paths and sources are relative: that of the file, else `cwd`. */
  home: string;
  /** The environment variables, with those of `.env`. */
  environment: Environment;
}

/**
 * Finds, reads and merges the layers of the configuration: defaults < file < .env < environment < flags. Throws as `validateConfig` does, and a KbError
 * (`configuration`) if a file that it came upon by itself may have been written by others, or would send a key to an address that the user has not accepted.
 */
export function loadConfig(options: LoadOptions): LoadedConfig {
  const { disclosures, place, ...loaded } = readConfig(options);
  assertAccepted(place, disclosures);
  return loaded;
}

/** A configuration, and what it would send where before anybody has accepted that. */
export interface ReadConfig extends LoadedConfig {
  place: ConfigPlace;
  disclosures: Disclosure[];
}

/**
 * Does what `loadConfig` does, and leaves it to the caller to ask about `disclosures`; there are none if the user named the file. `serves`: whether those of a
 * server count, too.
 */
export function readConfig({ cwd, file: named, environment: given, flags, own = {} }: LoadOptions, serves = false): ReadConfig {
  const place = findConfig(cwd, named ?? given.KB_CONFIG);
  const { file, home } = place;
  const environment = { ...readEnvFile(place)?.variables, ...given };
  const contents: ConfigFile = file ? readConfigFile(file, environment) : { layer: {}, lines: new Map(), references: [] };
  const variables = readEnvironment(environment);
  const merged = [contents.layer, variables.layer, flags?.layer ?? {}].reduce<Layer>(mergeLayers, DEFAULTS);
  const originOf = (path: string): string =>
    flags?.names.get(path) ??
    variables.names.get(path) ??
    (contents.lines.has(path) ? `${basename(file!)}, line ${contents.lines.get(path)}: ${path}` : path);
  const config = validateConfig(merged, originOf, withOwnNames(Config, ownNames(own)));
  const user = { environment: given, layer: mergeLayers(readEnvironment(given).layer, flags?.layer ?? {}) };
  const disclosures = place.isNamed ? [] : listDisclosures({ config, home, environment, references: contents.references, user, serves });
  return { config, file, home, environment, place, disclosures };
}

/** Validates the merged layers. Throws a KbError that names each faulty value and its origin, which `originOf` returns for a path. */
export function validateConfig(merged: Layer, originOf: (path: string) => string, schema = Config): Config {
  const result = schema.safeParse(merged);
  if (result.success) {
    const unfit = explainChunkingConflict(result.data.chunking, originOf);
    if (unfit) throw new KbError('configuration', unfit);
    return result.data;
  }
  const problems = validationMessages(result.error, { schema, value: merged }).messages.map(({ path, problem, actual, hint }) => {
    const name = path.join('.');
    const value = getPath(merged, name);
    const got = value === undefined || typeof value === 'object' ? actual : ` (it is "${String(value)}")`;
    return { text: `${originOf(name)}: ${problem}${got}.`, hint };
  });
  const general = problems.some(({ hint }) => hint) ? undefined : 'kb.config.example.yaml says what each key takes.';
  const lines = problems.map(({ text, hint }) => (hint ? `${text} ${hint}` : text));
  throw new KbError('configuration', lines.toSorted(new Intl.Collator('en', { numeric: true }).compare).join('\n'), { hint: general }); // by line
}

/** Reads the values of `--set`, such as `chat.history_compaction.keep_recent=8`, as a layer. Throws a KbError for an unknown key. */
export function readSetFlags(settings: readonly string[]): NamedLayer {
  const layer: Layer = {};
  const names = new Map<string, string>();
  const keys = new Map(keysOf(Config).map((key) => [key.path, key]));
  for (const setting of settings) {
    const [, name = '', text = ''] = /^([^=]+)=(.*)$/s.exec(setting) ?? [];
    if (!name) throw new KbError('usage', `--set ${setting}: KEY=VALUE is expected.`, { hint: 'For example --set retrieval.top_k=5.' });
    const path = name === 'storage.collection' ? 'collection' : name;
    if (!keys.has(path) && ![...keys.keys()].some((known) => path.startsWith(`${known}.`))) {
      const prefix = path.slice(0, path.lastIndexOf('.') + 1);
      const known = [...keys.keys()].filter((candidate) => candidate.startsWith(prefix)).map((candidate) => candidate.slice(prefix.length));
      const whole = [...keys.keys()].find((key) => key.endsWith(`.${path}`)); // its section is missing
      if (whole !== undefined) throw new KbError('configuration', `--set: unknown key "${path}".`, { hint: `Did you mean "${whole}"?` });
      throw known.length > 0 ? unknownKeyError('--set', path, known) : unknownSectionError(path, [...keys.keys()]);
    }
    setPath(layer, path, parseSettingText(keys.get(path), text));
    names.set(path, `--set ${name}`);
  }
  return { layer, names };
}

function unknownSectionError(path: string, keys: readonly string[]): KbError {
  const sections = [...new Set(keys.map((key) => key.split('.')[0]))].join(', ');
  return new KbError('configuration', `--set: unknown key "${path}".`, {
    hint: didYouMean(path, keys) ?? `It begins with one of ${sections}; kb.config.example.yaml shows every key.`,
  });
}

/** A text in quotes. */
const QUOTED = /^\s*(["'])[^]*\1\s*$/;

/**
 * Parses the text of a value as YAML; `key` is absent inside a free map. Unquoted text for a key of texts stays unchanged, also with `#` or `: `.
 * Commas may separate the words of a list. Throws a KbError (`usage`) for anything but plain data.
 */
export function parseValueText(key: Key | undefined, text: string): unknown {
  const schema = key && unwrapSchema(key.schema);
  const isText = schema instanceof z.ZodString || schema instanceof z.ZodEnum;
  if (isText && !QUOTED.test(text)) return text;
  const value = parseYamlOrText(text);
  assertPlainData(value, key ? [key.path] : []);
  if (schema instanceof z.ZodArray && schema.element instanceof z.ZodEnum && typeof value === 'string')
    return value.split(',').map((word) => word.trim());
  return isText && typeof value !== 'string' ? text : value;
}

/** Parses YAML; invalid YAML stays text, so that the schema reports it. */
function parseYamlOrText(text: string): unknown {
  try {
    return parse(text);
  } catch {
    return text;
  }
}

/** Parses the value of `--set`: like `parseValueText`, but trimmed; an empty text, `null` and `~` mean null. */
function parseSettingText(key: Key | undefined, text: string): unknown {
  const value = parseValueText(key, text);
  if (value !== text) return value;
  const bare = text.trim();
  return /^(?:null|Null|NULL|~)?$/.test(bare) ? null : bare;
}

/** Variables of kb that are not configuration keys. */
const OTHER_VARIABLES = new Set(['KB_CONFIG', 'KB_SERVER_TOKEN', 'KB_PDF_PASSWORD', 'KB_OCR_FOLDER']);

/** Reads environment variables such as `KB_CHUNKING_CHUNK_SIZE`. Throws a KbError (`configuration`) for a name that differs from a known one by a letter or two. */
export function readEnvironment(environment: Environment): NamedLayer {
  const layer: Layer = {};
  const names = new Map<string, string>();
  const keys = new Map(keysOf(Config).map((key) => [key.variable, key]));
  keys.set('KB_STORAGE_COLLECTION', keys.get('KB_COLLECTION')!);
  for (const [name, value] of Object.entries(environment)) {
    if (!name.startsWith('KB_') || value === undefined || value === '') continue;
    const key = keys.get(name);
    const meant = key || OTHER_VARIABLES.has(name) ? undefined : [...keys.keys()].find((known) => isWithinDistance(known, name, 2));
    if (meant)
      throw new KbError('configuration', `The environment variable ${name} means nothing to kb.`, { hint: `Did you mean ${meant}?` });
    if (!key) continue;
    setPath(layer, key.path, parseValueText(key, value));
    names.set(key.path, name);
  }
  return { layer, names };
}
