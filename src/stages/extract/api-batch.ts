import { KbError } from '../../base/errors.ts';
import { hash } from '../../base/ids.ts';
import { holdsSecret } from '../../base/secrets.ts';
import type { Config } from '../../schema/config.ts';
import type { ApiInput } from '../../schema/sources.ts';
import { apiSource, settingsFor, type ApiSettings } from './api-config.ts';

/** An API of a request, and why it is not read: what it answers could not be told from what another one does. */
interface ApiOfBatch {
  api: ApiSettings;
  clash?: KbError;
}

/**
 * The APIs of a request. Those that are asked at the same address with other headers (a language, a tenant) are told apart by a mark of these in their sources;
 * those that differ by their credentials alone can't be, because no trace of these may be stored, and the first of them is read.
 */
export function apisOf(input: ApiInput, settings: Config['ingestion']['api']): ApiOfBatch[] {
  const apis = [input].flat().map((entry) => settingsFor(entry, settings));
  const groups = Map.groupBy(apis, apiSource);
  const marked = apis.map((api): ApiSettings => {
    const alike = groups.get(apiSource(api))!;
    if (new Set(alike.map(openHeaders)).size === 1) return api;
    return { ...api, headers_mark: hash(openHeaders(api)).slice(0, 8), isHeir: api === alike[0] };
  });
  const first = new Map<string, ApiSettings>();
  return marked.map((api) => {
    const source = apiSource(api);
    const before = first.get(source);
    if (before === undefined) first.set(source, api);
    return before === undefined || credentials(before) === credentials(api) ? { api } : { api, clash: clash(source) };
  });
}

const clash = (source: string): KbError =>
  new KbError('usage', `${source} is asked twice, with other credentials and nothing else: what it answers could not be told apart.`, {
    hint: 'Ingest them into a collection each, or add a parameter that the API ignores, such as tenant.',
  });

const headersOf = ({ headers = {} }: ApiSettings): [string, string][] =>
  Object.entries(headers)
    .map(([name, value]): [string, string] => [name.toLowerCase(), value])
    .toSorted(([a], [b]) => (a < b ? -1 : 1));

/** Headers that hold no credential. */
const openHeaders = (api: ApiSettings): string => JSON.stringify(headersOf(api).filter(([name, value]) => !holdsSecret(name, value)));

/** All that a request proves with who asks. */
function credentials(api: ApiSettings): string {
  const { username, password, searchParams } = new URL(URL.canParse(api.url) ? api.url : 'http://none');
  const params = [...searchParams, ...Object.entries(api.params ?? {})].map(([name, value]): [string, string] => [
    name,
    JSON.stringify(value),
  ]);
  return JSON.stringify([username, password, ...[...headersOf(api), ...params].filter(([name, value]) => holdsSecret(name, value))]);
}
