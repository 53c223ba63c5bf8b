import { holdsSecret, redactUrl } from '../core/secrets.ts';
import { shellWord } from '../core/shell-word.ts';
import { fromText } from '../config/load.ts';
import { Config } from '../schema/config.ts';
import { keysOf } from '../schema/keys.ts';
import type { FlagValues } from './command-context.ts';

/** Keys that say which collection is meant, where it lies and how its vectors are made. */
const PLACE = /^(?:collection|storage\.(?:vector_db|url|options|collection)|embedding\.(?:provider|model|options))(?:\.|$)/;

/**
 * Writes the flags that the next command needs for the same collection, as typed in a shell: ` --collection manuals`; empty if none was
 * given, and keys that are left out (`without`). Credentials are not repeated, because it appears on screens and in logs.
 */
export function repeatFlags(flags: FlagValues, { without = [] }: { without?: readonly string[] } = {}): string {
  const own = keysOf(Config).flatMap(({ path, flag }) => (flag !== undefined && PLACE.test(path) && !without.includes(path) ? [flag] : []));
  const given = ['config', ...own].flatMap((flag) => (flags[flag] === undefined ? [] : [`--${flag}`, safe(String(flags[flag]))]));
  const settings = ((flags.set ?? []) as string[]).filter((setting) => {
    const [path] = setting.split('=', 1);
    return PLACE.test(path!) && !without.includes(path!);
  });
  return [...given, ...settings.flatMap((setting) => ['--set', safeSetting(setting)])].map((word) => ` ${shellWord(word)}`).join('');
}

/** A text that carries a user name or parameters, as an address does. */
const IN_ADDRESS = /\/\/[^/\s]*@|:\/\/(?:(?!:\/\/)\S)*\?/;

/** A word without the credentials that an address in it carries. */
const safe = (word: string): string => (IN_ADDRESS.test(word) ? redactUrl(word) : word);

/** `KEY=VALUE` with … for a value that is a credential, or holds one. */
function safeSetting(setting: string): string {
  const [, key = '', value = ''] = /^([^=]*)=(.*)$/s.exec(setting) ?? [];
  const isSecret = key.split('.').some((name) => holdsSecret(name, value)) || holdsCredentials(fromText(undefined, value));
  return `${key}=${isSecret ? '…' : safe(value)}`;
}

const holdsCredentials = (value: unknown): boolean =>
  typeof value === 'object' &&
  value !== null &&
  Object.entries(value).some(([name, inner]) => holdsSecret(name, String(inner)) || holdsCredentials(inner));
