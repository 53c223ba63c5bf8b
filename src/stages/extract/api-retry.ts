import { holdsSecret, shown, withoutSecrets } from '../../base/secrets.ts';
import { isGiven, type ApiSettings } from './api-config.ts';
import { isCounted, type PageRequest } from './pagination.ts';

/** A page that failed. */
export interface Stopped {
  /** 1 for the first that was asked for. */
  number: number;
  request: PageRequest;
}

/**
 * What to send again after a failure that may pass; the values of headers, and of what else looks like credentials, are left out. Pages that are counted go
 * on at the one that failed; cursors and links may be gone by then, so that those begin again (what is unchanged costs nothing).
 */
export function retryInput(
  { url, headers = {}, params, body, headers_mark: _mark, isHeir: _heir, ...rest }: ApiSettings,
  stopped: Stopped,
): Record<string, unknown> {
  return {
    ...rest,
    ...remaining(rest, stopped),
    url: shown(url),
    headers: Object.fromEntries(Object.keys(headers).map((name) => [name, ''])),
    params: withoutSecrets(params ?? {}),
    ...(isGiven(body) ? { body: bodyWithoutSecrets(body) } : {}),
  };
}

function remaining({ pagination, max_pages }: Pick<ApiSettings, 'pagination' | 'max_pages'>, { number, request }: Stopped): object {
  const start = Number(request.params[pagination?.param ?? '']);
  const isAmbiguous = pagination?.type === 'page' && start <= 1; // where pages count from 0, 1 would be taken for the first
  return isCounted(pagination) && number > 1 && !isAmbiguous
    ? { pagination: { ...pagination, start }, max_pages: max_pages - number + 1 }
    : {};
}

/** A body that is text may hold anything: JSON is cleaned, what else looks like a credential is left out as a whole. */
function bodyWithoutSecrets(body: unknown): unknown {
  if (typeof body !== 'string') return withoutSecrets(body);
  try {
    return JSON.stringify(withoutSecrets(JSON.parse(body)));
  } catch {
    return (body.match(/[\w.-]+/g) ?? []).some((word) => holdsSecret(word)) ? '' : body;
  }
}
