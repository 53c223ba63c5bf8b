import { KbError } from '../base/errors.ts';
import { filledIn } from '../base/references.ts';
import type { Environment } from '../config/environment.ts';
import type { RequestOf } from '../engine/operations.ts';
import type { FlagValues } from './flags.ts';
import { apiEntries } from './sources.ts';

type ApiEntries = Extract<NonNullable<RequestOf<'fetch'>['apis']>, unknown[]>;

/** The APIs that a command line names, each with its `--header` and `--param`. `${NAME}` in their values stands for a variable of the environment. */
export function fetchEntries(given: readonly string[], flags: FlagValues, environment: Environment): ApiEntries {
  const entries = given.flatMap((one) => apiEntries(one, { flag: 'API', environment }));
  const pairs = (flag: string, sign: string) => ((flags[flag] as string[] | undefined) ?? []).map((text) => pairOf(text, { flag, sign }));
  const repeated = Map.groupBy(pairs('param', '='), ([name]) => name); // each of its values is sent
  const params = [...repeated].map(([name, all]) => [name, all.length > 1 ? all.map(([, value]) => value) : all[0]![1]]);
  const sent = filledIn({ headers: Object.fromEntries(pairs('header', ':')), params: Object.fromEntries(params) }, environment) as {
    headers: Record<string, string>;
    params: Record<string, unknown>;
  };
  return entries.map((entry) => {
    const api = typeof entry === 'string' ? { url: entry } : entry;
    return { ...api, headers: { ...api.headers, ...sent.headers }, params: { ...api.params, ...sent.params } };
  });
}

/** Throws a KbError (`usage`) that does not repeat what may be a credential. */
function pairOf(text: string, { flag, sign }: { flag: string; sign: string }): [string, string] {
  const at = text.indexOf(sign);
  const name = text.slice(0, at).trim();
  if (at > 0 && name !== '') return [name, sign === ':' ? text.slice(at + 1).trim() : text.slice(at + 1)];
  const example = flag === 'header' ? "--header 'X-Team: docs'" : '--param lang=en';
  throw new KbError('usage', `--${flag}: a name and a value with «${sign}» between them are expected.`, {
    hint: `For example ${example}.`,
  });
}
