import { isAbort, toErrorItem } from '../../base/errors.ts';
import type { Config } from '../../schema/config.ts';
import type { ApiInput } from '../../schema/requests.ts';
import type { Stage } from '../../schema/results.ts';
import { apiSource, checkApi, isPartOf, marked, retryInput, settingsFor, type ApiSettings } from './api-config.ts';
import { documentsOf } from './api-documents.ts';
import { fetchPage, pageOf } from './api-page.ts';
import type { Extracted } from './candidate.ts';
import type { NetworkParts } from './network.ts';
import { firstPage, nextPage } from './pagination.ts';

export interface ApiParts extends NetworkParts {
  settings: Config['ingestion']['api'];
}

/** What HTTP APIs answer, one API after another (service.md 2.2); what one fails at costs the others nothing. */
export async function* extractApi(input: ApiInput, { settings, ...parts }: ApiParts): AsyncGenerator<Extracted, void, void> {
  for (const entry of [input].flat()) {
    const api = settingsFor(entry, settings);
    const at: Position = { stage: 'validate', number: 1 };
    try {
      checkApi(api);
      yield* extractOne(api, at, parts);
    } catch (error) {
      if (isAbort(error)) throw error;
      yield failed(error, api, at);
    }
  }
}

/** How far the work has come, for what an error says. */
interface Position {
  stage: Stage;
  number: number;
}

/** Page by page, to an empty one, one that was there before, the last, or `max_pages`; only what came to its end by itself was read whole. */
async function* extractOne(api: ApiSettings, at: Position, parts: NetworkParts): AsyncGenerator<Extracted, void, void> {
  const pages = new Set<string>();
  const met = new Map<string, string>();
  let request = firstPage(api.pagination) as ReturnType<typeof nextPage>;
  for (; request !== undefined; at.number++) {
    if (at.number > api.max_pages) return;
    at.stage = 'request';
    const answer = await fetchPage(api, request, parts);
    at.stage = 'convert';
    const page = await pageOf(answer, api, at.number);
    if (page.is_without_list && at.number > 1) return;
    if (page.count === 0 || pages.has(page.digest)) break;
    pages.add(page.digest);
    for (const candidate of documentsOf(page, api, { ...parts, met })) yield { candidate };
    request = nextPage(api.pagination, request, page);
  }
  const source = apiSource(api);
  if (pages.size > 0) yield { scope: { source_kind: 'api', covers: (stored) => isPartOf(source, stored) } };
}

function failed(error: unknown, api: ApiSettings, { stage, number }: Position): Extracted {
  const base = apiSource(api);
  const item = toErrorItem(error, { source: number === 1 ? base : marked(base, `page=${number}`), source_kind: 'api', stage });
  return { error: item.isRetryable ? { ...item, retry_input: retryInput(api) } : item };
}
