import { describe, expect, it } from 'vitest';
import type { Location } from '../../../src/schema/items.ts';
import { chunkDocument } from '../../../src/stages/chunk/chunk.ts';
import { joinChunks } from '../../../src/stages/chunk/join-chunks.ts';
import { documentOf, sentences } from './markdown.ts';

const defaults = { chunk_size: 400, chunk_overlap: 0, min_chunk_length: 100 };
const cut = (text: string, settings: Partial<typeof defaults> = {}, title = 'Manual') =>
  chunkDocument(documentOf(text, { title }), { ...defaults, ...settings });
const texts = (text: string, settings: Partial<typeof defaults> = {}) => cut(text, settings).map((chunk) => chunk.text);
const headingsOf = (metadata: Record<string, unknown>) => (metadata.location as Location).headings;

const long = (name: string) => `${sentences(24, name)}`;
const handbook = (parts: string[]) => `# Handbook\n\n${parts.map((name) => `## ${name}\n\n${long(name)}\n`).join('\n')}`;

describe('a chunk', () => {
  it('has text, text for the embedder, source, metadata and headings', () => {
    const [chunk] = cut(`# Manual\n\n## Care\n\n### Replacing the filter\n\n${long('filter')}\n`);
    expect(chunk!.text).toBe(`# Manual\n\n## Care\n\n### Replacing the filter\n\n${long('filter')}`);
    expect(chunk!.embed_text).toBe(`Manual > Care > Replacing the filter\n\n${long('filter')}`);
    expect(chunk!.source).toBe('manual.md');
    expect(chunk!.metadata).toEqual({
      source_kind: 'path',
      author: 'Ida',
      title: 'Manual',
      location: { headings: ['Manual', 'Care', 'Replacing the filter'], line_start: 1, line_end: 7, offset: 0 },
    });
  });

  it('is not made of white space', () => {
    for (const text of ['', ' \n\t\n', '\u00a0\n']) expect(cut(text)).toEqual([]);
  });

  it('has Unix line ends', () => {
    expect(texts('# A\r\n\r\nOne\r\ntwo\r\n')).toEqual(['# A\n\nOne\ntwo']);
  });
});

describe('sections', () => {
  it('are separate chunks if they are long enough, whatever room is left', () => {
    expect(cut(handbook(['Keys', 'Waste', 'Doors']), { chunk_size: 1000 }).map(({ metadata }) => headingsOf(metadata)?.at(-1))).toEqual([
      'Keys',
      'Waste',
      'Doors',
    ]);
  });

  it('join the section before with their heading if they are short', () => {
    expect(texts(`# Guide\n\n${long('word')}\n\n## End\n\nTail.\n`)).toEqual([`# Guide\n\n${long('word')}\n\n## End\n\nTail.`]);
  });

  it('join the section after at the beginning of the document, which keeps its location and id', () => {
    const [alone] = cut(`## Keys\n\n${long('key')}`);
    const [joined] = cut(`Read me.\n\n## Keys\n\n${long('key')}`);
    expect(joined!.text).toBe(`Read me.\n\n## Keys\n\n${long('key')}`);
    expect(joined!.id).toBe(alone!.id);
    expect(headingsOf(joined!.metadata)).toEqual(['Keys']);
  });

  it('form a chunk together if they are long enough together', () => {
    const short = (name: string) => `## ${name}\n\nThe ${name} hangs on the wall behind the door.\n\n`;
    const chunks = texts(`## A\n\n${long('a')}\n\n${['key', 'lamp', 'coat', 'hat'].map(short).join('')}## B\n\n${long('b')}`);
    expect(chunks.map((text) => text.match(/## \w+/g))).toEqual([['## A'], ['## key', '## lamp'], ['## coat', '## hat'], ['## B']]);
  });

  it('are split with the section before so that no piece is short', () => {
    const chunks = texts(`## A\n\n${sentences(40)}\n\n## B\n\nTail of the text.`);
    expect(chunks.length).toBe(2);
    for (const chunk of chunks) expect(chunk.length).toBeLessThanOrEqual(400);
    expect(chunks[1]!.length).toBeGreaterThanOrEqual(100);
    expect(chunks[1]!).toMatch(/\n\n## B\n\nTail of the text\.$/);
  });

  it('without text join the section after, and the last one the section before', () => {
    const chunks = texts(`## A\n\n${long('a')}\n\n# Part two\n\n## B\n\n${long('b')}\n\n# End\n`);
    expect(chunks).toEqual([`## A\n\n${long('a')}`, `# Part two\n\n## B\n\n${long('b')}\n\n# End`]);
  });

  it('are kept as the only chunk of a document, however short', () => {
    expect(texts('Hi.')).toEqual(['Hi.']);
    expect(texts('# Title\n')).toEqual(['# Title']);
    expect(cut('# Manual\n')[0]!.embed_text).toBe('Manual');
  });
});

describe('long sections', () => {
  it('are split between blocks, else after sentences', () => {
    const [one, two] = [sentences(24, 'one'), sentences(24, 'two')];
    expect(texts(`# A\n\n${one}\n\n${two}`)).toEqual([`# A\n\n${one}`, two]);
    for (const text of texts(sentences(204))) expect(text.startsWith('The word') && text.endsWith('.')).toBe(true);
  });

  it('do not end a chunk with the introduction of a list', () => {
    const items = Array.from({ length: 8 }, (_, i) => `- item number ${i} of the list of things`).join('\n');
    const chunks = texts(`${sentences(20)}.\n\nThese are the parts:\n\n${items}`, { chunk_size: 300, min_chunk_length: 40 });
    expect(chunks.some((text) => text.endsWith(':'))).toBe(false);
  });

  it('split lists before items, outer ones first', () => {
    const items = Array.from(
      { length: 12 },
      (_, i) => `- item ${i} of the list\n  1. with one part that is below it\n  2. with another part below it`,
    );
    const chunks = texts(items.join('\n'), { min_chunk_length: 50 });
    expect(chunks.length).toBeGreaterThan(2);
    for (const text of chunks) expect(text.startsWith('- item')).toBe(true);
  });

  it('keep the indentation of a continued item', () => {
    const item = `1. Run this:\n\n   \`\`\`sh\n   run\n   \`\`\`\n\n   ${sentences(36, 'later')}`;
    const [first, second] = texts(`${sentences(12)}\n\n${item}`, { min_chunk_length: 50 });
    expect(first!.endsWith('   ```')).toBe(true);
    expect(second!.startsWith('   The later0000')).toBe(true);
  });

  it('do not end with a short chunk', () => {
    for (let count = 30; count < 120; count++) for (const text of texts(sentences(count))) expect(text.length).toBeGreaterThanOrEqual(100);
  });

  it('are split inside a word that is longer than a chunk, without losing a letter', () => {
    expect(texts('x'.repeat(2500)).join('')).toBe('x'.repeat(2500));
  });
});

describe('tables', () => {
  const rows = Array.from({ length: 60 }, (_, i) => `| P-${1000 + i} | Gasket number ${i} | ${i}.50 |`);
  const header = '| Part | Description | Price |\n|---|---|---|';

  it('are continued under their header in whole rows', () => {
    const chunks = texts(`# Parts\n\n${header}\n${rows.join('\n')}\n\nAfter the table.`);
    expect(chunks.length).toBeGreaterThan(5);
    for (const text of chunks.slice(1)) expect(text.startsWith(`${header}\n| P-`)).toBe(true);
    expect(chunks.flatMap((text) => text.split('\n').filter((line) => line.startsWith('| P-')))).toEqual(rows);
    for (const text of chunks) expect(text.length).toBeLessThanOrEqual(400);
  });

  it('keep a row in one chunk if it fits without its header', () => {
    const big = `| P-1 | ${'words '.repeat(62).trim()} | 1 |`;
    const chunks = texts(`${header}\n${rows.slice(0, 3).join('\n')}\n${big}\n${rows.slice(3, 6).join('\n')}`);
    expect(chunks.some((text) => text === `${header}\n${big}`)).toBe(true);
  });

  it('split a row that is longer than a chunk as text', () => {
    const chunks = texts(`${header}\n| P-1 | ${sentences(120)} | 1 |`);
    expect(chunks.length).toBeGreaterThan(3);
    for (const text of chunks.slice(1)) expect(text.startsWith(`${header}\n| P-1 | `)).toBe(true);
    expect(chunks.join(' ').match(/word\d{4}/g)).toEqual(Array.from({ length: 120 }, (_, i) => `word${String(i).padStart(4, '0')}`));
  });

  it('keep the parts of a cell in its column, behind the first cell of its row', () => {
    const row = (first: string, last: string) => texts(`${header}\n| ${first} | new | ${last} |\n| P-2 | old | ${last} |`);
    const chunks = row('a \\| b', sentences(200)).slice(1);
    const at = chunks.findIndex((text) => text.includes('P-2'));
    expect(at).toBeGreaterThan(1);
    for (const text of chunks.slice(0, at)) expect(text.startsWith(`${header}\n| a \\| b |  | `), text).toBe(true);
    for (const text of chunks.slice(at + 1)) expect(text.startsWith(`${header}\n| P-2 |  | `), text).toBe(true);
    expect(row(sentences(80), 'x').filter((text) => text.split('word0000').length > 2)).toEqual([]);
  });

  it('do not repeat a header that would fill half of a chunk', () => {
    const wide = `| ${'column '.repeat(40)} |\n|---|`;
    expect(texts(`${wide}\n${rows.join('\n')}`).filter((text) => text.includes('column')).length).toBe(1);
  });
});

describe('code', () => {
  const lines = Array.from({ length: 40 }, (_, i) => `${'  '.repeat(i % 3)}const value${i} = "Stop. Now.";`);

  it('stays in one chunk if it fits, even if the chunk becomes a little longer', () => {
    const code = `\`\`\`js\n${lines.slice(0, 12).join('\n')}\n\`\`\``;
    expect(code.length).toBeGreaterThan(360);
    expect(texts(`Run this:\n\n${code}\n\n${long('after')}`)[0]).toBe(`Run this:\n\n${code}`);
  });

  it('is split after lines if it is too long, with fences and indentation in each part', () => {
    const chunks = texts(`# Code\n\n\`\`\`\`js\n${lines.join('\n')}\n\`\`\`\`\n`);
    expect(chunks.length).toBeGreaterThan(2);
    for (const text of chunks) {
      expect(text).toMatch(/(^|\n)````js\n[^]*\n````$/);
      expect(text.length).toBeLessThanOrEqual(400);
    }
    expect(chunks.flatMap((text) => text.split('\n').filter((line) => line.includes('const')))).toEqual(lines);
  });
});

describe('the introduction of a table, a list or code', () => {
  const many = (line: (i: number) => string) => Array.from({ length: 30 }, (_, i) => line(i)).join('\n');
  const table = `| Part | Price |\n|---|---|\n${many((i) => `| Gasket number ${i} | ${i}.50 |`)}`;
  const list = many((i) => `- part ${i}, which is cleaned every week`);
  const fence = `\`\`\`js\n${many((i) => `const value${i} = compute(${i});`)}\n\`\`\``;

  it.each([
    ['the caption of a table', 'Table 3: prices of gaskets.', table, '| Part | Price |'],
    ['a short line above a table', 'Prices of gaskets', table, '| Part | Price |'],
    ['the line that leads to a list', 'Clean these parts:', list, '- part'],
    ['the line that leads to code', 'Run this:', fence, '```js'],
  ])('is repeated above each part: %s', (_what, lead, block, begin) => {
    const chunks = cut(`# Care\n\n${lead}\n\n${block}`);
    expect(chunks.length).toBeGreaterThan(2);
    for (const { text } of chunks.slice(1)) {
      expect(text.startsWith(`${lead}\n\n${begin}`)).toBe(true);
      expect(text.length).toBeLessThanOrEqual(400);
    }
    expect(joinChunks(chunks.map(({ text, metadata }) => ({ text, location: metadata.location as Location }))).text).toBe(
      `# Care\n\n${lead}\n\n${block}`,
    );
  });

  it('is not repeated if it is a sentence, or long', () => {
    const repeated = (lead: string, block: string) => texts(`${lead}\n\n${block}`).filter((text) => text.includes(lead)).length;
    expect(repeated('These are cleaned.', list)).toBe(1);
    expect(repeated('They are sold.', table)).toBe(1);
    expect(repeated(`${'All of these '.repeat(10)}are cleaned:`, list)).toBe(1);
  });
});

describe('overlap', () => {
  it('repeats whole sentences from the end of the chunk before, within chunk_size', () => {
    const chunks = texts(`# A\n\n${sentences(200)}`, { chunk_overlap: 150 });
    expect(chunks.length).toBeGreaterThan(5);
    for (const [i, text] of chunks.slice(1).entries()) {
      const repeated = text.slice(0, text.indexOf('.') + 1);
      expect(repeated.startsWith('The word')).toBe(true);
      expect(chunks[i]!.endsWith(repeated)).toBe(true);
      expect(text.length).toBeLessThanOrEqual(400);
    }
  });

  it('repeats whole words if no sentence is short enough', () => {
    const chunks = texts(sentences(200), { chunk_overlap: 40 });
    for (const [i, text] of chunks.slice(1).entries()) expect(chunks[i]!).toContain(` ${/^word\d{4}/.exec(text)![0]}`);
  });

  it('is empty after another section, a table or code', () => {
    const rows = Array.from({ length: 40 }, (_, i) => `| row${i} | of the table |`).join('\n');
    const code = Array.from({ length: 40 }, (_, i) => `code${i}();`).join('\n');
    const text = `${handbook(['Keys', 'Waste'])}\n## Table\n\n| A | B |\n|---|---|\n${rows}\n\n## Code\n\n\`\`\`\n${code}\n\`\`\`\n`;
    const all = texts(text, { chunk_overlap: 150 })
      .join('\n')
      .match(/\b(Keys|Waste|row|code)\d+/g)!;
    expect(new Set(all).size).toBe(all.length);
  });
});

describe('ids', () => {
  const names = ['Keys', 'Waste', 'Visitors', 'Deliveries'];
  const idsOf = (text: string) => new Map(cut(text).map(({ id, text: passage }) => [/(\w+?)0000/.exec(passage)![1]!, id]));

  it('stay the same if another section is inserted, removed, edited or moved', () => {
    const before = idsOf(handbook(names));
    for (const text of [
      handbook(['Welcome', ...names]),
      handbook(names.filter((name) => name !== 'Waste')),
      handbook(names.toReversed()),
      handbook(names).replace('## Waste\n\n', '## Waste\n\nAll of this is new. '),
      handbook(names).replace('# Handbook\n\n', '# Handbook\n\nA short word before.\n\n'),
      handbook(names).replace('## Waste\n\n', `## Lamp\n\nA short section.\n\n## Waste\n\n`),
    ]) {
      const after = idsOf(text);
      for (const name of ['Keys', 'Visitors', 'Deliveries']) expect([name, after.get(name)]).toEqual([name, before.get(name)]);
    }
  });

  it('differ between sections of the same name and between documents', () => {
    const chunks = cut(`# Notes\n\n${long('a')}\n\n# Notes\n\n${long('b')}\n\n# Notes\n\n${long('c')}`);
    const elsewhere = chunkDocument({ ...documentOf(`# Notes\n\n${long('a')}`), id: 'other' }, defaults);
    expect(new Set([...chunks, ...elsewhere].map(({ id }) => id)).size).toBe(4);
  });

  it('are numbered within long sections', () => {
    const before = cut(`# A\n\n${sentences(100)}\n\n# B\n\n${sentences(100)}`).filter(({ metadata }) => headingsOf(metadata)?.[0] === 'B');
    const after = cut(`# A\n\n${sentences(300)}\n\n# B\n\n${sentences(100)}`).filter(({ metadata }) => headingsOf(metadata)?.[0] === 'B');
    expect(before.length).toBeGreaterThan(1);
    expect(after.map(({ id }) => id)).toEqual(before.map(({ id }) => id));
  });
});

it('contradictory settings give chunks within their size', () => {
  const text = `${handbook(['Keys', 'Waste'])}\n\n${sentences(100)}`;
  for (const settings of [
    { chunk_size: 50, chunk_overlap: 50_000, min_chunk_length: 50_000 },
    { chunk_size: 100_000, chunk_overlap: 0, min_chunk_length: 0 },
  ]) {
    const chunks = texts(text, settings);
    expect(chunks.length).toBeGreaterThan(0);
    for (const chunk of chunks) expect(chunk.length).toBeLessThanOrEqual(settings.chunk_size);
  }
});
