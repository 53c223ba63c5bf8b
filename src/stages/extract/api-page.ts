import { KbError } from '../../base/errors.ts';
import type { HttpAnswer } from '../../base/http-message.ts';
import { hash } from '../../base/ids.ts';
import { holdsSecret } from '../../base/secrets.ts';
import { addressWithoutPage, apiSource, marked, sentBody, type ApiSettings } from './api-config.ts';
import { BEHIND_LAST, failureIn, isPassing } from './error-answer.ts';
import { saysError } from './error-page.ts';
import type { NetworkParts } from './network.ts';
import { isCounted, placeOf, type PageRequest, type PageSeen } from './pagination.ts';
import { valueAt } from './record-paths.ts';
import { countIn, recordsIn } from './records.ts';
import { structureOf, type Reading, type Structure } from './structure.ts';

/** One answer of an API. */
export interface ApiPage extends PageSeen {
  /** 1 for the first. */
  number: number;
  /** Under which the page, or what is on it, is stored. */
  source: string;
  answer: HttpAnswer;
  /** Absent where the answer is a document: text, HTML, CSV … */
  structure: Structure | undefined;
  /** The records, each of which becomes a document; undefined where the page is one. */
  records: unknown[] | undefined;
  /** The list that earlier pages had is not there: the end, or a failure that calls itself a success. */
  is_without_list: boolean;
  /** The same for two pages of the same content. */
  digest: string;
}

/** Asks for one page; `number` is 1 for the first. Behind it, who counts may hear that there is no such page, and that is an answer. What was given for the address of the API goes to no other origin that a `next` link names. */
export function fetchPage(
  api: ApiSettings,
  page: PageRequest,
  { http, signal, number }: NetworkParts & { number: number },
): Promise<HttpAnswer> {
  const { body, headers } = sentBody(api.body);
  const common = { signal, timeout: api.timeout };
  const given = {
    ...common,
    method: api.method.toUpperCase(),
    headers: { accept: 'application/json, */*;q=0.8', ...headers, ...api.headers },
    body,
    accepts: number > 1 && isCounted(api.pagination) ? BEHIND_LAST : [],
  };
  if (page.url === undefined) return http.request(addressWithoutPage(api), { ...given, params: { ...api.params, ...page.params } });
  const [next, { origin, username, password }] = [new URL(page.url), new URL(api.url)];
  if (next.origin !== origin) return http.request(page.url, common);
  if (next.username === '') Object.assign(next, { username, password });
  return http.request(next.href, { ...given, params: credentialsFor(page.url, api) });
}

/** A `next` link repeats the parameters, but often without the key that they were asked with. */
function credentialsFor(url: string, api: ApiSettings): Record<string, unknown> {
  const present = new URL(url).searchParams;
  const given = [...Object.entries(api.params ?? {}), ...new URL(api.url).searchParams];
  return Object.fromEntries(given.filter(([name, value]) => holdsSecret(name, String(value)) && !present.has(name)));
}

/** Which page it is. */
interface PageOfApi extends Reading {
  number: number;
  request: PageRequest;
  /** The pages before were lists of records. */
  had_records: boolean;
}

/** Sees what an answer holds. Throws a KbError (`invalid`) for one that is not what it says, is a page about an error or nothing but one, or has nothing at `items_path`. */
export async function pageOf(
  answer: HttpAnswer,
  api: ApiSettings,
  { number, request, had_records, ...reading }: PageOfApi,
): Promise<ApiPage> {
  const base = apiSource(api);
  const structure = await structureOf(answer, base, reading);
  const items_path = api.pagination?.items_path;
  const place = placeOf(api.pagination, request, number);
  if (!structure && answer.bytes.length > 0) assertContent(answer, { base, items_path });
  const value = structure?.value;
  const listed = items_path === undefined ? undefined : valueAt(value, items_path);
  const failure = Array.isArray(listed) && listed.length > 0 ? undefined : failureIn(value); // a list of errors may be the content
  if (failure !== undefined && number === 1) throw failed(base, failure);
  const hasNoList =
    items_path === undefined
      ? had_records && structure !== undefined && !Array.isArray(value)
      : answer.bytes.length > 0 && listed === undefined;
  const is_without_list = hasNoList || failure !== undefined;
  if (structure && items_path && number === 1 && is_without_list) throw misled(base, items_path, value);
  const records = structure && isOfRecords(structure, api) ? recordsIn(value, items_path) : undefined;
  return {
    number,
    source: place === undefined ? base : marked(base, place),
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

/** Records become a document each where it was said where they are, where pages of them are asked for, and where each is a line. */
const isOfRecords = ({ value, broken }: Structure, { pagination }: ApiSettings): boolean =>
  pagination?.items_path !== undefined ||
  broken !== undefined ||
  (pagination !== undefined && Array.isArray(value) && value.every(isRecord));

const isRecord = (value: unknown): boolean => typeof value === 'object' && value !== null;

/** Refuses a page about an error that calls itself a success, and any document where records were to be. */
function assertContent(answer: HttpAnswer, { base, items_path }: { base: string; items_path: string | undefined }): void {
  const said = saysError(answer);
  if (said !== undefined)
    throw new KbError('invalid', `${base} answered with a web page that says «${said}», and not with content.`, {
      hint: 'Check the address and the credentials, or ask again later.',
      isRetryable: isPassing(said),
    });
  if (items_path)
    throw new KbError(
      'invalid',
      `${base} answered with «${answer.content_type || 'no named type'}», which has nothing at items_path «${items_path}».`,
      {
        hint: 'Leave items_path out where the answer is a document, or check the address.',
      },
    );
}

const failed = (base: string, said: string): KbError =>
  new KbError('invalid', `${base} answered with an error, though with a status of success: «${said}».`, {
    hint: 'Check the address and the credentials, or ask again later.',
    isRetryable: isPassing(said),
  });

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
