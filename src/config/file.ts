import { readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { isMap, isScalar, LineCounter, parseDocument, type YAMLMap } from 'yaml';
import { z } from 'zod';
import { KbError } from '../base/errors.ts';
import { fileTrouble } from '../base/file-trouble.ts';
import { nearest } from '../base/nearest.ts';
import { filledIn, isReferring, withoutReferences } from '../base/references.ts';
import { holdsSecret } from '../base/secrets.ts';
import { setPath, type Layer } from '../base/settings.ts';
import { Config } from '../schema/config.ts';
import { unwrapped } from '../schema/keys.ts';
import type { Environment } from './environment.ts';

/** What a configuration file says, and where: the line of each key by its dotted path. */
export interface ConfigFile {
  layer: Layer;
  lines: Map<string, number>;
}

/** Reads a configuration file; `${NAME}` in a free map or a list (`headers`, `params`, `options`, `sites`, `sources`, but for its texts) stands for a variable of the environment, where that is set. Throws a KbError that names the file, the line and the key that is at fault; values are never printed. */
export function readConfigFile(path: string, environment: Environment = {}): ConfigFile {
  const name = basename(path);
  const counter = new LineCounter();
  const document = parseDocument(readText(path), { lineCounter: counter, prettyErrors: false });
  const [broken] = document.errors;
  if (broken) {
    const line = counter.linePos(broken.pos[0]).line;
    throw new KbError('configuration', `${name}, line ${line}: this is not YAML: ${broken.message}.`, {
      hint: 'Mend the line; kb.config.example.yaml shows every key.',
    });
  }
  const file: ConfigFile = { layer: {}, lines: new Map() };
  if (document.contents === null) return file;
  if (!isMap(document.contents)) throw new KbError('configuration', `${name}: the file must hold keys, such as «collection: manuals».`);
  walk(document.contents, Config, '');
  return file;

  function walk(map: YAMLMap, schema: z.ZodObject, prefix: string): void {
    for (const pair of map.items) {
      const key = String(isScalar(pair.key) ? pair.key.value : pair.key);
      const line = counter.linePos((isScalar(pair.key) && pair.key.range?.[0]) || 0).line;
      const field = fieldOf(schema, prefix, key);
      if (field === undefined) throw unknownKey(`${name}, line ${line}`, prefix + key, Object.keys(schema.shape));
      const target = prefix + key === 'storage.collection' ? 'collection' : prefix + key;
      file.lines.set(target, line);
      const inner = unwrapped(field);
      if (inner instanceof z.ZodObject && isMap(pair.value)) walk(pair.value, inner, `${prefix}${key}.`);
      else if (pair.value !== null && !(isScalar(pair.value) && pair.value.value === null)) {
        const value: unknown = (pair.value as { toJS(document: unknown): unknown }).toJS(document);
        refuseCredentials(value, `${name}, line ${line}`, prefix + key);
        setPath(file.layer, target, typeof value === 'object' && target !== 'sources.markdown' ? filledIn(value, environment) : value);
      }
    }
  }
}

function readText(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (cause) {
    throw new KbError('configuration', `The configuration file ${path} cannot be read: ${fileTrouble(cause, 'read')}.`, { cause });
  }
}

/** `storage.collection` is the one key with two places: it means `collection`. */
function fieldOf(schema: z.ZodObject, prefix: string, key: string): z.ZodType | undefined {
  if (prefix === 'storage.' && key === 'collection') return Config.shape.collection;
  return Object.hasOwn(schema.shape, key) ? (schema.shape[key] as z.ZodType) : undefined;
}

/** An error that names a key nobody knows and the one that was probably meant. */
export function unknownKey(where: string, path: string, known: readonly string[]): KbError {
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

/** Free maps and lists are searched too; what refers to a variable is no credential. */
function refuseCredentials(value: unknown, where: string, path: string): void {
  if (typeof value !== 'object' || value === null) return;
  for (const [key, inner] of Object.entries(value)) {
    const isReference = typeof inner === 'string' && (key === 'basic_auth' ? isReferred(inner) : isReferring(inner));
    const isSecret = !Array.isArray(value) && (holdsSecret(key, String(inner)) || isGivenToSite(path, key, inner));
    if (isSecret && !isReference) throw credential(where, `${path}.${key}`);
    refuseCredentials(inner, where, `${path}.${key}`);
  }
}

/** Passwords that some services want beside a token in the place of the user name, or the other way around: no secrets. */
const NO_PASSWORD = /^(x|none|x-oauth-basic|(api[_-]?)?token)?$/i;

/** Whether a user name and password keep the password out of the file: a variable beside a password makes that no less one. */
function isReferred(given: string): boolean {
  const [, password] = /^[^:]*:(.*)$/s.exec(given) ?? [];
  if (!isReferring(given)) return false;
  return password === undefined || NO_PASSWORD.test(withoutReferences(password));
}

/** Characters of a cookie from which on it is more than a setting such as `lang=en`. */
const LONG_COOKIE = 12;

/** A password, or a cookie that says who someone is, of `network.sites`. */
const isGivenToSite = (path: string, key: string, value: unknown): boolean =>
  /^network\.sites\.\d+$/.test(path)
    ? key === 'basic_auth'
    : /^network\.sites\.\d+\.cookies$/.test(path) && (/sess|auth|sid|login|user/i.test(key) || String(value).length >= LONG_COOKIE);
