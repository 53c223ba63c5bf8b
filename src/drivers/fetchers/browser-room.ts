import { readlinkSync, rmSync } from 'node:fs';
import { lstat, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';

/** A folder for one browser's files, which tells the next one what was left behind where this process was killed. */
export interface BrowserRoom {
  path: string;
  /** Notes which profile the browser with this process id has: Playwright makes it, elsewhere, and removes it only where it lives to see the end. */
  note(pid: number): Promise<void>;
  leave(): void;
}

/** Rooms are named by host and process: containers may share a folder, and not their process ids. */
const MINE = `kb-browser-${hostname()}-`;
const PROFILE = /^playwright_chromiumdev_profile-\w+$/;
const NOTE = 'profile';

/** Makes a room in the folder for temporary files, and removes those of processes that are gone, with their profiles. */
export async function openRoom(): Promise<BrowserRoom> {
  for (const name of await readdir(tmpdir())) await removeIfLeft(name).catch(() => {}); // what cannot be removed is in nobody's way
  const path = await mkdtemp(join(tmpdir(), `${MINE}${process.pid}-`));
  return {
    path,
    async note(pid) {
      const profile = (await readdir(tmpdir())).find((name) => PROFILE.test(name) && isLockedBy(join(tmpdir(), name), pid));
      if (profile !== undefined) await writeFile(join(path, NOTE), profile);
    },
    leave: () => rmSync(path, { recursive: true, force: true }), // while the process may be about to end
  };
}

/** Chromium marks its profile with a link to host and process id; on Windows it does not, and what is left stays. */
function isLockedBy(profile: string, pid: number): boolean {
  try {
    return readlinkSync(join(profile, 'SingletonLock')).endsWith(`-${pid}`);
  } catch {
    return false;
  }
}

async function removeIfLeft(name: string): Promise<void> {
  const pid = name.startsWith(MINE) ? /^(\d+)-\w+$/.exec(name.slice(MINE.length))?.[1] : undefined;
  if (pid === undefined || isRunning(Number(pid))) return;
  const room = join(tmpdir(), name);
  const { uid } = await lstat(room);
  if (process.getuid && uid !== process.getuid()) return; // a folder for all: what others note is not acted upon
  const profile = await readFile(join(room, NOTE), 'utf8').catch(() => '');
  if (PROFILE.test(profile)) await rm(join(tmpdir(), profile), { recursive: true, force: true });
  await rm(room, { recursive: true, force: true });
}

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
