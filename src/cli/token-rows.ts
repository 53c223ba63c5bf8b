import { existsSync } from 'node:fs';
import { dirname } from 'node:path';
import { KbError } from '../core/errors.ts';
import { parseRequest } from '../core/parse-request.ts';
import { TokenRow } from '../schema/config-server.ts';
import { createToken, readTokenFile, tokenPath, withoutRow, withRow } from '../server/token-file.ts';
import { makeFolder, replaceFile, withFileLock } from './repl/history-file.ts';

type TokenPlace = Parameters<typeof tokenPath>[0];

/** The rows of `server.tokens_file` without their hashes; none where the file is yet to be made. Throws a KbError where it is not as it must be. */
export function listTokens(place: TokenPlace): Omit<TokenRow, 'hash'>[] {
  const file = tokenPath(place);
  if (!existsSync(file)) return [];
  return readTokenFile(file).rows.map(({ hash: _hash, ...row }) => row);
}

/** Makes a token and adds its row to `server.tokens_file`, which is made (mode 0600) where there is none. Throws a KbError where the file or the row is not as it must be, or the name is taken. */
export function addToken(given: Omit<TokenRow, 'hash'>, place: TokenPlace): { file: string; token: string; row: TokenRow } {
  const checked = parseRequest(TokenRow.omit({ hash: true }), { ...given, scopes: [...new Set(given.scopes)] });
  const file = tokenPath(place);
  const { token, row } = createToken(checked);
  rewrite(file, () => {
    if (!existsSync(file)) replaceFile(file, '');
    return withRow(readTokenFile(file), row, kindOf(file));
  });
  return { file, token, row };
}

/** Removes the row of a token; gives the file. Throws a KbError where there is none of this name. */
export function revokeToken(name: string, place: TokenPlace): string {
  const file = tokenPath(place);
  readTokenFile(file); // before a folder is made for what is not there
  rewrite(file, () => withoutRow(readTokenFile(file), name, kindOf(file)));
  return file;
}

const kindOf = (file: string): { isJson: boolean } => ({ isJson: file.endsWith('.json') });

/** Puts another text into the place of a file of tokens while nobody else does. */
function rewrite(file: string, change: () => string): void {
  try {
    makeFolder(dirname(file));
    withFileLock(file, () => replaceFile(file, change()));
  } catch (cause) {
    if (cause instanceof KbError) throw cause;
    throw new KbError('configuration', `${file} cannot be written: ${(cause as Error).message}.`, { hint: 'Check its folder.', cause });
  }
}
