import { describe, expect, it } from 'vitest';
import type { Mark } from '../../src/schema/items.ts';
import type { OperationName, RequestOf } from '../../src/schema/operations.ts';
import { engineIn, modelServer, result, sourcesIn, WORDS } from '../support/engine.ts';
import { folder } from '../support/folder.ts';
import { openSite } from '../support/site.ts';

// Of several entries in a request, one that cannot be processed is an error item: the others are processed as if they were alone.

/** Texts without anything to read. */
const BLANK = ['\u0000\u0001', '\u0007', '\u001b[31m', '\u0002'.repeat(500), '', ' \n\t', '\ufeff', '\u202e\u202c'];
/** Texts that are unusual, but have something to read. */
const UNUSUAL = [
  '\ud800 a',
  '\u200b\u2060',
  'a'.repeat(4_000),
  '---\n---\n',
  '---\na: [\n---\nb',
  '`'.repeat(999),
  '|'.repeat(999),
  '>'.repeat(999),
  '[](\u0000)',
];
const TEXT = 'Doors are locked at ten.';

interface Outcome {
  failed: number;
  errors: unknown[];
}

const oddMarks: Mark[][] = [[{ at: 9_999 }], [{ at: 5 }, { at: 0 }], [{ at: 0, page: -1 }], [{ at: 2 ** 53 - 1, row: 3, line: -7 }]];

describe('one odd entry of a list', () => {
  it('does not keep the other texts from being chunked', async () => {
    const engine = engineIn(folder());
    for (const odd of [...BLANK, ...UNUSUAL]) {
      const markdown = [TEXT, { text: odd, source: 'odd.md' }, { text: 'Bikes stay outside.', source: 'bikes.md' }];
      const { items, inputs, failed, errors } = await result(engine, 'chunk', { markdown });
      const texts = new Set(items.map(({ text }) => text));
      expect.soft([inputs, texts.has(TEXT), texts.has('Bikes stay outside.')], JSON.stringify(odd)).toEqual([3, true, true]);
      expect.soft([failed, errors.length], JSON.stringify(odd)).toEqual(BLANK.includes(odd) ? [1, 1] : [0, 0]);
      if (BLANK.includes(odd)) expect.soft(errors[0]).toMatchObject({ source: 'odd.md', isRetryable: false });
    }
    for (const marks of oddMarks) {
      const { items } = await result(engine, 'chunk', { markdown: [TEXT, { text: `# A\n\n${TEXT}\n`, source: 'odd.md', marks }] });
      expect.soft(items.map(({ source }) => source)).toContain('markdown');
    }
  });

  it('does not keep the other chunks from being embedded, stored and edited', async () => {
    const { settings } = await modelServer({ vector: (text) => [text.length, 1, 0.5] });
    const engine = engineIn(folder(), settings);
    const chunk = { id: 'good', text: TEXT, source: 'doors.md', metadata: {} };
    const embedding = [1, 0, 0];
    const oddChunks = [...BLANK, ...UNUSUAL].flatMap((text) => [
      { ...chunk, id: 'odd', text },
      { ...chunk, id: 'odd', embed_text: text },
      { ...chunk, id: text || 'odd', source: text, metadata: { title: text, [text.slice(0, 200)]: [text] } },
    ]);
    await result(engine, 'store', {
      embedded_chunks: [
        { ...chunk, embedding },
        { ...chunk, id: 'odd', embedding },
      ],
    });
    for (const [i, odd] of oddChunks.entries()) {
      const given = `${i}: ${JSON.stringify(odd).slice(0, 200)}`;
      const embedded = await result(engine, 'embed', { chunks: [odd, chunk] });
      expect
        .soft(
          embedded.items.map(({ id }) => id),
          given,
        )
        .toContain('good');
      const stored = await result(engine, 'store', {
        embedded_chunks: [
          { ...odd, embedding },
          { ...chunk, embedding },
        ],
      });
      expect
        .soft(
          stored.items.map(({ id }) => id),
          given,
        )
        .toContain('good');
      const edited = await result(engine, 'edit', {
        chunks: [
          { ...odd, id: 'odd' },
          { id: 'good', text: `${TEXT} ${i}` },
        ],
      });
      expect
        .soft(
          edited.items.map(({ id }) => id),
          given,
        )
        .toContain('good');
    }
    for (const vector of [[], [1], [0, 0, 0], [1e300, 0, 0], [1e-300, -0, 0], [3e38, 3e38, 3e38], Array.from({ length: 9_999 }, () => 1)]) {
      const stored = await result(engine, 'store', {
        embedded_chunks: [
          { ...chunk, id: 'vector', embedding: vector },
          { ...chunk, embedding },
        ],
      });
      expect
        .soft(
          stored.items.map(({ id }) => id),
          JSON.stringify(vector).slice(0, 50),
        )
        .toContain('good');
    }
  });

  it('does not keep the other sources from being read', async () => {
    const site = await openSite({
      '/': '<main><h1>Ferry</h1><p>It leaves at nine.</p></main>',
      '/a.json': { headers: { 'content-type': 'application/json' }, body: '[{"text":"The pier is closed."}]' },
    });
    const home = folder({ 'docs/a.md': TEXT });
    const engine = engineIn(home, { ...WORDS, network: { allow_private: true } });
    const run = async <Name extends OperationName>(name: Name, request: RequestOf<Name>) =>
      (await result(engine, name, request)) as unknown as Outcome & Record<string, unknown>;
    const names = [
      ...BLANK,
      ...UNUSUAL,
      '/dev/null',
      '/proc/self/mem',
      'docs/a.md/b',
      'http://',
      'http:///a.md',
      'http://[::1',
      'file://host/a.md',
      'C:\\a.md',
      '\\\\host\\a.md',
      '~',
      '**',
      '[',
      '{a,b',
      'docs/\u0000',
    ];
    for (const odd of names) {
      const given = JSON.stringify(odd).slice(0, 60);
      for (const files of [
        [odd, 'docs/a.md'],
        [{ path: odd }, 'docs/a.md'],
      ].filter(() => odd !== ''))
        expect
          .soft((await run('parse', { files })).outputs, `parse ${given}`)
          .toContainEqual(expect.objectContaining({ source: 'docs/a.md' }));
    }
    const addresses = [
      ...BLANK,
      ...UNUSUAL,
      'http://',
      'http://[::1',
      'ftp://a',
      'javascript:alert(1)',
      'http://a b/',
      'http://\u0000/',
      '//',
      'docs/a.md',
      'http://x:99999/',
    ];
    for (const odd of addresses.filter((address) => address !== '')) {
      const given = JSON.stringify(odd).slice(0, 60);
      expect.soft((await run('scrape', { url: [odd, `${site.url}/`] })).pages, `scrape ${given}`).toBeGreaterThanOrEqual(1);
      const fetched = await run('fetch', { apis: [{ url: odd }, { url: `${site.url}/a.json` }] });
      expect.soft(fetched.documents, `fetch ${given}`).toBeGreaterThanOrEqual(1);
    }
    const mixed = {
      docs: ['docs/a.md', '\u0000'],
      urls: [`${site.url}/`, 'http://['],
      api: [{ url: `${site.url}/a.json` }, { url: 'x' }],
      markdown: [TEXT, '\u0007'],
    };
    await run('ingest', mixed);
    expect(await sourcesIn(engine)).toHaveLength(4);
  });
});
