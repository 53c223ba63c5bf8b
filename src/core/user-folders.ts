import { homedir } from 'node:os';
import { isAbsolute, join } from 'node:path';

/** Variable and default of each folder (XDG Base Directory Specification). */
const FOLDERS = {
  config: ['XDG_CONFIG_HOME', '.config'],
  data: ['XDG_DATA_HOME', '.local/share'],
  state: ['XDG_STATE_HOME', '.local/state'],
} as const;

/** Kind of a folder of the user: `state` holds conversations and locks, `data` programs for OCR and accepted addresses. */
export type UserFolder = keyof typeof FOLDERS;

/**
 * Returns the folder of kb in the home directory of the user. A relative path in a variable is ignored, as XDG's specification requires: it would lead into the
 * working directory, which may belong to somebody else.
 */
export function userFolder(kind: UserFolder, environment: NodeJS.ProcessEnv = process.env): string {
  if (kind === 'data' && process.platform === 'win32' && environment.LOCALAPPDATA) return join(environment.LOCALAPPDATA, 'kb');
  if (kind === 'data' && process.platform === 'darwin') return join(homedir(), 'Library', 'Application Support', 'kb');
  const [variable, fallback] = FOLDERS[kind];
  const folder = environment[variable] ?? '';
  return join(isAbsolute(folder) ? folder : join(homedir(), fallback), 'kb');
}
