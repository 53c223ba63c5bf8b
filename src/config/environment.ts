import { parse } from 'yaml';
import { z } from 'zod';
import { KbError } from '../core/errors.ts';
import { assertPlainData } from '../core/plain-data.ts';
import { distance } from '../core/nearest.ts';
import { setPath, type Layer } from '../core/settings.ts';
import { Config } from '../schema/config.ts';
import { keysOf, unwrapped, type Key } from '../schema/keys.ts';

/** Environment variables. */
export type Environment = Record<string, string | undefined>;

/** A text in quotes. */
const QUOTED = /^\s*(["'])[^]*\1\s*$/;

/**
 * Parses the text of a value as YAML; `key` is absent for a value inside a free map. If the key takes text, the text is kept as it is, also with `#`, `: ` or
 * only digits, unless it is quoted as a whole. The words of a list may be separated by commas. Throws a KbError (`usage`) for anything but plain data.
 */
export function fromText(key: Key | undefined, text: string): unknown {
  const schema = key && unwrapped(key.schema);
  const isText = schema instanceof z.ZodString || schema instanceof z.ZodEnum;
  if (isText && !QUOTED.test(text)) return text;
  const value = yamlIn(text);
  assertPlainData(value, key ? [key.path] : []);
  if (schema instanceof z.ZodArray && schema.element instanceof z.ZodEnum && typeof value === 'string')
    return value.split(',').map((word) => word.trim());
  return isText && typeof value !== 'string' ? text : value;
}

/** Parses YAML; invalid YAML stays text, so that the schema reports it. */
function yamlIn(text: string): unknown {
  try {
    return parse(text);
  } catch {
    return text;
  }
}

/**
 * Parses the value of `--set`: as `fromText`, but blanks around a text are dropped as in YAML, and an empty text, `null` and `~` mean null.
 */
export function fromSetting(key: Key | undefined, text: string): unknown {
  const value = fromText(key, text);
  if (value !== text) return value;
  const bare = text.trim();
  return /^(?:null|Null|NULL|~)?$/.test(bare) ? null : bare;
}

/**
 * Reads the configuration from environment variables (`KB_COLLECTION`, `KB_CHUNKING_CHUNK_SIZE`); returns also the variable of each key.
 * Throws a KbError (`configuration`) for an unknown name that differs from a known one by a letter or two.
 */
export function readEnvironment(environment: Environment): { layer: Layer; variables: Map<string, string> } {
  const layer: Layer = {};
  const variables = new Map<string, string>();
  const keys = new Map(keysOf(Config).map((key) => [key.variable, key]));
  keys.set('KB_STORAGE_COLLECTION', keys.get('KB_COLLECTION')!);
  for (const [name, value] of Object.entries(environment)) {
    if (!name.startsWith('KB_') || value === undefined || value === '') continue;
    const key = keys.get(name);
    if (key) {
      setPath(layer, key.path, fromText(key, value));
      variables.set(key.path, name);
      continue;
    }
    const meant = [...keys.keys()].find((known) => distance(known, name) <= 2);
    if (meant && !OTHERS.has(name))
      throw new KbError('configuration', `The environment variable ${name} means nothing to kb.`, { hint: `Did you mean ${meant}?` });
  }
  return { layer, variables };
}

/** Variables of kb that are not configuration keys. */
const OTHERS = new Set(['KB_CONFIG', 'KB_SERVER_TOKEN', 'KB_PDF_PASSWORD', 'KB_OCR_FOLDER']);
