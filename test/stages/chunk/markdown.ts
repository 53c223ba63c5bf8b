import fc from 'fast-check';
import type { Document, Mark } from '../../../src/schema/items.ts';

/** A document of the given text, every line of which is marked as in a file. */
export const documentOf = (
  text: string,
  { title = 'Manual', marks = [{ at: 0, line: 1 }] }: { title?: string; marks?: Mark[] } = {},
): Document => ({
  id: 'd',
  text,
  source: 'manual.md',
  title,
  metadata: { source_kind: 'path', author: 'Ida' },
  marks,
});

const word = fc.constantFrom(
  ...'pump valve, filter. boiler! e.g. Dr. 3.5 bar ERR-4042 foo_bar (see below) **bold** `code` größe naïve 水ポンプを停止します。 清洗过滤器，然后重启 👩‍👩‍👧‍👦 é 🇳🇴 ไม่มีช่องว่าง [link](https://example.test/a?b=1) | > # - *'.split(
    ' ',
  ),
);
const words = (longest: number) => fc.array(word, { minLength: 1, maxLength: longest }).map((list) => list.join(' '));
const giant = fc
  .integer({ min: 1, max: 900 })
  .chain((length) => fc.constantFrom('x', '水', '👍', 'é').map((letter) => letter.repeat(length)));
const heading = fc.tuple(fc.integer({ min: 1, max: 6 }), words(4)).map(([level, text]) => `${'#'.repeat(level)} ${text}`);
const setext = fc.tuple(words(4), fc.constantFrom('===', '-----')).map(([text, line]) => `${text}\n${line}`);
const paragraph = fc.array(words(20), { minLength: 1, maxLength: 8 }).map((lines) => lines.join('\n'));
const item = fc.tuple(fc.constantFrom('- ', '  * ', '1. ', '    - ', '- [ ] '), words(12)).map((parts) => parts.join(''));
const list = fc.array(item, { minLength: 1, maxLength: 15 }).map((items) => items.join('\n'));
const row = fc
  .array(
    words(4).map((text) => text.replaceAll('|', '\\|')),
    { minLength: 3, maxLength: 3 },
  )
  .map((cells) => `| ${cells.join(' | ')} |`);
const table = fc.tuple(row, fc.array(row, { maxLength: 25 })).map(([header, rows]) => [header, '|---|:-:|---|', ...rows].join('\n'));
const fence = fc
  .tuple(
    fc.constantFrom('```', '~~~~', '```js'),
    fc.array(fc.oneof(words(8), fc.constant('# no heading'), fc.constant('    indented()')), { maxLength: 20 }),
  )
  .map(([open, lines]) => [open, ...lines, open.replace('js', '')].join('\n'));
const oddity = fc.constantFrom(
  '<!-- hidden\n# no heading\n-->',
  '***',
  '```',
  '<pre>\n# none\n</pre>',
  '> quoted\n> words',
  '\t tabbed',
  '---',
  'a\r\nb\r\n',
  '#',
  '||||',
);

/** Any Markdown, and some that is none: blocks of every kind, of several scripts. */
export const markdown = fc
  .array(
    fc.tuple(
      fc.oneof(heading, setext, paragraph, paragraph, list, table, fence, giant, oddity),
      fc.constantFrom('\n\n', '\n\n', '\n', '\n\n\n'),
    ),
    { maxLength: 25 },
  )
  .map((blocks) => blocks.map((parts) => parts.join('')).join(''));

const scraps = [
  ' ',
  '\n',
  '\n\n',
  '\r\n',
  '\t',
  '    ',
  '\u00a0',
  '\u2028',
  '\0',
  '#',
  '## a',
  '```',
  '~~~',
  '`',
  '-',
  '---',
  '===',
  '*',
  '1. ',
  '> ',
  '|',
  '|---|',
  '| a | b |\n|---|---|\n',
].concat(['<!--', '-->', '<pre>', '</pre>', 'a.', 'B c', ':', '👍', 'é', '水。', 'x'.repeat(60), ' '.repeat(70), '\n'.repeat(70)]);

/** Text that is hardly Markdown: scraps of it in any order, and any characters. */
export const scrap = fc.oneof(
  fc.array(fc.constantFrom(...scraps), { maxLength: 120 }).map((parts) => parts.join('')),
  fc.string({ unit: 'binary', maxLength: 500 }),
);

/** Any settings that the configuration admits, small enough to matter. */
export const oddChunkings = fc.record({
  chunk_size: fc.integer({ min: 50, max: 150 }),
  chunk_overlap: fc.integer({ min: 0, max: 200 }),
  min_chunk_length: fc.integer({ min: 0, max: 200 }),
});

/** Settings in reasonable proportion. */
export const chunkings = fc
  .tuple(fc.integer({ min: 80, max: 600 }), fc.double({ min: 0, max: 0.25, noNaN: true }), fc.double({ min: 0, max: 0.25, noNaN: true }))
  .map(([chunk_size, overlap, least]) => ({
    chunk_size,
    chunk_overlap: Math.floor(chunk_size * overlap),
    min_chunk_length: Math.floor(chunk_size * least),
  }));

/** `count` words that differ, in sentences of twelve. */
export const sentences = (count: number, prefix = 'word'): string =>
  Array.from(
    { length: count },
    (_, i) => `${i % 12 === 0 ? 'The ' : ''}${prefix}${String(i).padStart(4, '0')}${i % 12 === 11 ? '.' : ''}`,
  ).join(' ');
