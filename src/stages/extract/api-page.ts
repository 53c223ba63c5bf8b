import { KbError } from '../../base/errors.ts';
import type { HttpAnswer } from '../../base/http-message.ts';
import { hash } from '../../base/ids.ts';
import { addressWithoutPage, apiSource, marked, sentBody, type ApiSettings } from './api-config.ts';
import type { NetworkParts } from './network.ts';
import type { PageRequest, PageSeen } from './pagination.ts';
import { countIn, recordsIn, valueAt } from './records.ts';
import { structureOf, type Structure } from './structure.ts';

/** One answer of an API. */
export interface ApiPage extends PageSeen {
  /** 1 for the first. */
  number: number;
  /** Under which the page, or what is on it, is stored. */
  source: string;
  answer: HttpAnswer;
  /** Absent where the answer is a document: text, HTML, CSV … */
  structure: Structure | undefined;
  /** The records at `items_path`, each of which becomes a document; undefined where the page is one. */
  records: unknown[] | undefined;
  /** The list that earlier pages had is not there: the end, or a failure that calls itself a success. */
  is_without_list: boolean;
  /** The same for two pages of the same content. */
  digest: string;
}

/** Asks for one page. What was given for the address of the API goes to no other origin that a `next` link names. */
export function fetchPage(api: ApiSettings, page: PageRequest, { http, signal }: NetworkParts): Promise<HttpAnswer> {
  const { body, headers } = sentBody(api.body);
  const common = { signal, timeout: api.timeout };
  const given = {
    ...common,
    method: api.method.toUpperCase(),
    headers: { accept: 'application/json, */*;q=0.8', ...headers, ...api.headers },
    body,
  };
  if (page.url === undefined) return http.request(addressWithoutPage(api), { ...given, params: { ...api.params, ...page.params } });
  const isSame = new URL(page.url).origin === new URL(api.url).origin;
  return http.request(page.url, isSame ? given : common);
}

/** Sees what an answer holds. Throws a KbError (`invalid`) for one that is not what it says, or has nothing at `items_path`. */
export async function pageOf(answer: HttpAnswer, api: ApiSettings, number: number): Promise<ApiPage> {
  const base = apiSource(api);
  const structure = await structureOf(answer, base);
  const items_path = api.pagination?.items_path;
  const value = structure?.value;
  const is_without_list = items_path !== undefined && answer.bytes.length > 0 && valueAt(value, items_path) === undefined;
  if (structure && items_path && number === 1 && is_without_list) throw misled(base, items_path, value);
  const records = structure && items_path ? recordsIn(value, items_path) : undefined;
  return {
    number,
    source: number === 1 ? base : marked(base, `page=${number}`),
    answer,
    structure,
    records,
    count: structure ? countIn(value, items_path) : answer.bytes.length === 0 ? 0 : undefined,
    value,
    link: answer.headers.link,
    url: answer.url,
    is_without_list,
    digest: structure ? digestOf(records ?? value, base) : hash(answer.bytes),
  };
}

const misled = (base: string, items_path: string, value: unknown): KbError =>
  new KbError('invalid', `${base}: items_path «${items_path}» leads to nothing in its answer.`, {
    hint:
      typeof value === 'object' && value !== null && !Array.isArray(value)
        ? `The answer has ${Object.keys(value).slice(0, 20).join(', ') || 'no fields'}.`
        : 'The answer is no object: leave items_path out.',
  });

function digestOf(value: unknown, base: string): string {
  try {
    return hash(JSON.stringify(value) ?? '');
  } catch (cause) {
    throw new KbError('invalid', `${base} answered with something that is nested too deeply to be read.`, { cause });
  }
}
