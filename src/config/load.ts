import { readFileSync, statSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { parseEnv } from 'node:util';
import { unfitChunking } from '../base/chunking-fit.ts';
import { KbError } from '../base/errors.ts';
import { fileTrouble } from '../base/file-trouble.ts';
import { nearest } from '../base/nearest.ts';
import { getPath, layered, setPath, type Layer } from '../base/settings.ts';
import { misfit } from '../base/validation.ts';
import type { OwnDrivers } from '../ports/drivers.ts';
import { Config, DEFAULTS } from '../schema/config.ts';
import { keysOf } from '../schema/keys.ts';
import { ownNames, withOwnNames } from '../schema/own-names.ts';
import { fromSetting, readEnvironment, type Environment } from './environment.ts';
import { readConfigFile, unknownKey, type ConfigFile } from './file.ts';
import { findConfig } from './find.ts';

export interface LoadOptions {
  cwd: string;
  /** The file that `--config` names; else `KB_CONFIG`, else the nearest `kb.config.yaml`. */
  file?: string | undefined;
  environment: Environment;
  /** What flags say, as a layer; and the flag's name for each path. */
  flags?: { layer: Layer; names: Map<string, string> };
  /** Drivers of one's own, as `createEngine` takes them: the configuration may use their names. */
  own?: OwnDrivers | undefined;
}

export interface LoadedConfig {
  config: Config;
  /** The configuration file, where there is one. */
  file: string | undefined;
  /** The folder that relative paths and sources are relative to: the file's, else `cwd`. */
  home: string;
  /** The environment, with what `.env` adds. */
  environment: Environment;
}

/** Finds, reads and lays over each other: defaults < file < .env < environment < flags. Throws a KbError that names what is wrong, and where. */
export function loadConfig({ cwd, file: named, environment: given, flags, own = {} }: LoadOptions): LoadedConfig {
  const file = findConfig(cwd, named ?? given.KB_CONFIG);
  const home = file ? dirname(file) : resolve(cwd);
  const environment = { ...dotenv(join(home, '.env')), ...given };
  const read: ConfigFile = file ? readConfigFile(file, environment) : { layer: {}, lines: new Map() };
  const variables = readEnvironment(environment);
  const merged = [read.layer, variables.layer, flags?.layer ?? {}].reduce<Layer>(layered, DEFAULTS);
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
    throw new KbError('configuration', `${path} cannot be read: ${fileTrouble(cause, 'read')}.`, { hint: 'Check its permissions.', cause });
  }
}

/** The merged layers as a configuration; `said` tells who said what is at a path. Throws a KbError that names what is wrong. */
export function validated(merged: Layer, said: (path: string) => string, schema = Config): Config {
  const result = schema.safeParse(merged);
  if (result.success) {
    const unfit = unfitChunking(result.data.chunking, said);
    if (unfit) throw new KbError('configuration', unfit);
    return result.data;
  }
  const { path, problem, came, hint } = misfit(result.error, { schema, value: merged });
  const name = path.join('.');
  const value = getPath(merged, name);
  const got = value === undefined || typeof value === 'object' ? came : ` (it is «${String(value)}»)`;
  throw new KbError('configuration', `${said(name)}: ${problem}${got}.`, {
    hint: hint ?? 'kb.config.example.yaml says what each key takes.',
  });
}

/** What `--set chat.history_compaction.keep_recent=8` says, added to a layer. Throws a KbError for a key that nobody knows. */
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
  const meant = nearest(path, keys);
  const sections = [...new Set(keys.map((key) => key.split('.')[0]))].join(', ');
  return new KbError('configuration', `--set: unknown key «${path}».`, {
    hint: meant ? `Did you mean «${meant}»?` : `It begins with one of ${sections}; kb.config.example.yaml shows every key.`,
  });
}
