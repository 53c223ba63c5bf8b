import { Config } from '../schema/config.ts';
import { keysOf } from '../schema/keys.ts';
import type { FlagValues } from './flags.ts';

/** Keys that say which collection is meant, where it lies and how its vectors are made. */
const PLACE = /^(?:collection|storage\.(?:vector_db|url|options|collection)|embedding\.(?:provider|model|options))(?:\.|$)/;

/** What of a command line the next command needs to mean the same collection, as it is typed in a shell: ` --collection manuals`; empty where nothing of it was said. */
export function optionAgain(flags: FlagValues): string {
  const own = keysOf(Config).flatMap(({ path, flag }) => (flag !== undefined && PLACE.test(path) ? [flag] : []));
  const given = ['config', ...own].flatMap((flag) => (flags[flag] === undefined ? [] : [`--${flag}`, String(flags[flag])]));
  const settings = ((flags.set ?? []) as string[]).filter((setting) => PLACE.test(setting.split('=', 1)[0]!));
  return [...given, ...settings.flatMap((setting) => ['--set', setting])].map((word) => ` ${quoted(word)}`).join('');
}

/** A word as a shell takes it for one. */
const quoted = (word: string): string => (/^[\w@%+:,./=-]+$/.test(word) ? word : `'${word.replaceAll("'", String.raw`'\''`)}'`);
