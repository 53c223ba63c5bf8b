import { readDocument } from '@citekb/documents';
import { describe, expect, it } from 'vitest';
import type { Location } from '../../../src/schema/items.ts';
import { chunkDocument } from '../../../src/stages/chunk/chunk.ts';

/** The chunks of a file of this content, with their locations. */
async function chunksOf(name: string, content: string, chunk_size: number): Promise<{ text: string; location: Location }[]> {
  const parsed = await readDocument(Buffer.from(content), { name });
  const chunks = chunkDocument({ id: 'x', source: 'x', title: 'x', ...parsed } as never, {
    chunk_size,
    chunk_overlap: 0,
    min_chunk_length: 1,
  });
  return chunks.map(({ text, metadata }) => ({ text, location: metadata.location as Location }));
}

describe('chunks of documents', () => {
  it('have the lines of records', async () => {
    const json =
      '[\n  {"name": "Pump", "size": {"w": 10, "h": 2.5e3}, "tags": ["a", "b"]},\n  {"id": 7,\n   "parts": [{"code": "X-1"},\n   {"code": "X-2"}]}\n]';
    expect((await chunksOf('a.json', json, 100)).at(-1)!.location).toMatchObject({ line_start: 3, line_end: 5 });
    const lines = await chunksOf('a.jsonl', '{"question":"Why?","a":1}\n\n{"question":"How?","a":2}\n', 60);
    expect(lines.map(({ location: { line_start, line_end } }) => [line_start, line_end])).toEqual([
      [1, 1],
      [3, 3],
    ]);
  });

  it('have the lines and headings of functions', async () => {
    const code =
      'class Pump {\n  #on = false;\n\n  /** Stops it. */\n  stop(): void {\n    halt();\n  }\n}\n\nexport const wait = async (ms: number) => {\n  sleep(ms);\n};\n';
    const chunks = await chunksOf('pump.ts', code, 100);
    expect(chunks.find(({ text }) => text.includes('halt'))!.location).toMatchObject({
      line_start: 4,
      line_end: 8,
      headings: ['class Pump', 'stop()'],
    });
    expect(chunks.find(({ text }) => text.includes('sleep'))!.location).toMatchObject({ line_start: 10, line_end: 12 });
  });

  it('of subtitles end with their last cue, also with one that another says again or that ends before it begins', async () => {
    const times = async (...cues: string[]) => {
      const [chunk] = await chunksOf('a.vtt', `WEBVTT\n\n${cues.join('\n\n')}\n`, 500);
      return [chunk!.location.time_start, chunk!.location.time_end];
    };
    expect(await times('00:01.000 --> 00:03.500\nOpen', '01:00:10.000 --> 01:00:12.000\nIt leaks.')).toEqual(['00:00:01', '01:00:12']);
    expect(await times('00:01.000 --> 00:02.000\none', '00:02.000 --> 00:05.900\none')).toEqual(['00:00:01', '00:00:05']);
    expect(await times('00:03.000 --> 00:01.000\none')).toEqual(['00:00:03', '00:00:03']);
  });
});
