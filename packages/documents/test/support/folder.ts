import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';

/** A new folder, removed after the test. */
export function folder(): string {
  const path = mkdtempSync(join(tmpdir(), 'documents-'));
  onTestFinished(() => rmSync(path, { recursive: true, force: true }));
  return path;
}
