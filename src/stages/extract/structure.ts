import { KbError } from '../../base/errors.ts';
import type { HttpAnswer } from '../../base/http-message.ts';
import { inUtf8 } from './media.ts';
import { xmlValue } from './xml.ts';

/** An answer that is made of fields and records. */
export interface Structure {
  file_type: 'json' | 'xml';
  value: unknown;
}

const JSON_TYPE = /[/+]json$/;
const LINES_TYPE = /ndjson|jsonl|json-?lines|json-seq/;
const XML_TYPE = /[/+]xml$/;

/** Reads JSON, JSON Lines and XML; undefined for an answer of another kind. Throws a KbError (`invalid`) for one that is not what it says. */
export async function structureOf(answer: HttpAnswer, name: string): Promise<Structure | undefined> {
  const { content_type } = answer;
  if (content_type === 'application/xhtml+xml') return undefined;
  const text = () => new TextDecoder().decode(inUtf8(answer));
  if (LINES_TYPE.test(content_type)) return { file_type: 'json', value: jsonLines(text(), name) };
  if (JSON_TYPE.test(content_type)) return { file_type: 'json', value: text().trim() === '' ? [] : declaredJson(text(), name) };
  if (XML_TYPE.test(content_type)) return { file_type: 'xml', value: await declaredXml(text(), name) };
  if (!/^(text\/plain|application\/octet-stream)?$/.test(content_type) || !/^\s*[[{]/.test(text())) return undefined;
  const value = attempted(text());
  return value === undefined ? undefined : { file_type: 'json', value };
}

function attempted(text: string): unknown {
  try {
    return exactJson(text);
  } catch {
    return undefined;
  }
}

const unreadable = (name: string, kind: string, cause?: unknown): KbError =>
  new KbError('invalid', `${name} answered with ${kind} that cannot be read.`, {
    hint: 'Check what it answers, with curl for example.',
    cause,
  });

function declaredJson(text: string, name: string): unknown {
  try {
    return exactJson(text);
  } catch (cause) {
    throw unreadable(name, 'JSON', cause);
  }
}

const jsonLines = (text: string, name: string): unknown[] =>
  text
    .split(/[\n\x1e]/)
    .filter((line) => line.trim() !== '')
    .map((line) => declaredJson(line, name));

async function declaredXml(text: string, name: string): Promise<unknown> {
  const value = await xmlValue(text);
  if (value === undefined) throw unreadable(name, 'XML');
  return value;
}

/** A number that JavaScript would round or shorten (a long id, `49.90`) stays as it was written. */
function exactJson(text: string): unknown {
  if (!/\d{16}|\.\d*0(?!\d)/.test(text)) return JSON.parse(text);
  const keep = (_key: string, value: unknown, context?: { source?: string }): unknown =>
    typeof value === 'number' && context?.source !== undefined && context.source !== String(value) ? context.source : value;
  return JSON.parse(text, keep as (key: string, value: unknown) => unknown);
}
