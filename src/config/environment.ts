import { parse } from 'yaml';
import { z } from 'zod';
import { KbError } from '../core/errors.ts';
import { assertPlainData } from '../core/plain-data.ts';
import { distance } from '../core/nearest.ts';
import { setPath, type Layer } from '../core/settings.ts';
import { Config } from '../schema/config.ts';
import { keysOf, unwrapped, type Key } from '../schema/keys.ts';

export type Environment = Record<string, string | undefined>;

/** A text in quotes. */
const QUOTED = /^\s*(["'])[^]*\1\s*$/;

/**
 * The value of a key as text gives it, read as YAML, also where it lies within a free map and so has no key of its own. Where the key is text, text stays
 * what it is, with `#`, `: ` and digits alone, unless it is quoted as a whole. A list of words may have commas between them. Throws a KbError (`usage`) for what is no plain data.
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

/** What is no YAML stays text: the schema says what is wrong with it. */
function yamlIn(text: string): unknown {
  try {
    return parse(text);
  } catch {
    return text;
  }
}

/** The value that `--set` gives to a key: `fromText`, but as in YAML blanks around a text are none of it, and nothing, `null` and `~` are no text. */
export function fromSetting(key: Key | undefined, text: string): unknown {
  const value = fromText(key, text);
  if (value !== text) return value;
  const bare = text.trim();
  return /^(?:null|Null|NULL|~)?$/.test(bare) ? null : bare;
}

/** What the environment says (`KB_COLLECTION`, `KB_CHUNKING_CHUNK_SIZE`), and which variable said it. Throws for a variable that misses a known one by a letter or two. */
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

/** Variables of kb's that are not keys of the configuration. */
const OTHERS = new Set(['KB_CONFIG', 'KB_SERVER_TOKEN', 'KB_PDF_PASSWORD', 'KB_OCR_FOLDER']);
