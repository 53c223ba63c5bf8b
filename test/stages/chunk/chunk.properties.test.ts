import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Location } from '../../../src/schema/items.ts';
import { locateQuote } from '../../../src/stages/chat/cited-sources.ts';
import { chunkDocument } from '../../../src/stages/chunk/chunk.ts';
import { chunkings, documentOf, markdown, oddChunkings, scrap } from './markdown.ts';

const solid = (text: string): string => text.replace(/\s/g, '');

/** Whether all characters of `part` occur in `whole` in their order. */
function isWithin(part: string, whole: string): boolean {
  let at = 0;
  for (let i = 0; i < part.length; i++, at++) {
    at = whole.indexOf(part[i]!, at);
    if (at < 0) return false;
  }
  return true;
}

/** A line of a chunk without the first cell of a row that is continued: that is repeated, with empty cells behind it. */
const withoutLabel = (held: string, line: string): string =>
  line.includes(held) ? held : held.replace(/^\| (?:[^|\\]|\\.)+ \| (?: \| )*/, '');

describe('chunkDocument, for any Markdown and any settings', () => {
  it('puts every character except white space into a chunk, in order', () => {
    fc.assert(
      fc.property(markdown, chunkings, (text, chunking) => {
        const chunks = chunkDocument(documentOf(text), chunking);
        expect(isWithin(solid(text), solid(chunks.map((chunk) => chunk.text).join('')))).toBe(true);
      }),
      { numRuns: 400 },
    );
  });

  it('repeats nothing without tables, fences and overlap', () => {
    const plain = markdown.filter((text) => !/[`~]{3}|\|/.test(text));
    fc.assert(
      fc.property(plain, chunkings, (text, chunking) => {
        const chunks = chunkDocument(documentOf(text), { ...chunking, chunk_overlap: 0 });
        expect(solid(chunks.map((chunk) => chunk.text).join(''))).toBe(solid(text));
      }),
    );
  });

  it('keeps chunks within chunk_size, except for a table header and a whole row or fence', () => {
    fc.assert(
      fc.property(markdown, chunkings, (text, chunking) => {
        const framed = /[`~]{3}|\|/.test(text);
        const most = chunking.chunk_size + (framed ? chunking.min_chunk_length + chunking.chunk_size / 2 + 8 : 0);
        for (const chunk of chunkDocument(documentOf(text), chunking)) expect(chunk.text.length).toBeLessThanOrEqual(most);
      }),
      {
        numRuns: 400,
        examples: [
          [
            'pump pump pump\n\n| pump | pump | ERR-4042 |\n|---|:-:|---|\n| boiler! | pump pump [link](https://example.test/a?b=1) | foo_bar pump 👩‍👩‍👧‍👦 |\n\n',
            { chunk_size: 82, chunk_overlap: 0, min_chunk_length: 0 },
          ],
        ],
      },
    );
  });

  it('makes no chunk shorter than min_chunk_length, unless it is the only one', () => {
    fc.assert(
      fc.property(markdown, chunkings, (text, chunking) => {
        const chunks = chunkDocument(documentOf(text.replaceAll('\r', '')), chunking);
        if (chunks.length > 1) for (const chunk of chunks) expect(chunk.text.length).toBeGreaterThanOrEqual(chunking.min_chunk_length);
      }),
      { numRuns: 400 },
    );
  });

  it('gives the same chunks for the same text, with unique ids', () => {
    fc.assert(
      fc.property(markdown, chunkings, (text, chunking) => {
        const chunks = chunkDocument(documentOf(text), chunking);
        expect(chunkDocument(documentOf(text), chunking)).toEqual(chunks);
        expect(new Set(chunks.map(({ id }) => id)).size).toBe(chunks.length);
      }),
    );
  });

  it('makes no empty chunk, and splits no character', () => {
    fc.assert(
      fc.property(markdown, chunkings, (text, chunking) => {
        for (const chunk of chunkDocument(documentOf(text), chunking)) {
          expect(chunk.text.trim()).not.toBe('');
          expect(chunk.embed_text).not.toBe('');
          expect(chunk.text.isWellFormed()).toBe(true);
        }
      }),
    );
  });

  it('names the lines of the beginning and the end of the text in the location', () => {
    fc.assert(
      fc.property(markdown, chunkings, (text, chunking) => {
        const lines = text.split('\n');
        for (const { text: passage, metadata } of chunkDocument(documentOf(text), chunking)) {
          const { line_start, line_end } = metadata.location as { line_start: number; line_end: number };
          const there = lines.slice(line_start - 1, line_end).map((line) => line.replace(/\r$/, ''));
          expect(there[0]!.trim()).not.toBe('');
          if (/[`~]{3}|\|/.test(text)) continue;
          const held = passage.split('\n');
          expect(held).toHaveLength(there.length);
          for (const [i, line] of held.entries()) expect(there[i]).toContain(line.replace(/\r$/, ''));
        }
      }),
      { numRuns: 400 },
    );
  });

  it('cites a line of a chunk by its line in the source, except repeated table headers', () => {
    const unfenced = markdown.filter((text) => !/[`~]{3}/.test(text));
    fc.assert(
      fc.property(unfenced, chunkings, (text, chunking) => {
        const lines = text.split('\n');
        for (const { text: passage, metadata } of chunkDocument(documentOf(text), chunking)) {
          const location = metadata.location as Location;
          const held = passage.split('\n');
          const repeated = held.length - (location.line_end! - location.line_start! + 1);
          for (let i = repeated; i < held.length; i++) {
            const { line_start, line_end } = locateQuote(passage, location, [[i, i]]);
            expect(line_start).toBe(line_end);
            expect(lines[line_start! - 1]).toContain(withoutLabel(held[i]!.trim(), lines[line_start! - 1]!));
          }
        }
      }),
      { numRuns: 300 },
    );
  });
});

it('chunks of any characters with any settings lose nothing, are bounded, and are not empty', () => {
  const marks = [
    { at: 0, line: 1, page: 1, row: 1 },
    { at: 40, line: 9, page: 2 },
    { at: 90, page: 2, row: 5 },
  ];
  fc.assert(
    fc.property(scrap, oddChunkings, (text, chunking) => {
      const chunks = chunkDocument(documentOf(text, { marks }), chunking);
      expect(isWithin(solid(text), solid(chunks.map((chunk) => chunk.text).join('')))).toBe(true);
      expect(new Set(chunks.map(({ id }) => id)).size).toBe(chunks.length);
      for (const chunk of chunks) {
        expect(chunk.text.trim()).not.toBe('');
        expect(chunk.text.length).toBeLessThanOrEqual(2 * chunking.chunk_size + 16);
        if (text.isWellFormed()) expect(chunk.text.isWellFormed()).toBe(true);
      }
    }),
    {
      numRuns: 1000,
      examples: [[`~~~${' '.repeat(70)}${'\n'.repeat(70)}${' '.repeat(70)}#`, { chunk_size: 50, chunk_overlap: 0, min_chunk_length: 0 }]],
    },
  );
});
