import { existsSync, readFileSync, realpathSync, type Stats, statSync } from 'node:fs';
import { homedir } from 'node:os';
import { basename, dirname, join, resolve } from 'node:path';
import { parseEnv } from 'node:util';
import { KbError } from '../core/errors.ts';
import { describeFileError } from '../core/file-names.ts';
import type { Environment } from '../ports/engines.ts';

/** Name of the configuration file. */
export const CONFIG_NAME = 'kb.config.yaml';

/** Where the configuration is. */
export interface ConfigPlace {
  /** The configuration file, if there is one. */
  file: string | undefined;
  /** Whether the user named the file, with `--config` or `KB_CONFIG`. */
  isNamed: boolean;
  /** The folder of the file, else the working directory. */
  home: string;
}

/**
 * Finds the configuration: the named file, else the nearest `kb.config.yaml` from `cwd` upwards, up to the home directory or the root of a repository. Throws a
 * KbError (`configuration`) if the named file does not exist, or if others may have written the one that it comes upon.
 */
export function findConfig(cwd: string, named: string | undefined, homes = homeFolders()): ConfigPlace {
  if (named) {
    const file = resolve(cwd, named);
    if (existsSync(file)) return { file, isNamed: true, home: dirname(file) };
    throw new KbError('configuration', `The configuration file ${named} does not exist.`, {
      hint: 'Name another with --config, or write one with kb init.',
    });
  }
  const file = searchUpwards(resolve(cwd), homes);
  if (file !== undefined && !statSync(file).isFile()) throw new KbError('configuration', `${file}, which kb found, is not a file.`); // a pipe never ends
  if (file !== undefined) assertOwnFile(file, `If you trust it, name it: --config ${file}, or KB_CONFIG=${file} in the environment.`);
  return { file, isNamed: false, home: file === undefined ? resolve(cwd) : dirname(file) };
}

function searchUpwards(cwd: string, homes: readonly string[]): string | undefined {
  for (let folder = cwd; ; folder = dirname(folder)) {
    const path = join(folder, CONFIG_NAME);
    if (existsSync(path)) return path;
    const isRepositoryRoot = existsSync(join(folder, '.git')); // a file in worktrees and submodules
    if (isRepositoryRoot || homes.includes(folder) || folder === dirname(folder)) return undefined;
  }
}

/** Returns the home directory, also with its links resolved; nothing if there is none. */
export function homeFolders(find: () => string = homedir): string[] {
  try {
    const home = resolve(find());
    return [home, ...(existsSync(home) ? [realpathSync(home)] : [])];
  } catch {
    return []; // a user without an entry in the list of users
  }
}

/** Throws a KbError (`configuration`) with the hint unless nobody but this user and root can write the file, or replace it in its folder. */
function assertOwnFile(file: string, hint: string): void {
  const target = realpathSync(file);
  for (const path of new Set([file, dirname(file), target, dirname(target)])) {
    const problem = findForeignAccess(statSync(path));
    if (problem === undefined) continue;
    const subject = path === file ? basename(file) : `${path === dirname(file) ? 'its folder ' : ''}${path}`;
    const hasEnvFile = basename(file) !== '.env' && existsSync(join(dirname(file), '.env'));
    const refused = hasEnvFile ? `${file} and the .env beside it, and uses neither` : `${file} and does not use it`;
    throw new KbError('configuration', `kb found ${refused}: ${subject} ${problem}.`, { hint });
  }
}

/** Says how another user can write a file or folder; undefined if none can. Windows has no such owners and modes. */
function findForeignAccess({ uid, gid, mode }: Stats): string | undefined {
  const user = process.getuid?.();
  if (user === undefined) return undefined;
  if (uid !== user && uid !== 0) return `belongs to another user (${uid})`;
  if (mode & 0o002) return 'can be written by everyone';
  // a group with the number of its user is that user's alone: with it, Debian and Fedora let groups write new files
  if (mode & 0o020 && gid !== 0 && gid !== user) return `can be written by the group ${gid}`;
  return undefined;
}

/** Variables that choose programs, libraries and folders of the user: kb takes them from the environment that it is started with only. */
const NEVER_FROM_FILE =
  /^(?:NODE_.*|LD_.*|DYLD_.*|PATH|PYTHON.*|SSL_.*|XDG_.*|HOME|USERPROFILE|APPDATA|LOCALAPPDATA|TMPDIR|TEMP|TMP|KB_CONFIG|KB_OCR_FOLDER)$/i;

/** A `.env`, and the variables that kb takes from there. */
export interface EnvFile {
  path: string;
  variables: Environment;
}

/** Reads the `.env` beside the configuration; undefined if there is none. Throws a KbError (`configuration`) if others may have written it. */
export function readEnvFile({ file, isNamed, home }: ConfigPlace): EnvFile | undefined {
  const path = join(home, '.env');
  if (!statSync(path, { throwIfNoEntry: false })?.isFile()) return undefined; // a folder named .env belongs to another program
  const hint = `If you trust it, make it yours: chown "$USER" ${path} && chmod go-w ${path}`;
  if (!isNamed) assertOwnFile(path, hint);
  else if (!hasKnownOwner(path, file!))
    throw new KbError('configuration', `kb does not use ${path}: it belongs to another user than ${file}.`, { hint });
  const entries = Object.entries(parseEnv(readText(path)));
  return { path, variables: Object.fromEntries(entries.filter(([name]) => !NEVER_FROM_FILE.test(name))) };
}

/** Whether a file belongs to this user, root or the owner of the named configuration: in a folder such as /tmp, others can put a `.env` beside that. */
const hasKnownOwner = (path: string, config: string): boolean =>
  process.getuid === undefined || [process.getuid(), 0, statSync(config).uid].includes(statSync(path).uid);

/** Reads a text file. Throws a KbError (`configuration`); `kind` stands before the path in its message. */
export function readText(path: string, kind = ''): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (cause) {
    const hint = /^(EACCES|EPERM)$/.test((cause as NodeJS.ErrnoException).code ?? '') ? 'Check its permissions.' : undefined;
    throw new KbError('configuration', `${kind}${path} cannot be read: ${describeFileError(cause, 'read')}.`, { hint, cause });
  }
}
