import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { onTestFinished } from 'vitest';

/** Takes what is done when a test, or all of a file, are over. */
export type AtEnd = (close: () => void | Promise<void>) => void;

/** A new folder with these files (`{ 'a/b.md': text }`), removed after the test. */
export function folder(files: Record<string, string | Uint8Array> = {}, atEnd: AtEnd = onTestFinished): string {
  const path = mkdtempSync(join(tmpdir(), 'kb-test-'));
  atEnd(() => rmSync(path, { recursive: true, force: true }));
  write(path, files);
  return path;
}

/** A new folder with all that lies in another one, removed after the test. */
export function copied(from: string, atEnd?: AtEnd): string {
  const path = folder({}, atEnd);
  cpSync(from, path, { recursive: true });
  return path;
}

/** Does something once for all tests of a file, in `beforeAll`; gives what ends the things that it opened, last first. */
export async function prepared(work: (atEnd: AtEnd) => Promise<void>): Promise<() => Promise<void>> {
  const closing: Parameters<AtEnd>[0][] = [];
  await work((close) => void closing.unshift(close));
  return async () => {
    for (const close of closing) await close();
  };
}

/** Writes files into a folder. */
export function write(path: string, files: Record<string, string | Uint8Array>): void {
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(dirname(join(path, name)), { recursive: true });
    writeFileSync(join(path, name), content);
  }
}
