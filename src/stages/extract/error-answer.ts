import type { HttpAnswer } from '../../base/http-message.ts';
import { saidIn } from '../../base/said.ts';
import { isFields } from './record-paths.ts';

const ERROR = /^(errors?|error_?(message|description|code|type)|fault)$/i;
/** What stands beside an error, and is no content. */
const BESIDE =
  /^(status(_?code)?|code|message|msg|details?|reason|success|ok|timestamp|path|(request|trace|correlation)_?id|documentation_?url|jsonrpc)$/i;
const FAILED = /^(error|fail(ed|ure)?)$/i;

/**
 * What an answer of JSON says went wrong, where that is all it holds, though it has a status of success (GraphQL's `{"errors": […], "data": null}`, Slack's
 * `{"ok": false, "error": "…"}`); undefined for any other answer.
 */
export function failureIn(value: unknown): string | undefined {
  if (!isFields(value)) return undefined;
  const said = Object.entries(value).filter(([, inner]) => !isNothing(inner));
  const isCall = said.some(([name]) => name === 'jsonrpc');
  const hasError = said.some(([name]) => ERROR.test(name));
  const hasFailed = Object.entries(value).some(([name, inner]) =>
    /^(ok|success)$/i.test(name) ? inner === false : /^status$/i.test(name) && FAILED.test(String(inner)),
  );
  if (!(hasError || hasFailed) || !said.every(([name]) => ERROR.test(name) || BESIDE.test(name) || (isCall && name === 'id')))
    return undefined;
  return saidIn(value) ?? (hasError ? 'error' : undefined);
}

const isNothing = (value: unknown): boolean =>
  value === null ||
  value === undefined ||
  value === '' ||
  value === 0 ||
  value === '0' ||
  value === false ||
  (typeof value === 'object' && Object.keys(value).length === 0);

/** Whether what failed may succeed in a moment, by what is said of it. */
export const isPassing = (said: string): boolean =>
  /^(429|5\d\d)|rate.?limit|throttl|unavailable|gateway|timed?.?out|too many|moment|try again/i.test(said);

/** Statuses with which APIs answer to pages behind their last one. */
export const BEHIND_LAST = [400, 404, 416, 422];

/** Whether an answer of such a status says beyond doubt that it is the page which is not there, in the words of Django REST and WordPress: others say the like of limits, too. */
export function saysNoPage({ status, bytes, content_type }: Pick<HttpAnswer, 'status' | 'bytes' | 'content_type'>): boolean {
  if (!/[/+]json$/.test(content_type)) return false;
  const text = new TextDecoder().decode(bytes.subarray(0, 4096));
  return /"rest_post_invalid_page_number"/.test(text) || (status === 404 && /"Invalid page\."/.test(text));
}
