import type { NetworkParts } from '../extract.ts';
import { yieldToEventLoop } from '../../../core/concurrency.ts';
import { KbError } from '../../../core/errors.ts';
import { findUnsafeJson } from '../../../core/parse-request.ts';
import { declaredCharset, detectCharset, type HttpResponse, toUtf8 } from '../../../http/message.ts';
import { GIVEN_TYPES } from '../../../ports/reading.ts';

/** Maximum broken lines that are reported one by one; the others are counted. */
const MAX_REPORTED = 100;

/** A line that is not JSON. */
interface BrokenLine {
  /** 1 for the first. */
  line: number;
  error: KbError;
}

/** Reads JSON Lines, or a sequence of JSON texts (RFC 7464), a record each. Throws a KbError (`invalid`) if no line is JSON. */
async function readJsonLines(text: string, name: string, signal: AbortSignal | undefined): Promise<Structure> {
  const takeTurns = yieldToEventLoop(signal);
  const records: unknown[] = [];
  const broken: BrokenLine[] = [];
  let failed = 0;
  for (const [i, line] of text.split(text.includes('\x1e') ? '\x1e' : '\n').entries()) {
    await takeTurns();
    if (line.trim() === '') continue;
    const excess = largeJson(line);
    try {
      if (excess !== undefined) throw largeJsonError(name, excess);
      records.push(parseLosslessly(line));
    } catch (cause) {
      if (++failed <= MAX_REPORTED)
        broken.push({
          line: i + 1,
          error: brokenLineError(
            `${name}: line ${i + 1} of its answer ${excess === undefined ? 'is not JSON' : `has too much: ${excess} can be read`}.`,
            cause,
          ),
        });
    }
  }
  if (records.length === 0 && broken[0]) throw brokenLineError(`${name} answered with lines of which none is JSON.`, broken[0].error);
  const { line } = broken.at(-1) ?? { line: 0 };
  if (failed > MAX_REPORTED)
    broken.push({
      line: line + 1,
      error: brokenLineError(`${name}: ${failed - MAX_REPORTED} more lines after line ${line} are not JSON.`),
    });
  return { file_type: GIVEN_TYPES.json, value: records, broken };
}

const brokenLineError = (message: string, cause?: unknown): KbError =>
  new KbError('invalid', message, { hint: 'Check its response, for example with curl.', cause });

/** A response of fields and records. */
export interface Structure {
  file_type: typeof GIVEN_TYPES.json | typeof GIVEN_TYPES.xml;
  value: unknown;
  /** The lines of JSON Lines that are not JSON; `value` lists the others. */
  broken?: BrokenLine[];
}

const JSON_TYPE = /[/+]json$/;
const LINES_TYPE = /ndjson|jsonl|json-?lines|json-seq|stream\+json/;
const XML_TYPE = /[/+]xml$/;
const STRUCTURED = [JSON_TYPE, LINES_TYPE, XML_TYPE];

/** Media types under which servers send JSON: HTML is the default of PHP. */
const POSSIBLE_JSON_TYPE = /^(text\/(plain|html|javascript)|application\/(octet-stream|(x-)?javascript))?$/;
const POSSIBLE_XML_TYPE = /^(text\/plain|application\/octet-stream)?$/;

/** The dependencies of parsing a response. */
export type ParseParts = Pick<NetworkParts, 'reader' | 'signal'>;

/**
 * Parses JSON, JSON Lines and XML, the last by the reader; undefined for other responses. Throws a KbError (`invalid`, `too_large`) if the content
 * contradicts its type.
 */
export async function structureOf(answer: HttpResponse, name: string, { reader, signal }: ParseParts): Promise<Structure | undefined> {
  const { content_type } = answer;
  const isDeclared = !reader.page.media_types.includes(content_type) && STRUCTURED.some((type) => type.test(content_type));
  if (!isDeclared && !POSSIBLE_JSON_TYPE.test(content_type)) return undefined;
  const text = decodeText(answer);
  if (LINES_TYPE.test(content_type)) return await readJsonLines(text, name, signal);
  if (JSON_TYPE.test(content_type)) return await readJson(text, name, signal);
  if (isDeclared || (POSSIBLE_XML_TYPE.test(content_type) && /^\s*<\?xml\s/.test(text))) {
    const { value } = await reader.read(Buffer.from(text), { source: name, file_type: GIVEN_TYPES.value, signal });
    return { file_type: GIVEN_TYPES.xml, value };
  }
  if (!/^\s*[[{]/.test(text)) return undefined;
  const excess = largeJson(text);
  const value = excess === undefined ? parseIfJson(text) : undefined;
  if (value !== undefined) return { file_type: GIVEN_TYPES.json, value };
  if (hasJsonLines(text)) return await readJsonLines(text, name, signal);
  if (excess !== undefined) throw largeJsonError(name, excess);
  return undefined;
}

/** A character of two to four bytes in UTF-8. */
const UTF8_SEQUENCE = /[\xc2-\xdf][\x80-\xbf]|[\xe0-\xef][\x80-\xbf]{2}|[\xf0-\xf4][\x80-\xbf]{3}/g;

/** Decodes a response by its bytes, else by its label; as windows-1252 if most bytes beyond ASCII are invalid UTF-8. */
function decodeText(answer: HttpResponse): string {
  const bytes = toUtf8({
    ...answer,
    charset: answer.charset ?? (XML_TYPE.test(answer.content_type) ? declaredCharset(answer.bytes) : undefined),
  });
  const text = new TextDecoder(detectCharset(bytes)).decode(bytes);
  const broken = text.split('\ufffd').length - 1;
  if (broken === 0) return text;
  const whole = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('latin1').match(UTF8_SEQUENCE)?.length ?? 0;
  return broken > whole ? new TextDecoder('windows-1252').decode(bytes) : text;
}

/** Parses JSON, or JSON Lines that are declared as JSON. */
async function readJson(text: string, name: string, signal: AbortSignal | undefined): Promise<Structure> {
  if (text.trim() === '') return { file_type: GIVEN_TYPES.json, value: [] };
  const excess = largeJson(text);
  let cause: unknown;
  try {
    if (excess === undefined) return { file_type: GIVEN_TYPES.json, value: parseLosslessly(text) };
  } catch (error) {
    cause = error;
  }
  if (hasJsonLines(text)) return await readJsonLines(text, name, signal);
  if (excess !== undefined) throw largeJsonError(name, excess);
  throw new KbError('invalid', `${name} answered with JSON that cannot be read.`, {
    hint: 'Check its response, for example with curl.',
    cause,
  });
}

/** Bounds of one JSON text: beyond them, parsing it would keep a server from everything else. */
const BOUNDS = { depth: 200, keys: 50_000, entries: 200_000, containers: 400_000 };

/** Says what of a JSON text is too much; undefined if nothing is. */
const largeJson = (text: string): string | undefined => findUnsafeJson(text, BOUNDS);

const largeJsonError = (name: string, excess: string): KbError =>
  new KbError('too_large', `${name} answered with too much at once: ${excess} can be read.`, {
    hint: 'Ask for less, for example in pages (ingestion.api.pagination), or for JSON Lines.',
  });

/** Whether the first two lines are records of their own, within the bounds. */
function hasJsonLines(text: string): boolean {
  const [first = '', second = ''] = text.trim().split(/\r?\n/, 2);
  return second !== '' && [first, second].every((line) => largeJson(line) === undefined && typeof parseIfJson(line) === 'object');
}

function parseIfJson(text: string): unknown {
  try {
    return parseLosslessly(text);
  } catch {
    return undefined;
  }
}

/** Parses JSON; a number that JavaScript would round or shorten (a long id, `49.90`) stays as written. */
function parseLosslessly(text: string): unknown {
  if (!/\d{16}|\.\d*0(?!\d)/.test(text)) return JSON.parse(text);
  const keep = (_key: string, value: unknown, context?: { source?: string }): unknown =>
    typeof value === 'number' && context?.source !== undefined && context.source !== String(value) ? context.source : value;
  return JSON.parse(text, keep as (key: string, value: unknown) => unknown);
}
