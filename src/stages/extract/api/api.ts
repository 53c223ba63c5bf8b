import { prefetch } from '../../../core/concurrency.ts';
import { throwIfAborted } from '../../../core/run.ts';
import { isAbort, KbError, toErrorItem } from '../../../core/errors.ts';
import { hash } from '../../../core/ids.ts';
import { holdsSecret, redactUrl, withoutSecrets } from '../../../core/secrets.ts';
import type { Config } from '../../../schema/config.ts';
import { mainList, listOtherRecords } from './records.ts';
import type { ApiInput } from '../../../schema/source-entries.ts';
import {
  type ApiSettings,
  apiSource,
  checkApi,
  describeUncertainEnd,
  firstPage,
  hasBody,
  hasNumberedPages,
  startsAtFirstPage,
  isPartOf,
  markedSource,
  nextPage,
  type PageRequest,
  describePosition,
  settingsFor,
} from './api-settings.ts';
import type { Stage } from '../../../schema/items.ts';
import { pageDocuments } from './api-documents.ts';
import { type ApiPage, fetchPage, readApiPage, saysNoPage } from './api-page.ts';
import type { Candidate, Extracted, NetworkParts } from '../extract.ts';

/** Resolves the APIs of a request. If headers differ at one address, their hash marks the source; if only credentials differ, the first API is read. */
function resolveApis(input: ApiInput, settings: Config['ingestion']['api']): ApiSettings[] {
  const apis = [input].flat().map((entry) => settingsFor(entry, settings));
  const groups = [...Map.groupBy(apis, apiSource).values()];
  const mixed = new Map(
    groups.filter((alike) => new Set(alike.map(headersWithoutSecrets)).size > 1).map((alike) => [apiSource(alike[0]!), alike[0]]),
  );
  const first = new Map<string, ApiSettings>();
  return apis.map((given) => {
    const oldest = mixed.get(apiSource(given));
    const mark = { headers_mark: hash(headersWithoutSecrets(given)).slice(0, 8), ownsUnmarked: given === oldest };
    const api = oldest === undefined ? given : { ...given, ...mark };
    const source = apiSource(api);
    const earlier = first.get(source) ?? api;
    first.set(source, earlier);
    return credentialsOf(earlier) === credentialsOf(api)
      ? api
      : {
          ...api,
          conflict: new KbError(
            'usage',
            `${source} is requested twice with only the credentials different: the responses could not be told apart.`,
            {
              hint: 'Ingest each into its own collection, or add a parameter that the API ignores, such as tenant.',
            },
          ),
        };
  });
}

const headersOf = ({ headers = {} }: ApiSettings): [string, string][] =>
  Object.entries(headers)
    .map(([name, value]): [string, string] => [name.toLowerCase(), value])
    .toSorted(([a], [b]) => (a < b ? -1 : 1));

/** The headers without credentials, as text. */
const headersWithoutSecrets = (api: ApiSettings): string =>
  JSON.stringify(headersOf(api).filter(([name, value]) => !holdsSecret(name, value)));

/** All credentials of a request, as text. */
function credentialsOf(api: ApiSettings): string {
  const { username, password, searchParams } = new URL(URL.canParse(api.url) ? api.url : 'http://none');
  const params = [...searchParams, ...Object.entries(api.params ?? {})].map(([name, value]): [string, string] => [
    name,
    JSON.stringify(value),
  ]);
  return JSON.stringify([username, password, ...[...headersOf(api), ...params].filter(([name, value]) => holdsSecret(name, value))]);
}

interface PagePosition {
  /** Number of the page, from 1. */
  number: number;
  request: PageRequest;
}

/** Makes the input of a retry, without credentials. Counted pages continue at the one that failed; cursors and links may have expired and begin again. */
function retryInput(
  { url, headers = {}, params, body, headers_mark: _mark, ownsUnmarked: _heir, conflict: _conflict, ...rest }: ApiSettings,
  stopped: PagePosition,
): Record<string, unknown> {
  return {
    ...rest,
    ...remainingPages(rest, stopped),
    url: redactUrl(url),
    headers: Object.fromEntries(Object.keys(headers).map((name) => [name, ''])),
    params: withoutSecrets(params ?? {}),
    ...(hasBody(body) ? { body: bodyWithoutSecrets(body) } : {}),
  };
}

function remainingPages(
  { pagination, max_pages }: Pick<ApiSettings, 'pagination' | 'max_pages'>,
  { number, request }: PagePosition,
): object {
  const start = Number(request.params[pagination?.param ?? '']);
  const isAmbiguous = pagination?.type === 'page' && start <= 1; // if pages count from 0, page 1 is not the first
  return hasNumberedPages(pagination) && number > 1 && !isAmbiguous
    ? { pagination: { ...pagination, start }, max_pages: max_pages - number + 1 }
    : {};
}

/** Removes credentials from a body. JSON is cleaned; other text that may contain a credential is dropped as a whole. */
function bodyWithoutSecrets(body: unknown): unknown {
  if (typeof body !== 'string') return withoutSecrets(body);
  try {
    return JSON.stringify(withoutSecrets(JSON.parse(body)));
  } catch {
    return (body.match(/[\w.-]+/g) ?? []).some((word) => holdsSecret(word)) ? '' : body;
  }
}

/** The dependencies of reading APIs. */
export interface ApiParts extends NetworkParts {
  settings: Config['ingestion']['api'];
  /** Whether the request came over HTTP. */
  isRequested?: boolean;
}

/** APIs that are read at once, and maximum items of one that are prefetched. */
const MAX_CONCURRENT_APIS = 8;
const MAX_PREFETCHED = 16;

/**
 * Reads HTTP APIs (service.md 2.2), those of different origins at the same time; items come in the order of the input. A failure of one does not
 * affect the others.
 */
export async function* extractApi(input: ApiInput, { settings, ...parts }: ApiParts): AsyncGenerator<Extracted, void, void> {
  const apis = resolveApis(input, settings);
  const last = new Map<string, Promise<void>>();
  const started: AsyncGenerator<Extracted, void, void>[] = [];
  const start = (api: ApiSettings): void => {
    const { promise: ended, resolve: end } = Promise.withResolvers<void>();
    const origin = URL.canParse(api.url) ? new URL(api.url).origin : api.url;
    started.push(prefetch(inTurn(extractOne(api, parts), last.get(origin), end), MAX_PREFETCHED));
    last.set(origin, ended);
  };
  try {
    for (const [i, api] of apis.entries()) {
      while (started.length < Math.min(apis.length, i + MAX_CONCURRENT_APIS)) start(apis[started.length]!);
      yield { input: apiSource(api) };
      yield* started[i]!;
    }
  } finally {
    await Promise.all(started.map((items) => items.return()));
  }
}

/** Yields items once the API before it at the same origin has been read. */
async function* inTurn(
  items: AsyncIterable<Extracted>,
  before: Promise<void> | undefined,
  end: () => void,
): AsyncGenerator<Extracted, void, void> {
  try {
    await before;
    yield* items;
  } finally {
    end();
  }
}

interface ReadState extends PagePosition {
  stage: Stage;
  had_records: boolean;
  /** Empty pages in a row. */
  empty: number;
}

/** Maximum empty pages in a row that lead on to another one. */
const MAX_EMPTY_PAGES = 5;

/** Reads an API page by page, up to `max_pages`: counted pages to an empty or repeated one, others to one that names no next page. */
async function* extractOne(
  api: ApiSettings,
  { isRequested = false, ...parts }: Omit<ApiParts, 'settings'>,
): AsyncGenerator<Extracted, void, void> {
  const pages = new Set<string>();
  const seenRecords = new Map<string, string>();
  let doubt = startsAtFirstPage(api.pagination) ? undefined : `${apiSource(api)} was not read from its first page on.`;
  const at: ReadState = { stage: 'validate', number: 1, request: { params: {} }, had_records: false, empty: 0 };
  throwIfAborted(parts.signal);
  try {
    checkApi(api, { isRequested });
    let request: PageRequest | undefined = firstPage(api.pagination);
    for (; request !== undefined; at.number++) {
      if (at.number > api.max_pages)
        return yield* uncertainEnd(
          api,
          `stopped at max_pages = ${api.max_pages}; there ${hasNumberedPages(api.pagination) ? 'may be' : 'is'} more.`,
        );
      Object.assign(at, { stage: 'request', request });
      const answer = await fetchPage(api, request, { ...parts, number: at.number });
      if (answer.status >= 400 && saysNoPage(answer)) break;
      if (answer.status >= 400)
        return yield* uncertainEnd(
          api,
          `page ${at.number} was answered with status ${answer.status}; that was taken for the end, and there may be more.`,
        );
      at.stage = 'convert';
      const page = await readApiPage(answer, api, { ...at, ...parts });
      if (page.is_without_list && at.number > 1)
        return yield* uncertainEnd(api, `page ${at.number} holds no records and was taken for the end; there may be more.`);
      const next = nextPage(api.pagination, request, page);
      if (page.count === 0) {
        if (next === undefined) break;
        if (++at.empty > MAX_EMPTY_PAGES)
          return yield* uncertainEnd(api, `${at.empty} pages in a row were empty and named a next one; there may be more.`);
        request = next;
        continue;
      }
      at.empty = 0;
      if (pages.has(page.digest)) {
        if (at.number === 2 || !hasNumberedPages(api.pagination)) return yield* uncertainEnd(api, repeatedPageNotice(api.pagination!));
        break;
      }
      pages.add(page.digest);
      const end = at.number === 1 && next === undefined ? describeUncertainEnd(api.pagination, page, apiSource(api)) : undefined;
      at.had_records = page.records !== undefined;
      if (page.structure?.broken?.length) doubt ??= `${page.source} has lines that could not be read.`;
      yield* pageItems(page, await pageDocuments(page, api, { ...parts, seenRecords }));
      if (api.pagination === undefined) yield* noteUnreadList(page);
      else if (at.number === 1) yield* noteOtherLists(page, api.pagination.items_path);
      if (end !== undefined) return yield* uncertainEnd(api, end);
      request = next;
    }
    if (pages.size > 0) yield apiScope(api, doubt);
  } catch (error) {
    if (isAbort(error)) throw error;
    yield* failureItems(error, api, at);
  }
}

function* pageItems({ source, structure }: ApiPage, candidates: readonly Candidate[]): Generator<Extracted, void, void> {
  const broken = structure?.broken ?? [];
  yield { expected: candidates.length + broken.length };
  for (const candidate of candidates) yield { candidate };
  for (const { line, error } of broken)
    yield { error: toErrorItem(error, { source: markedSource(source, `line=${line}`), source_kind: 'api', stage: 'convert' }) };
}

/** Makes the scope of an API; `doubt`: the reason why it may have more than was read. */
const apiScope = (api: ApiSettings, doubt?: string): Extracted => {
  const { headers_mark: _mark, ...alone } = api;
  const sources = [api, ...(api.ownsUnmarked ? [alone] : [])].map(apiSource);
  const covers = (stored: string): boolean => sources.some((source) => isPartOf(source, stored));
  return { scope: { source_kind: 'api', covers, ...(doubt === undefined ? {} : { doubt }) } };
};

/** Reports an end that may not be the real one. */
function* uncertainEnd(api: ApiSettings, notice: string): Generator<Extracted, void, void> {
  yield { notice: `${apiSource(api)}: ${notice}` };
  yield apiScope(api, `${apiSource(api)} may have more than was read.`);
}

/** Says of a response that is one document, though it is a list of records, how each becomes a document. */
function* noteUnreadList({ source, structure }: ApiPage): Generator<Extracted, void, void> {
  const list = structure && mainList(structure.value);
  if (list === undefined) return;
  const [holds, path] = list.path === '' ? ['is a list', ''] : [`holds a list "${list.path}"`, `, items_path: ${yamlWord(list.path)}`];
  yield {
    notice: `${source}: the answer ${holds} of ${list.records.toLocaleString('en')} objects, and all of it is one document. To read each of them as a document, set pagination of this API (ingestion.api.pagination) to { type: link${path} }.`,
  };
}

/** Says of a response which lists of records it holds besides the one that is read. */
function* noteOtherLists({ source, value }: ApiPage, items_path: string | undefined): Generator<Extracted, void, void> {
  const lists = items_path === undefined ? [] : listOtherRecords(value, items_path);
  if (lists.length === 0) return;
  const named = lists.map(({ path, records }) => `"${path}" (${records.toLocaleString('en')} entries)`);
  yield {
    notice: `${source}: the first answer also holds ${named.join(', ')}, which is not read: items_path names "${items_path}" alone.`,
  };
}

const yamlWord = (word: string): string => (/^[A-Za-z_][\w.-]*$/.test(word) ? word : JSON.stringify(word));

/** Notice for a second page that repeats the first: the API has only one page, or ignores the parameter. */
function repeatedPageNotice({ type, param }: NonNullable<ApiSettings['pagination']>): string {
  if (type === 'link') return 'a page named one as the next that was read before; reading ended there, and there may be more.';
  if (type === 'cursor') return 'a cursor led to a page again that was read before; reading ended there, and there may be more.';
  return `it ignores "${param}", or has one page: the second answer is the first one again, and there may be more.`;
}

function* failureItems(error: unknown, api: ApiSettings, at: ReadState): Generator<Extracted, void, void> {
  const base = apiSource(api);
  const place = at.stage === 'validate' ? undefined : describePosition(api.pagination, at.request, at.number);
  const source = place === undefined ? base : markedSource(base, place);
  const item = toErrorItem(error, { source, source_kind: 'api', stage: at.stage });
  yield { expected: 1 };
  yield { error: item.isRetryable ? { ...item, retry_input: retryInput(api, at) } : item };
  if (at.number > 1) yield apiScope(api, `${base} could not be read to its end.`);
}
