import { existsSync, readFileSync, statSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { describe, KbError } from '../core/errors.ts';
import { isMap, isScalar, LineCounter, parseDocument, type YAMLMap } from 'yaml';
import { z } from 'zod';
import { describeFileError } from '../core/file-names.ts';
import { nearest, didYouMean } from '../core/nearest.ts';
import { filledIn, getPath, isReferring, type Layer, mergeLayers, setPath, withoutReferences } from '../core/settings.ts';
import { holdsSecret } from '../core/secrets.ts';
import { Config, DEFAULTS } from '../schema/config.ts';
import { keysOf, unwrapped } from '../schema/keys.ts';
import { type Environment, fromSetting, readEnvironment } from './environment.ts';
import { parseEnv } from 'node:util';
import { unfitChunking } from '../core/parse-request.ts';
import { validationMessage } from '../core/validation-issues.ts';
import type { OwnDrivers } from '../ports/drivers.ts';
import { ownNames, withOwnNames } from '../schema/provider-names.ts';

/** Name of the configuration file. */
export const CONFIG_NAME = 'kb.config.yaml';

/** Finds the configuration file: the named one, else the nearest `kb.config.yaml` from `cwd` upwards, else none. */
function findConfig(cwd: string, named?: string): string | undefined {
  if (named) {
    const path = resolve(cwd, named);
    if (existsSync(path)) return path;
    throw new KbError('configuration', `The configuration file ${named} does not exist.`, {
      hint: 'Name another with --config, or write one with kb init.',
    });
  }
  for (let folder = resolve(cwd); ; folder = dirname(folder)) {
    const path = join(folder, CONFIG_NAME);
    if (existsSync(path)) return path;
    if (folder === dirname(folder)) return undefined;
  }
}

/** Contents of a configuration file, and the line of each key by its dotted path. */
interface ConfigFile {
  layer: Layer;
  lines: Map<string, number>;
}

/**
 * Reads a configuration file. `${NAME}` in a free map or a list (`headers`, `params`, `options`, `sites`, `sources`, but not its texts) is
 * replaced by an environment variable, if that is set. Throws a KbError that names the file, the line and the key; values are never
 * printed.
 */
export function readConfigFile(path: string, environment: Environment = {}): ConfigFile {
  const name = basename(path);
  const counter = new LineCounter();
  const document = parseDocument(readText(path), { lineCounter: counter, prettyErrors: false });
  const [broken] = document.errors;
  if (broken) {
    const line = counter.linePos(broken.pos[0]).line;
    throw new KbError('configuration', `${name}, line ${line}: this is not YAML: ${broken.message}.`, {
      hint: 'Fix the line; kb.config.example.yaml shows every key.',
    });
  }
  const file: ConfigFile = { layer: {}, lines: new Map() };
  if (document.contents === null) return file;
  if (!isMap(document.contents)) throw new KbError('configuration', `${name}: the file must hold keys, such as «collection: manuals».`);
  const unknown: KbError[] = [];
  walk(document.contents, Config, '');
  if (unknown.length > 0) throw together(unknown);
  return file;

  function walk(map: YAMLMap, schema: z.ZodObject, prefix: string): void {
    for (const pair of map.items) {
      const key = String(isScalar(pair.key) ? pair.key.value : pair.key);
      const line = counter.linePos((isScalar(pair.key) && pair.key.range?.[0]) || 0).line;
      const field = fieldOf(schema, prefix, key);
      if (field === undefined) {
        unknown.push(unknownKey(`${name}, line ${line}`, prefix + key, Object.keys(schema.shape)));
        continue;
      }
      const target = prefix + key === 'storage.collection' ? 'collection' : prefix + key;
      file.lines.set(target, line);
      const inner = unwrapped(field);
      if (inner instanceof z.ZodObject && isMap(pair.value)) walk(pair.value, inner, `${prefix}${key}.`);
      else if (pair.value !== null && !(isScalar(pair.value) && pair.value.value === null)) {
        const value: unknown = (pair.value as { toJS(document: unknown): unknown }).toJS(document);
        refuseUnsafeKeys(value, `${name}, line ${line}`, prefix + key);
        setPath(file.layer, target, typeof value === 'object' && target !== 'sources.markdown' ? filledIn(value, environment) : value);
      }
    }
  }
}

/** One error of several, a line each. */
function together(errors: readonly KbError[]): KbError {
  const [only] = errors;
  return errors.length === 1 ? only! : new KbError(only!.code, errors.map(describe).join('\n'));
}

function readText(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (cause) {
    throw new KbError('configuration', `The configuration file ${path} cannot be read: ${describeFileError(cause, 'read')}.`, { cause });
  }
}

/** Finds the schema of a key. `storage.collection` is an alias of `collection`. */
function fieldOf(schema: z.ZodObject, prefix: string, key: string): z.ZodType | undefined {
  if (prefix === 'storage.' && key === 'collection') return Config.shape.collection;
  return Object.hasOwn(schema.shape, key) ? (schema.shape[key] as z.ZodType) : undefined;
}

function unknownKey(where: string, path: string, known: readonly string[]): KbError {
  const name = path.split('.').at(-1)!;
  if (holdsSecret(name)) return credential(where, path);
  const meant = nearest(name, known);
  const prefix = path.slice(0, path.length - name.length);
  return new KbError('configuration', `${where}: unknown key «${path}».`, {
    hint: meant ? `Did you mean «${prefix}${meant}»?` : `Known here: ${known.join(', ')}.`,
  });
}

const credential = (where: string, path: string): KbError =>
  new KbError('configuration', `${where}: «${path}» looks like a credential, which does not belong in a file.`, {
    hint: /^(network|ingestion|sources)\./.test(path)
      ? 'Set it in the environment (or .env), and write ${NAME} in its place.'
      : "Set it in the environment (or .env) under the provider's own name, such as OPENAI_API_KEY.",
  });

/**
 * Rejects credentials, and keys that schemas drop silently. Free maps and lists are searched, too; a reference to a variable is no
 * credential.
 */
function refuseUnsafeKeys(value: unknown, where: string, path: string): void {
  if (typeof value !== 'object' || value === null) return;
  for (const [key, inner] of Object.entries(value)) {
    const isReference = typeof inner === 'string' && (key === 'basic_auth' ? isReferred(inner) : isReferring(inner));
    const isSecret = !Array.isArray(value) && (holdsSecret(key, String(inner)) || isGivenToSite(path, key, inner));
    if (key === '__proto__') throw new KbError('configuration', `${where}: ${path}.${key}: no key may have this name.`);
    if (isSecret && !isReference) throw credential(where, `${path}.${key}`);
    refuseUnsafeKeys(inner, where, `${path}.${key}`);
  }
}

/** Fixed values that some services expect beside a token, as user name or password: no secrets. */
const NO_PASSWORD = /^(x|none|x-oauth-basic|(api[_-]?)?token)?$/i;

/** Whether the password of a `name:password` is only in variables; a variable in the name alone does not suffice. */
function isReferred(given: string): boolean {
  const [, password] = /^[^:]*:(.*)$/s.exec(given) ?? [];
  if (!isReferring(given)) return false;
  return password === undefined || NO_PASSWORD.test(withoutReferences(password));
}

/** Characters from which a cookie may be a secret, and not a setting such as `lang=en`. */
const LONG_COOKIE = 12;

/** Whether a value is a password of `network.sites`, or a cookie there that identifies a user. */
const isGivenToSite = (path: string, key: string, value: unknown): boolean =>
  /^network\.sites\.\d+$/.test(path)
    ? key === 'basic_auth'
    : /^network\.sites\.\d+\.cookies$/.test(path) && (/sess|auth|sid|login|user/i.test(key) || String(value).length >= LONG_COOKIE);

/** Where the configuration comes from. */
export interface LoadOptions {
  cwd: string;
  /** The file that `--config` names; else `KB_CONFIG`, else the nearest `kb.config.yaml`. */
  file?: string | undefined;
  environment: Environment;
  /** The values of flags as a layer, and the name of the flag for each path. */
  flags?: { layer: Layer; names: Map<string, string> };
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
 * Finds, reads and merges the layers of the configuration: defaults < file < .env < environment < flags. Throws a KbError that names the
 * faulty value and where it is.
 */
export function loadConfig({ cwd, file: named, environment: given, flags, own = {} }: LoadOptions): LoadedConfig {
  const file = findConfig(cwd, named ?? given.KB_CONFIG);
  const home = file ? dirname(file) : resolve(cwd);
  const environment = { ...dotenv(join(home, '.env')), ...given };
  const read: ConfigFile = file ? readConfigFile(file, environment) : { layer: {}, lines: new Map() };
  const variables = readEnvironment(environment);
  const merged = [read.layer, variables.layer, flags?.layer ?? {}].reduce<Layer>(mergeLayers, DEFAULTS);
  const said = (path: string): string =>
    flags?.names.get(path) ??
    variables.variables.get(path) ??
    (read.lines.has(path) ? `${basename(file!)}, line ${read.lines.get(path)}: ${path}` : path);
  return { config: validated(merged, said, withOwnNames(Config, ownNames(own))), file, home, environment };
}

function dotenv(path: string): Environment {
  if (!statSync(path, { throwIfNoEntry: false })?.isFile()) return {}; // a folder of that name is another program's
  try {
    return parseEnv(readFileSync(path, 'utf8'));
  } catch (cause) {
    throw new KbError('configuration', `${path} cannot be read: ${describeFileError(cause, 'read')}.`, {
      hint: 'Check its permissions.',
      cause,
    });
  }
}

/**
 * Validates the merged layers; `said` names the origin of the value at a path. Throws a KbError that names the faulty value and where it
 * is.
 */
export function validated(merged: Layer, said: (path: string) => string, schema = Config): Config {
  const result = schema.safeParse(merged);
  if (result.success) {
    const unfit = unfitChunking(result.data.chunking, said);
    if (unfit) throw new KbError('configuration', unfit);
    return result.data;
  }
  const { path, problem, came, hint } = validationMessage(result.error, { schema, value: merged });
  const name = path.join('.');
  const value = getPath(merged, name);
  const got = value === undefined || typeof value === 'object' ? came : ` (it is «${String(value)}»)`;
  throw new KbError('configuration', `${said(name)}: ${problem}${got}.`, {
    hint: hint ?? 'kb.config.example.yaml says what each key takes.',
  });
}

/** Reads the values of `--set`, such as `chat.history_compaction.keep_recent=8`, as a layer. Throws a KbError for an unknown key. */
export function readSet(settings: readonly string[]): { layer: Layer; names: Map<string, string> } {
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
      throw known.length > 0 ? unknownKey('--set', path, known) : unknownSection(path, [...keys.keys()]);
    }
    setPath(layer, path, fromSetting(keys.get(path), text));
    names.set(path, `--set ${name}`);
  }
  return { layer, names };
}

function unknownSection(path: string, keys: readonly string[]): KbError {
  const sections = [...new Set(keys.map((key) => key.split('.')[0]))].join(', ');
  return new KbError('configuration', `--set: unknown key «${path}».`, {
    hint: didYouMean(path, keys) ?? `It begins with one of ${sections}; kb.config.example.yaml shows every key.`,
  });
}
