import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { Location } from '../../../src/schema/items.ts';
import { chunkDocument } from '../../../src/stages/chunk/chunk.ts';
import { joinChunks } from '../../../src/stages/chunk/join-chunks.ts';
import type { Chunking } from '../../../src/schema/config.ts';
import { chunkings, documentOf, markdown, sentences } from './markdown.ts';

const SMALL = { chunk_size: 200, chunk_overlap: 60, min_chunk_length: 30 };

function passagesOf(text: string, chunking: Chunking = SMALL, marks = [{ at: 0, line: 1 }]) {
  const chunks = chunkDocument(documentOf(text, { marks }), chunking);
  return chunks.map((chunk) => ({ text: chunk.text, location: chunk.metadata.location as Location }));
}

/** The lines of a text, without white space at their ends and empty lines at its own. */
const linesOf = (text: string): string[] =>
  text
    .replaceAll('\r\n', '\n')
    .trim()
    .split('\n')
    .map((line) => line.trim());

const sizes = (chunk_size: number): Chunking => ({ chunk_size, chunk_overlap: 0, min_chunk_length: 0 });

it('restores the lines of any Markdown, however it was split', () => {
  fc.assert(
    fc.property(markdown, chunkings, (text, chunking) => {
      const passages = passagesOf(text, chunking);
      if (passages.length > 0) expect(linesOf(joinChunks(passages).text)).toEqual(linesOf(text));
    }),
    {
      numRuns: 300,
      examples: [
        ['# pump pump pump pump\n\n# 清洗过滤器，然后重启 pump pump [link](https://example.test/a?b=1)\n\n```\n```\n\n', sizes(85)],
        [
          `# 水ポンプを停止します。 pump 水ポンプを停止します。 👩‍👩‍👧‍👦\n\npump pump 水ポンプを停止します。 👩‍👩‍👧‍👦\n===\n\n\`\`\`\n${'# none\n'.repeat(9)}\`\`\`\n`,
          sizes(84),
        ],
      ],
    },
  );
});

it('removes overlaps, repeated table headers, and added fence marks', () => {
  const rows = Array.from({ length: 12 }, (_, i) => `| pump ${i} | hall ${i} of the house |`).join('\n');
  const code = Array.from({ length: 12 }, (_, i) => `pump.start(${i}); // in the morning`).join('\n');
  const text = `# House\n\n${sentences(60, 'pump')}\n\n| pump | hall |\n|---|---|\n${rows}\n\n\`\`\`js\n${code}\n\`\`\`\n\nThe end.`;
  const passages = passagesOf(text);
  expect(passages.length).toBeGreaterThan(6);
  expect(passages.some(({ location }) => location.overlap !== undefined)).toBe(true);
  expect(joinChunks(passages).text).toBe(text);
  expect(joinChunks(passages).lines[0]).toEqual({ at: 0, line: 1 });
});

it('keeps both fences of an empty code block that was split between them', () => {
  const text = 'pump pump pump 水ポンプを停止します。\n-----\n\n# ไม่มีช่องว่าง 清洗过滤器，然后重启 ERR-4042 pump\n\n```\n```';
  expect(joinChunks(passagesOf(text, { chunk_size: 80, chunk_overlap: 0, min_chunk_length: 0 })).text).toBe(text);
});

it('returns the line of the file at which the text begins', () => {
  const known = [
    { at: 0, line: 9 },
    { at: 3, line: 12 },
  ];
  expect(joinChunks(passagesOf('# A\n\nThe text.', SMALL, [{ at: 0, line: 9 }]))).toEqual({ text: '# A\n\nThe text.', lines: known });
});

it('keeps the lines of a text whose line numbers differ from its file', () => {
  const rows = Array.from({ length: 12 }, (_, i) => `| pump ${i} | hall ${i} of the house |`).join('\n');
  const text = `# House\n\nRead this.\n\n| pump | hall |\n| --- | --- |\n${rows}\n\n# Garden\n\nIt is ${'very '.repeat(30)}green.`;
  const marks = [...text.matchAll(/^.*$/gm)].map(({ index, 0: line }) => ({ at: index, line: line.startsWith('|') ? 5 : 1 }));
  for (const [i, mark] of marks.entries()) if (i > 0 && mark.line !== 5) mark.line = marks[i - 1]!.line + 1;
  const passages = passagesOf(text, SMALL, marks);
  const joined = joinChunks(passages);
  expect(joined.text).toBe(text);
  const lines = text.split('\n');
  expect(joined.lines).toContainEqual({ at: lines.indexOf('# Garden'), line: 7 });
  expect(joined.lines.at(-1)).toEqual({ at: lines.length, line: 10 });
});

it('joins a paragraph without line numbers by a space, and a list by a line break', () => {
  const paragraph = sentences(60, 'pump');
  const list = Array.from({ length: 20 }, (_, i) => `- the pump number ${i} of the house`).join('\n');
  const text = `${paragraph}\n\n${list}`;
  expect(joinChunks(passagesOf(text, SMALL, [])).text).toBe(text);
});

it('appends passages of unknown position', () => {
  const passages = ['The first.', 'The second.'].map((text) => ({ text, location: {} }));
  expect(joinChunks(passages).text).toBe('The first.\n\nThe second.');
});
