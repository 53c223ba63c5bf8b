import { existsSync } from 'node:fs';
import { dirname } from 'node:path';
import { KbError } from '../core/errors.ts';
import { parseRequest } from '../core/parse-request.ts';
import { TokenRow } from '../schema/config-server.ts';
import { createToken, readTokenFile, tokenPath, withRow } from '../server/token-file.ts';
import { makeFolder, replaceFile, withFileLock } from './repl/history-file.ts';

/** Makes a token and adds its row to `server.tokens_file`, which is made (mode 0600) where there is none. Throws a KbError where the file or the row is not as it must be, or the name is taken. */
export function addToken(
  given: Omit<TokenRow, 'hash'>,
  place: Parameters<typeof tokenPath>[0],
): { file: string; token: string; row: TokenRow } {
  const checked = parseRequest(TokenRow.omit({ hash: true }), { ...given, scopes: [...new Set(given.scopes)] });
  const file = tokenPath(place);
  const { token, row } = createToken(checked);
  try {
    makeFolder(dirname(file));
    withFileLock(file, () => {
      if (!existsSync(file)) replaceFile(file, '');
      replaceFile(file, withRow(readTokenFile(file), row, { isJson: file.endsWith('.json') }));
    });
  } catch (cause) {
    if (cause instanceof KbError) throw cause;
    throw new KbError('configuration', `${file} cannot be written: ${(cause as Error).message}.`, { hint: 'Check its folder.', cause });
  }
  return { file, token, row };
}
