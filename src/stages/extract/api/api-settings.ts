import { KbError } from '../../../core/errors.ts';
import { findUnsetReference } from '../../../core/settings.ts';
import { callerHeaders } from '../../../http/client.ts';
import { parseAddress } from '../../../http/message.ts';
import { hash } from '../../../core/ids.ts';
import { redactUrl } from '../../../core/secrets.ts';
import type { Config } from '../../../schema/config.ts';
import type { ApiSource } from '../../../schema/source-entries.ts';
import { checkPagination, firstPage } from './pagination.ts';

/** An API with all its settings (service.md 2.2). */
export interface ApiSettings extends NonNullable<Config['ingestion']['api']> {
  url: string;
  /** Hash of its headers, if another API of the request differs in nothing else. */
  headers_mark?: string;
  /** Whether it owns the sources that were stored for this address without `headers_mark`. */
  ownsUnmarked?: boolean;
}

/** Merges the settings of an entry over the common ones; headers and parameters are combined. */
export function settingsFor(entry: string | ApiSource, settings: Config['ingestion']['api']): ApiSettings {
  if (typeof entry === 'string') return { ...settings, url: entry };
  const definedFields = Object.fromEntries(Object.entries(entry).filter(([, value]) => value !== undefined)) as ApiSource;
  return {
    ...settings,
    ...definedFields,
    headers: { ...settings.headers, ...entry.headers },
    params: { ...settings.params, ...entry.params },
  };
}

/** A method is a token of HTTP (RFC 9110, 5.6.2). */
const METHOD = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;

/** Throws a KbError (`usage`) that names what cannot be sent, without the value of a header. `isRequested`: the request came over HTTP. */
export function checkApi(api: ApiSettings, given: { isRequested?: boolean } = {}): void {
  const { url, method, headers = {}, params, body, pagination } = api;
  const unset = findUnsetReference({ url, headers, params, body: wholeReferences(body) }, '', given);
  if (unset) throw unset;
  const address = parseAddress(url, params);
  if (!METHOD.test(method))
    throw new KbError('usage', `${JSON.stringify(method)} is not an HTTP method.`, { hint: 'GET and POST are common ones.' });
  callerHeaders(address, headers);
  checkPagination(pagination);
}

/** Keeps only the texts of a body that consist of a reference: in longer texts `${…}` may mean something to the API. */
function wholeReferences(body: unknown): unknown {
  if (typeof body === 'string') return /^\$\{\w+\}$/.test(body.trim()) ? body : undefined;
  if (typeof body !== 'object' || body === null) return undefined;
  return Object.fromEntries(Object.entries(body).map(([key, inner]) => [key, wholeReferences(inner)]));
}

/** The address of an API without its pagination parameters. */
export function addressWithoutPage({ url, pagination }: ApiSettings): string {
  const address = new URL(url);
  for (const name of Object.keys(firstPage(pagination).params).concat(pagination?.param ?? [])) {
    if (address.searchParams.has(name)) address.searchParams.delete(name);
  }
  return address.href;
}

/**
 * The source of an API: its address with the parameters that select content, without credentials. Different bodies make different sources, and so may
 * headers.
 */
export function apiSource(api: ApiSettings): string {
  if (!URL.canParse(api.url)) return redactUrl(api.url);
  const address = new URL(addressWithoutPage(api));
  if (!/^https?:$/.test(address.protocol)) return redactUrl(address);
  const { [api.pagination?.param ?? '']: _page, ...params } = api.params ?? {};
  const source = redactUrl(parseAddress(address.href, params));
  const withBody = hasBody(api.body) ? markedSource(source, `body=${hash(JSON.stringify(api.body)).slice(0, 8)}`) : source;
  return api.headers_mark === undefined ? withBody : markedSource(withBody, `headers=${api.headers_mark}`);
}

/** Names a part of a source by a mark in the fragment, so that the result is still an address. */
export const markedSource = (source: string, mark: string): string => `${source}${source.includes('#') ? '&' : '#'}${mark}`;

/** Whether `source` is that of an API or of a part of it, and not that of an API with the same address but another body or headers. */
export function isPartOf(api: string, source: string): boolean {
  const beginning = markedSource(api, '');
  return source === api || (source.startsWith(beginning) && !/^(body|headers)=[0-9a-f]{8}(&|$)/.test(source.slice(beginning.length)));
}

/** Whether there is a body to send. */
export const hasBody = (body: unknown): boolean => body !== undefined && body !== null;

const isJson = (text: string): boolean => {
  try {
    return typeof JSON.parse(text) === 'object';
  } catch {
    return false;
  }
};

/** A body and its media type: a text is sent unchanged, anything else as JSON. */
export function sentBody(body: unknown): { body?: string; headers: Record<string, string> } {
  if (!hasBody(body)) return { headers: {} };
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  return { body: text, headers: { 'content-type': isJson(text) ? 'application/json' : 'text/plain; charset=utf-8' } };
}
