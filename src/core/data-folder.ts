import { homedir } from 'node:os';
import { isAbsolute, join } from 'node:path';

/**
 * Returns a folder of kb in the user's own data folder. As XDG's specification requires, a relative `XDG_DATA_HOME` is ignored: it would be a folder of whoever
 * owns the working directory.
 */
export function dataFolder(name = ''): string {
  const { XDG_DATA_HOME = '', LOCALAPPDATA } = process.env;
  if (process.platform === 'win32' && LOCALAPPDATA) return join(LOCALAPPDATA, 'kb', name);
  if (process.platform === 'darwin') return join(homedir(), 'Library', 'Application Support', 'kb', name);
  return join(isAbsolute(XDG_DATA_HOME) ? XDG_DATA_HOME : join(homedir(), '.local', 'share'), 'kb', name);
}
