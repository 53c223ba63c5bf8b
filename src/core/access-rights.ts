import { TokenScope } from '../schema/config.ts';
import type { Filter } from '../schema/stored/filter.ts';
import { KbError } from './errors.ts';

/** Rights of a caller, from its token. */
export interface AccessRights {
  name: string;
  scopes: readonly TokenScope[];
  /** Names of collections; `*` stands for all. */
  collections: readonly string[];
  /** Only chunks that match it are read, written and removed. */
  filter?: Filter | undefined;
}

/** Whether a caller may use the collection of that name. */
export const mayUse = (access: AccessRights | undefined, collection: string): boolean =>
  access === undefined || access.collections.includes('*') || access.collections.includes(collection);

/** The scopes of a token with those that they include: `write` includes `read`. */
export const grantedScopes = ({ scopes }: Pick<AccessRights, 'scopes'>): TokenScope[] =>
  TokenScope.options.filter((scope) => scopes.includes(scope) || (scope === 'read' && scopes.includes('write')));

/** Whether a caller has the scope. */
export const mayDo = (access: AccessRights | undefined, scope: TokenScope): boolean =>
  access === undefined || grantedScopes(access).includes(scope);

/** Throws a KbError (`forbidden`) that names the scope which a caller lacks. */
export function assertScope(access: AccessRights | undefined, scope: TokenScope): void {
  if (mayDo(access, scope)) return;
  throw new KbError(
    'forbidden',
    `This needs a token with the scope ${scope}; "${access!.name}" has ${grantedScopes(access!).join(', ')}.`,
    {
      hint: 'The operator gives scopes in server.tokens_file.',
    },
  );
}
