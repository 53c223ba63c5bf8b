import { homedir } from 'node:os';
import { join } from 'node:path';

/** Variable and default of each folder (XDG Base Directory Specification). */
const FOLDERS = {
  config: ['XDG_CONFIG_HOME', '.config'],
  data: ['XDG_DATA_HOME', '.local/share'],
  state: ['XDG_STATE_HOME', '.local/state'],
} as const;

/** Kind of a folder of the user: `state` holds conversations and locks. */
export type UserFolder = keyof typeof FOLDERS;

/** Returns the folder of kb in the home directory of the user. */
export function userFolder(kind: UserFolder, environment: NodeJS.ProcessEnv = process.env): string {
  const [variable, fallback] = FOLDERS[kind];
  return join(environment[variable] || join(homedir(), fallback), 'kb');
}
