import { existsSync } from 'node:fs';
import { dirname } from 'node:path';
import { KbError } from '../core/errors.ts';
import { parseRequest } from '../core/parse-request.ts';
import { TokenRow } from '../schema/config.ts';
import { createToken, readTokenFile, tokenPath, withoutRow, withRow } from '../server/token-file.ts';
import { replaceFileSync } from '../core/replace-file.ts';
import { makeFolder, withFileLock } from './locked-file.ts';

type TokenPlace = Parameters<typeof tokenPath>[0];

/**
 * Lists the rows of `server.tokens_file` without their hashes; none if the file does not exist. Throws a KbError if the file is invalid.
 */
export function listTokens(place: TokenPlace): Omit<TokenRow, 'hash'>[] {
  const file = tokenPath(place);
  if (!existsSync(file)) return [];
  return readTokenFile(file).rows.map(({ hash: _hash, ...row }) => row);
}

/**
 * Creates a token and adds its row to `server.tokens_file`, which is created (mode 0600) if it is missing. Throws a KbError if the file or
 * the row is invalid, or the name is taken.
 */
export function addToken(given: Omit<TokenRow, 'hash'>, place: TokenPlace): { file: string; token: string; row: TokenRow } {
  const checked = parseRequest(TokenRow.omit({ hash: true }), { ...given, scopes: [...new Set(given.scopes)] });
  const file = tokenPath(place);
  const { token, row } = createToken(checked);
  rewrite(file, () => {
    if (!existsSync(file)) replaceFileSync(file, '', { mode: 0o600 });
    return withRow(readTokenFile(file), row, kindOf(file));
  });
  return { file, token, row };
}

/** Removes the row of a token; returns the path of the file. Throws a KbError if there is none of this name. */
export function revokeToken(name: string, place: TokenPlace): string {
  const file = tokenPath(place);
  readTokenFile(file); // fails before a folder is made for a file that does not exist
  rewrite(file, () => withoutRow(readTokenFile(file), name, kindOf(file)));
  return file;
}

const kindOf = (file: string): { isJson: boolean } => ({ isJson: file.endsWith('.json') });

/** Replaces a tokens file while holding its lock. */
function rewrite(file: string, change: () => string): void {
  try {
    makeFolder(dirname(file));
    withFileLock(file, () => replaceFileSync(file, change(), { mode: 0o600 }));
  } catch (cause) {
    if (cause instanceof KbError) throw cause;
    throw new KbError('configuration', `${file} cannot be written: ${(cause as Error).message}.`, { hint: 'Check its folder.', cause });
  }
}
