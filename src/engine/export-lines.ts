import { createHash } from 'node:crypto';
import type { z } from 'zod';
import { cleanChunk } from '../base/clean-text.ts';
import { count } from '../base/count.ts';
import { KbError } from '../base/errors.ts';
import type { StoredChunk } from '../ports/stores.ts';
import { ExportedChunk, ExportEnd, ExportHeader } from '../schema/collections.ts';

/** SHA-256 of the lines of an export, each with its line feed. */
export function createSeal(): { add(line: string): void; digest(): string } {
  const sum = createHash('sha256');
  return { add: (line) => void sum.update(line).update('\n'), digest: () => sum.digest('hex') };
}

interface Line {
  number: number;
  text: string;
}

/**
 * Reads the lines of an export: its header, then its chunks as they are asked for. Throws a KbError (`invalid`) for a line that is none of an export, and in
 * the end for an export that is not whole or not as it was written; with `force` what is there is taken, but for a last line that was cut.
 */
export async function readExport(
  lines: AsyncIterable<string>,
  { force }: { force: boolean },
): Promise<{ header: ExportHeader; chunks: AsyncGenerator<StoredChunk, void, void> }> {
  const rest = numbered(lines);
  const first = await rest.next();
  if (first.done) throw new KbError('invalid', 'The import is empty.', { hint: 'It is what kb collections export writes.' });
  const header = parseLine(ExportHeader, first.value, jsonIn(first.value));
  return { header, chunks: chunksOf(rest, { header, first: first.value.text, force }) };
}

async function* numbered(lines: AsyncIterable<string>): AsyncGenerator<Line, void, void> {
  let number = 0;
  for await (const text of lines) {
    number++;
    if (text.trim() !== '') yield { number, text };
  }
}

interface Reading {
  header: ExportHeader;
  /** The line of the header. */
  first: string;
  force: boolean;
}

async function* chunksOf(lines: AsyncIterator<Line>, { header, first, force }: Reading): AsyncGenerator<StoredChunk, void, void> {
  const seal = createSeal();
  seal.add(first);
  let chunks = 0;
  let end: ExportEnd | undefined;
  for (let next = await lines.next(); !next.done;) {
    const line: Line = next.value;
    next = await lines.next();
    const value = jsonIn(line);
    if (value === undefined && force && next.done) return;
    if (isEnd(value) && next.done) end = parseLine(ExportEnd, line, value);
    else {
      yield chunkOf(line, value, header);
      seal.add(line.text);
      chunks++;
    }
  }
  if (!force) assertWhole(end, { chunks, sha256: seal.digest() });
}

const isEnd = (value: unknown): boolean => typeof value === 'object' && value !== null && 'kb_export_end' in value;

const BY_FORCE = 'Export the collection anew, or take what is there of it with --force.';

function assertWhole(end: ExportEnd | undefined, { chunks, sha256 }: Omit<ExportEnd, 'kb_export_end'>): void {
  if (end === undefined)
    throw new KbError(
      'invalid',
      `The export has no closing line: it was cut off after ${count(chunks, 'chunk')}, or an older kb wrote it.`,
      {
        hint: BY_FORCE,
      },
    );
  if (end.chunks !== chunks)
    throw new KbError('invalid', `The export holds ${count(chunks, 'chunk')}; its closing line counts ${end.chunks}.`, { hint: BY_FORCE });
  if (end.sha256 !== sha256)
    throw new KbError('invalid', 'The export was changed after it was written: its lines do not fit the hash of its closing line.', {
      hint: BY_FORCE,
    });
}

function chunkOf(line: Line, value: unknown, { dimensions }: ExportHeader): StoredChunk {
  const { embedding, ...chunk } = parseLine(ExportedChunk, line, value);
  if ((embedding?.length ?? 0) !== dimensions)
    throw new KbError(
      'invalid',
      `Line ${line.number}: its vector has the length ${embedding?.length ?? 0}; the header says ${dimensions}.`,
    );
  return { ...cleanChunk(chunk), ...(embedding ? { vector: Float32Array.from(embedding) } : {}) };
}

/** Undefined where the line is no JSON. */
function jsonIn({ text }: Line): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function parseLine<T>(schema: z.ZodType<T>, { number }: Line, value: unknown): T {
  const hint = 'It is no export of kb, or it was cut off. --force takes the lines before one that was cut.';
  if (value === undefined) throw new KbError('invalid', `Line ${number} is not JSON.`, { hint });
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  throw new KbError('invalid', `Line ${number}: ${result.error.issues[0]!.path.join('.')}: ${result.error.issues[0]!.message}.`, { hint });
}
