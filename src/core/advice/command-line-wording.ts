import { Config } from '../../schema/config.ts';
import { keysOf } from '../../schema/fields.ts';
import { flagOf, operatorWording, type Wording, withValue } from './wording.ts';

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
