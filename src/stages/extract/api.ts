import { isAbort, toErrorItem } from '../../base/errors.ts';
import type { Config } from '../../schema/config.ts';
import type { ApiInput } from '../../schema/sources.ts';
import type { Stage } from '../../schema/results.ts';
import { apisOf } from './api-batch.ts';
import { apiSource, checkApi, isPartOf, marked, type ApiSettings } from './api-config.ts';
import { documentsOf } from './api-documents.ts';
import { fetchPage, pageOf, type ApiPage } from './api-page.ts';
import { retryInput, type Stopped } from './api-retry.ts';
import type { Extracted } from './candidate.ts';
import type { NetworkParts } from './network.ts';
import { saysNoPage } from './error-answer.ts';
import { doubtfulEnd } from './pages-after.ts';
import { firstPage, isCounted, isFromStart, nextPage, placeOf, type PageRequest } from './pagination.ts';

export interface ApiParts extends NetworkParts {
  settings: Config['ingestion']['api'];
  /** They were asked for over HTTP. */
  isRequested?: boolean;
}

/** What HTTP APIs answer, one API after another (service.md 2.2); what one fails at costs the others nothing. */
export async function* extractApi(
  input: ApiInput,
  { settings, isRequested = false, ...parts }: ApiParts,
): AsyncGenerator<Extracted, void, void> {
  for (const { api, clash } of apisOf(input, settings)) {
    yield { input: apiSource(api) };
    const at: Position = { stage: 'validate', number: 1, request: { params: {} }, had_records: false };
    try {
      checkApi(api, { isRequested });
      if (clash) throw clash;
      yield* extractOne(api, at, parts);
    } catch (error) {
      if (isAbort(error)) throw error;
      yield { expected: 1 };
      yield failed(error, api, at);
      if (at.number > 1) yield scopeOf(api, `${apiSource(api)} could not be read to its end.`);
    }
  }
}

/** How far the work has come, for what an error says. */
interface Position extends Stopped {
  stage: Stage;
  had_records: boolean;
}

/** Page by page, to an empty one, one that was there before, the last, or `max_pages`; only what came to its end by itself was read whole. */
async function* extractOne(api: ApiSettings, at: Position, parts: NetworkParts): AsyncGenerator<Extracted, void, void> {
  const pages = new Set<string>();
  const met = new Map<string, string>();
  let doubt = isFromStart(api.pagination) ? undefined : `${apiSource(api)} was not read from its first page on.`;
  let request: PageRequest | undefined = firstPage(api.pagination);
  for (; request !== undefined; at.number++) {
    if (at.number > api.max_pages) return yield* doubtful(api, cutOff(api));
    at.request = request;
    at.stage = 'request';
    const answer = await fetchPage(api, request, { ...parts, number: at.number });
    if (answer.status >= 400 && saysNoPage(answer)) break;
    if (answer.status >= 400) return yield* doubtful(api, refused(api, at, answer.status));
    at.stage = 'convert';
    const page = await pageOf(answer, api, { ...at, ...parts });
    if (page.is_without_list && at.number > 1) return yield* strayEnd(page);
    if (page.count === 0) break;
    if (pages.has(page.digest)) {
      if (at.number === 2) return yield* doubtful(api, ignored(api));
      break;
    }
    pages.add(page.digest);
    const next = nextPage(api.pagination, request, page);
    const end = at.number === 1 && next === undefined ? doubtfulEnd(api, page, apiSource(api)) : undefined;
    at.had_records = page.records !== undefined;
    const candidates = documentsOf(page, api, { ...parts, met });
    const broken = page.structure?.broken ?? [];
    yield { expected: candidates.length + broken.length };
    if (broken.length > 0) doubt ??= `${page.source} has lines that could not be read.`;
    for (const candidate of candidates) yield { candidate };
    for (const { line, error } of broken)
      yield { error: toErrorItem(error, { source: marked(page.source, `line=${line}`), source_kind: 'api', stage: 'convert' }) };
    if (end !== undefined) return yield* doubtful(api, end);
    request = next;
  }
  if (pages.size > 0) yield scopeOf(api, doubt);
}

/** All that belongs to an API; `doubt`: why that may be more than was read. */
const scopeOf = (api: ApiSettings, doubt?: string): Extracted => {
  const { headers_mark: _mark, ...alone } = api;
  const sources = [api, ...(api.isHeir ? [alone] : [])].map(apiSource);
  const covers = (stored: string): boolean => sources.some((source) => isPartOf(source, stored));
  return { scope: { source_kind: 'api', covers, ...(doubt === undefined ? {} : { doubt }) } };
};

/** An end that may not be the end. */
function* doubtful(api: ApiSettings, notice: string): Generator<Extracted, void, void> {
  yield { notice };
  yield scopeOf(api, `${apiSource(api)} may have more than was read.`);
}

/** An answer without the list that the pages before it had: the end, or a failure that calls itself a success. */
function* strayEnd({ source, value }: ApiPage): Generator<Extracted, void, void> {
  const says =
    typeof value === 'object' && value !== null ? Object.keys(value).find((key) => /^(error|errors|fault|message)$/i.test(key)) : undefined;
  if (says !== undefined) yield { notice: `${source} holds no records but «${says}»: it was taken for the end.` };
}

/** A second page that is the first one again: an API with one page alone may answer so to a further one, but also one that does not know the parameter. */
function ignored(api: ApiSettings): string {
  const { type, param } = api.pagination!;
  const name = apiSource(api);
  if (type === 'link') return `${name}: its first page names itself as the next one, so that one page was read, and there may be more.`;
  return `${name} ignores «${param}», or has one page: the second answer is the first one again, and there may be more.`;
}

/** A page that an API refuses to give after others: its last one may have been the one before. */
const refused = (api: ApiSettings, { request, number }: Position, status: number): string =>
  `${marked(apiSource(api), placeOf(api.pagination, request, number) ?? '')} answered with status ${status}: it was taken for the end, and there may be more.`;

/** Cursors and links tell that there is more; who counts finds out by asking. */
function cutOff(api: ApiSettings): string {
  return `${apiSource(api)}: stopped at max_pages = ${api.max_pages}; there ${isCounted(api.pagination) ? 'may be' : 'is'} more.`;
}

function failed(error: unknown, api: ApiSettings, at: Position): Extracted {
  const base = apiSource(api);
  const place = at.stage === 'validate' ? undefined : placeOf(api.pagination, at.request, at.number);
  const source = place === undefined ? base : marked(base, place);
  const item = toErrorItem(error, { source, source_kind: 'api', stage: at.stage });
  return { error: item.isRetryable ? { ...item, retry_input: retryInput(api, at) } : item };
}
