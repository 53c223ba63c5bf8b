import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import { existsSync, readFileSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { isSeq, type Document } from 'yaml';
import { z } from 'zod';
import type { AccessRights } from '../core/access-rights.ts';
import { describeFileError } from '../core/file-names.ts';
import { describe, KbError } from '../core/errors.ts';
import { documentId } from '../core/ids.ts';
import { didYouMean } from '../core/nearest.ts';
import { userFolder } from '../core/user-folders.ts';
import { explainValidationError } from '../core/validation-issues.ts';
import { parseYamlDocument, toPlainValue } from '../core/yaml.ts';
import { rootsFilter } from '../engine/permissions.ts';
import { TokenScope, type Server, TokenRow } from '../schema/config.ts';
import { realPath } from '../stages/extract/files/local-path.ts';

/** Settings that locate the tokens file, and folders where it must not be. */
interface TokenPlace {
  settings: Pick<Server, 'tokens_file' | 'allowed_roots'>;
  /** Base of a relative `tokens_file`. */
  home: string;
  cwd: string;
}

/** Returns the tokens file of a folder without `server.tokens_file`. It is in the configuration folder of kb, which no request may read (`stateFilter`). */
const defaultTokenPath = (home: string): string => join(userFolder('config'), 'tokens', `${documentId(realPath(resolve(home)))}.yaml`);

/** Resolves `server.tokens_file`, else the default file. Throws a KbError (`configuration`) if requests could read it. */
export function tokenPath({ settings, home, cwd }: TokenPlace): string {
  const { tokens_file, allowed_roots } = settings;
  if (tokens_file === undefined) return defaultTokenPath(home);
  const file = realPath(resolve(home, tokens_file));
  if (rootsFilter({ allowed_roots, home, cwd })(file))
    throw new KbError('configuration', `server.tokens_file (${file}) lies in server.allowed_roots: requests could read it.`, {
      hint: 'Put it into another folder. Unless allowed_roots says otherwise, requests may read the working directory.',
    });
  return file;
}

/** Returns the tokens file that a server uses: the configured one, else the default one if it has tokens. Throws a KbError (`configuration`). */
export function serverTokenPath(place: TokenPlace): string | undefined {
  const file = tokenPath(place);
  return place.settings.tokens_file !== undefined || (existsSync(file) && readTokenFile(file).rows.length > 0) ? file : undefined;
}

/** A tokens file: its rows, and the document with its comments and form. */
interface TokenFile {
  rows: TokenRow[];
  document: Document;
}

/** Reads a tokens file, YAML or JSON. Throws a KbError (`configuration`) that names the file and the problem, but no hash. */
export function readTokenFile(file: string): TokenFile {
  const origin = { where: file, code: 'configuration' } as const;
  const { document } = parseYamlDocument(readText(file), origin);
  const value = toPlainValue(() => document.toJS(), origin) ?? [];
  const { data: rows, error } = z.array(TokenRow).safeParse(value);
  if (error)
    throw new KbError(
      'configuration',
      `${file}: ${explainValidationError(error, { schema: z.array(TokenRow), value, whole: 'the file' })}`,
    );
  const duplicate = rows.find(({ name }, i) => rows.findIndex((row) => row.name === name) < i);
  if (duplicate) throw new KbError('configuration', `${file}: two tokens are called "${duplicate.name}".`);
  return { rows, document };
}

function readText(file: string): string {
  try {
    const open = statSync(file).mode & 0o077;
    if (open !== 0 && process.platform !== 'win32')
      throw new KbError('configuration', `${file}: others than its owner may read or write the tokens.`, {
        hint: `Its mode must be 0600: chmod 600 ${file}`,
      });
    return readFileSync(file, 'utf8');
  } catch (cause) {
    if (cause instanceof KbError) throw cause;
    throw new KbError('configuration', `The tokens file ${file} cannot be read: ${describeFileError(cause, 'read')}.`, {
      hint: '"kb token create NAME --scope read" makes it.',
      cause,
    });
  }
}

/**
 * Makes a function that returns the rows of a tokens file, and reads them again when the file has changed: a created or revoked token takes
 * effect at once. If the file can no longer be read, its last rows stay valid; a deleted file has no rows. Both are reported to `onProblem`.
 * Throws as `readTokenFile` does.
 */
export function createRowReader(file: string, onProblem: (message: string) => void): () => readonly TokenRow[] {
  let lastState = fileState(file);
  let { rows } = readTokenFile(file);
  return () => {
    const state = fileState(file);
    if (state === lastState) return rows;
    lastState = state;
    try {
      ({ rows } = readTokenFile(file));
    } catch (error) {
      const isGone = state === '';
      if (isGone) rows = [];
      onProblem(
        `${describe(error)} ${isGone ? 'Its tokens are refused until it is back.' : 'The tokens that were read before stay in use.'}`,
      );
    }
    return rows;
  };
}

function fileState(file: string): string {
  const found = statSync(file, { throwIfNoEntry: false });
  return found ? `${found.ino} ${found.mtimeMs} ${found.size}` : '';
}

/** Creates a token of 256 random bits, and the row for it. */
export function createToken(given: Omit<TokenRow, 'hash'>): { token: string; row: TokenRow } {
  const token = `kb_${randomBytes(32).toString('base64url')}`;
  const { name, scopes, collections, filter } = given;
  return { token, row: { name, hash: digest(token).toString('hex'), scopes, collections, ...(filter ? { filter } : {}) } };
}

/**
 * Adds a row to the text of a tokens file, which keeps its comments and form (YAML or JSON). Throws a KbError (`usage`) if the name is
 * taken.
 */
export function withRow({ rows, document }: TokenFile, row: TokenRow, { isJson }: { isJson: boolean }): string {
  if (rows.some(({ name }) => name === row.name))
    throw new KbError('usage', `There is a token "${row.name}" already.`, {
      hint: `Choose another name, or revoke that one: kb token revoke ${row.name}`,
    });
  if (isJson) return `${JSON.stringify([...rows, row], undefined, 2)}\n`;
  if (isSeq(document.contents)) document.contents.add(document.createNode(row));
  else document.contents = document.createNode([row]) as never;
  return document.toString();
}

/** Removes a row from the text of a tokens file, which keeps its form. Throws a KbError (`not_found`) if there is none of this name. */
export function withoutRow({ rows, document }: TokenFile, name: string, { isJson }: { isJson: boolean }): string {
  const at = rows.findIndex((row) => row.name === name);
  if (at < 0) {
    const names = rows.map((row) => row.name);
    throw new KbError('not_found', `There is no token "${name}".`, { hint: didYouMean(name, names) ?? 'kb token list shows them all.' });
  }
  if (isJson) return `${JSON.stringify(rows.toSpliced(at, 1), undefined, 2)}\n`;
  document.deleteIn([at]);
  return document.toString();
}

/** Identifies the caller by the header `Authorization`; undefined without a known token. */
export type Authenticator = (header: string | undefined) => AccessRights | undefined;

/** Makes the authenticator of a server; undefined if it has no tokens. `token` has all rights. */
export function createAuthenticator({
  token,
  rows,
}: {
  token: string | undefined;
  /** The rows of the tokens file as it is now. */
  rows: (() => readonly TokenRow[]) | undefined;
}): Authenticator | undefined {
  if (token === undefined && rows === undefined) return undefined;
  const own: AccessRights = { name: 'KB_SERVER_TOKEN', scopes: TokenScope.options, collections: ['*'] };
  const first = token === undefined ? [] : [{ access: own, expected: digest(token) }];
  let read: readonly TokenRow[] | undefined;
  let entries: { access: AccessRights; expected: Buffer }[] = first;
  return (header) => {
    const [, given] = /^Bearer (\S+)$/i.exec(header ?? '') ?? [];
    if (given === undefined) return undefined;
    const now = rows?.() ?? [];
    if (now !== read) entries = [...first, ...now.map(({ hash, ...access }) => ({ access, expected: Buffer.from(hash, 'hex') }))];
    read = now;
    const givenDigest = digest(given);
    // compares all digests in constant time
    let caller: AccessRights | undefined;
    for (const { access, expected } of entries) if (timingSafeEqual(givenDigest, expected)) caller = access;
    return caller;
  };
}

const digest = (text: string): Buffer => createHash('sha256').update(text).digest();
