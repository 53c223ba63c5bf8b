import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  asMarkdown,
  datesIn,
  idIn,
  recordCount,
  recordMarkdown,
  recordsIn,
  titleIn,
  valueAt,
} from '../../../../src/stages/extract/api/records.ts';

test('a path leads through objects and lists, but not to inherited properties', () => {
  expect(valueAt({ data: { items: [{ a: 1 }] } }, 'data.items.0.a')).toBe(1);
  expect(valueAt({ data: null }, 'data.items')).toBeUndefined();
  expect(valueAt({}, 'constructor.name')).toBeUndefined();
});

test('a path prefers a key with dots to nested keys', () => {
  const answer = { '@odata.nextLink': 'x', 'a.b': 1, a: { b: 2, c: 3 }, d: { 'e.f': [{ g: 4 }] } };
  expect(['@odata.nextLink', 'a.b', 'a.c', 'd.e.f.0.g', 'd.e'].map((path) => valueAt(answer, path))).toEqual(['x', 1, 3, 4, undefined]);
});

test('records are the list or the single object at the path, or a response that is a list', () => {
  expect(recordsIn({ data: [1, 2] }, 'data')).toEqual([1, 2]);
  expect(recordsIn({ data: { id: 1 } }, 'data')).toEqual([{ id: 1 }]);
  expect(recordsIn([1], undefined)).toEqual([1]);
  expect(recordsIn({ data: [1] }, undefined)).toBeUndefined();
});

test.each([
  [[], undefined, 0],
  [[1, 2], undefined, 2],
  [{ items: [], total: 9 }, undefined, 0],
  [{ items: [1], errors: [] }, undefined, undefined],
  [{ name: 'Aqua' }, undefined, undefined],
  [{ items: null }, 'items', 0],
])('%j has, at %s, %s records', (value, path, count) => {
  expect(recordCount(value, path)).toBe(count);
});

test('a record gets its title from its title or name, and its source from its id', () => {
  expect(titleIn({ id: 1, name: 'Aqua', title: ' Manual ' })).toBe('Manual');
  expect(titleIn({ title: 'two\nlines', subject: 'Leak' })).toBe('Leak');
  expect(titleIn('text')).toBeUndefined();
  expect(idIn({ uuid: 'a-b' })).toBe('a-b');
  expect(idIn({ id: 0 })).toBe('0');
  expect(idIn({ id: null })).toBeUndefined();
});

test('a record gets its title from title_field if it exists', () => {
  expect(titleIn({ name: 'n', title: { rendered: 'T' } }, 'title.rendered')).toBe('T');
  expect(titleIn({ name: 'n' }, 'title.rendered')).toBe('n');
  expect(titleIn({ Name: 'In capitals' })).toBe('In capitals');
  for (const holder of ['attributes', 'properties', 'fields']) expect(titleIn({ id: '1', [holder]: { Name: 'Hut' } })).toBe('Hut');
  expect(titleIn({ title: 'Own', attributes: { title: 'Held' } })).toBe('Own');
  expect(recordMarkdown({ attributes: { title: 'Hut', height: 9 } }, 1)).toBe('# Hut\n\n- attributes:\n  - height: 9');
});

test('finds title and id of an XML record whose fields have attributes', () => {
  const item = { guid: { isPermaLink: 'false', text: 'g1' }, title: { type: 'html', text: 'Hut opens' }, n: '1' };
  expect([titleIn(item), idIn(item)]).toEqual(['Hut opens', 'g1']);
  expect(recordMarkdown(item, 1)).toBe('# Hut opens\n\n- guid:\n  - isPermaLink: false\n  - text: g1\n- n: 1');
  expect(titleIn({ title: { text: 'x', parts: [] } })).toBeUndefined();
});

test('removes credentials from an address used as id, and the query from a signed one', () => {
  expect(idIn({ url: 'https://s3.example/a.pdf?X-Amz-Date=20260301&X-Amz-Signature=SECRET' })).toBe('https://s3.example/a.pdf');
  expect(idIn({ url: 'https://blob.example/a?sv=2026&se=2027&sig=SECRET' })).toBe('https://blob.example/a');
  expect(idIn({ link: 'https://x.example/?id=4&token=SECRET' })).toBe('https://x.example/?id=4');
  expect(idIn({ id: 'a?sig=b' })).toBe('a?sig=b');
});

test('finds the dates of creation and modification of a record', () => {
  expect(datesIn({ created_at: '2026-03-01T10:00:00+01:00', Updated: '2 Mar 2026 00:00 GMT' })).toEqual({
    created: '2026-03-01T09:00:00.000Z',
    modified: '2026-03-02T00:00:00.000Z',
  });
  expect(datesIn({ created_at: 1772352000, date: 'soon', published: '' })).toEqual({});
  expect(datesIn({ created: '2026-03-01 10:00', modified: 'May 3, 2026' })).toEqual({
    created: '2026-03-01T10:00:00.000Z',
    modified: '2026-05-03',
  });
  for (const date of ['03/04/2024', 'Version 2024', 'circa 1999', '2024', 'v2.0 (2023)']) expect(datesIn({ date }), date).toEqual({});
});

describe('recordMarkdown', () => {
  test('writes the title as heading, short fields as a list, long texts as sections', () => {
    const record = {
      id: 7,
      title: 'Leak',
      open: false,
      tags: ['pump', 'seal'],
      none: null,
      empty: [],
      body: 'First line.\n\nSecond line.',
    };
    expect(recordMarkdown(record, 1)).toBe(
      '# Leak\n\n- id: 7\n- open: false\n- tags: pump, seal\n\n## body\n\nFirst line.\n\nSecond line.',
    );
  });

  test('indents nested values', () => {
    const record = {
      maker: { name: 'Aqua', place: { city: 'Bonn' } },
      parts: [
        { number: 'P-1', label: 'Pump' },
        { number: 'H-2', sizes: [1, 2] },
      ],
    };
    expect(recordMarkdown(record, 1).split('\n')).toEqual([
      '- maker:',
      '  - name: Aqua',
      '  - place:',
      '    - city: Bonn',
      '- parts:',
      '  - number: P-1; label: Pump',
      '  - 2:',
      '    - number: H-2',
      '    - sizes: 1, 2',
    ]);
  });

  test('writes the title of title_field once', () => {
    expect(recordMarkdown({ id: 1, title: { rendered: 'Leak' }, n: 2 }, 1, 'title.rendered')).toBe('# Leak\n\n- id: 1\n- n: 2');
    expect(asMarkdown([{ question: 'Why?', short: 'W', n: 1 }], 'short')).toBe('## W\n\n- question: Why?\n- n: 1');
  });

  test('writes nested long texts as sections, with their headings below', () => {
    const record = { title: 'Post', content: { rendered: '# Top\n\ntext\n\n```sh\n# comment\n```\n\n## Sub', locked: false } };
    expect(recordMarkdown(record, 1)).toBe(
      '# Post\n\n- content:\n  - locked: false\n\n## content.rendered\n\n### Top\n\ntext\n\n```sh\n# comment\n```\n\n#### Sub',
    );
  });

  test('drops the title field, but no field with a similar name', () => {
    const record = { 'a.b': 'Dotted', a: { b: 'Nested', c: 1 } };
    expect(recordMarkdown(record, 1, 'a.b')).toBe('# Dotted\n\n- a:\n  - b: Nested\n  - c: 1');
  });

  test('writes names of fields on one line', () => {
    expect(recordMarkdown({ 'a\n# b': 1, 'c\nd': 'x\ny', e: [{ 'f\n- g': 2 }] }, 1)).toBe(
      '- a # b: 1\n- e:\n  - f - g: 2\n\n## c d\n\nx\ny',
    );
  });

  test('closes code that a field leaves open', () => {
    const text = recordMarkdown({ title: 'T', log: 'See:\n~~~~\n# E42', after: 'Reset it.\n# Then\nwait.' }, 1);
    expect(text).toBe('# T\n\n## log\n\nSee:\n~~~~\n# E42\n~~~~\n\n## after\n\nReset it.\n### Then\nwait.');
  });

  test('omits base64 data, but no words', () => {
    const bytes = Buffer.from(Array.from({ length: 600 }, (_, i) => (i * 89) % 251)).toString('base64');
    const lines = bytes.replace(/.{76}/g, '$&\n');
    const kept = { hash: 'a1'.repeat(200), words: 'ab Cd 7 '.repeat(60).trim(), short: bytes.slice(0, 100) };
    const text = recordMarkdown({ title: 'T', image: 'data:image/png;base64,AAAA', list: [bytes], file: bytes, mail: lines, ...kept }, 1);
    expect(text).not.toMatch(/image|list|file|mail/);
    for (const value of Object.values(kept)) expect(text).toContain(value);
  });

  test('omits empty values at any depth', () => {
    expect(recordMarkdown({ a: ' ', b: { c: null, d: [] }, e: [null, '', { f: '' }, 'g'], h: 0, i: false }, 1)).toBe(
      '- e:\n  - g\n- h: 0\n- i: false',
    );
  });

  test('writes a section for each record of a list', () => {
    expect(asMarkdown([{ title: 'A', n: 1 }, { id: 9, n: 2 }, { n: 3 }])).toBe(
      '## A\n\n- n: 1\n\n## Record 9\n\n- id: 9\n- n: 2\n\n## Record 3\n\n- n: 3',
    );
    expect(asMarkdown(['a', 2])).toBe('- a\n- 2');
    expect(asMarkdown('a text')).toBe('a text');
  });

  test('loses no word and no number of any response', () => {
    const word = fc.string({ unit: fc.constantFrom('a', 'b', 'c', 'ü', '7'), minLength: 1, maxLength: 8 });
    const { value } = fc.letrec((tie) => ({
      value: fc.oneof(
        { maxDepth: 6 },
        word,
        fc.integer(),
        fc.boolean(),
        fc.array(tie('value'), { maxLength: 4 }),
        fc.dictionary(word, tie('value'), { maxKeys: 4 }),
      ),
    }));
    const leaves = (at: unknown): string[] => (typeof at === 'object' && at !== null ? Object.values(at).flatMap(leaves) : [String(at)]);
    fc.assert(
      fc.property(value, (answer) => {
        const text = asMarkdown(answer);
        for (const leaf of leaves(answer)) expect(text).toContain(leaf);
      }),
    );
  });
});

test('writes a text of very many lines as a section', () => {
  const text = recordMarkdown({ title: 'Log', body: `# Start\n${'line\n'.repeat(200_000)}` }, 1);
  expect(text.startsWith('# Log\n\n## body\n\n### Start\nline\n')).toBe(true);
});

// with the text copied for each heading, this would take minutes
test('lowers a hundred thousand headings of one text', () => {
  const text = recordMarkdown({ title: 'Log', content: '# a\n\n'.repeat(100_000) }, 1);
  expect([text.match(/^### a$/gm)?.length, text.slice(0, 30)]).toEqual([100_000, '# Log\n\n## content\n\n### a\n\n### ']);
});
