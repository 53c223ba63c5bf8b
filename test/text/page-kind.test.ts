import { describe, expect, it } from 'vitest';
import { pageKindOf, passageKindOf } from '../../src/text/page-kind.ts';
import { chunkDocument } from '../../src/stages/chunk/chunk.ts';
import { toDocument } from '../../src/stages/extract/document.ts';

const SIZES = { chunk_size: 1200, chunk_overlap: 150, min_chunk_length: 200 };
const links = (...names: string[]): string => names.map((name) => `- [${name}](${name}.html)`).join('\n');
const tank = ['Pump', 'Tank', 'Valve', 'Hose', 'Lamp', 'Head'];

describe('the kind of a page', () => {
  it.each([
    ['contents', 'Documentation', `# Documentation\n\n## Parts\n\n${links(...tank)}`],
    ['contents', 'Manual', `100\n1 Pump … 1\n1.1 Start … 2\n\nTables\n\n3 Valve\n3.1 Lid … 9\n3.2 Hose … 9`],
    ['contents', 'Manual', `# Contents\n\n1 Pump … 1\n1.1 Start … 2\n1.2 Stop … 2\n2 Tank … iv\n3 Valve … 9`],
    ['index', 'Index – A', `# Index\n\n${links(...tank)}`],
    ['index', 'Contributors', `# Contributors\n\n${tank.map((name) => `${name} Smith`).join('\n\n')}`],
    [
      'index',
      'Manual',
      ['axes, 3, 7', 'bars, 12–14', 'color, 2', 'data, 5, 6', 'error, 8', 'fit, 9', 'grid, 4', 'help, 1', 'key, 2', 'plot, 6'].join('\n'),
    ],
    ['changelog', 'CHANGELOG', '# Fixed\n\nIt leaked.'],
    ['changelog', 'E.21. Release 15', '## E.21. Release 15\n\n### Overview\n\nMuch is new.'],
    ['outdated', 'Pump 1.0', 'You are reading an old version of this documentation.\n\n# Pump\n\nIt lifts water.'],
    ['outdated', 'Pump 1.0', '**Deprecated:** this page is for version 1.0, which is no longer supported.\n\n# Pump'],
    ['changelog', "What's New In Pump 2.4", '# New\n\nMuch.'],
    [
      'changelog',
      'pump',
      `# pump\n\n${['2.1.0 (2024-03-05)', 'v2.0.1', '[2.0.0] - 2023-01-01', '1.9', 'Unreleased'].map((version) => `## ${version}\n\nFixed.`).join('\n\n')}`,
    ],
  ])('is %s for %s', (kind, title, text) => {
    expect(pageKindOf(text, title)).toBe(kind);
  });

  it.each([
    ['pump and libpump, version 1.0.8', '# pump\n\nIt lifts water.'],
    ['Changing the valve', '# Changing the valve\n\nClose it first.'],
    ['Pump 2.4 manual', '# Pump\n\n## 2.1. Start\n\nPress it.\n\n## 2.2. Stop\n\nPress it again.'],
    [
      'Pump',
      `# Pump\n\nThe [pump](p.html) lifts [water](w.html) from the [tank](t.html) to the [head](h.html) with [a hose](o.html), and stops by itself.`,
    ],
    ['Prices', 'A, 3\n\nB, 5'],
    ['open()', '# open()\n\n**Deprecated:** use `start()` instead.'],
    ['Valves', '# Valves\n\nThe old version of the valve has two screws. Valves of 1990 are no longer supported.'],
    ['Glossary', '**Pump**\n\nLifts water.\n\n**Tank**\n\nHolds it.'],
    ['', ''],
  ])('is undefined for content: %s', (title, text) => {
    expect(pageKindOf(text, title)).toBeUndefined();
  });
});

describe('the kind of a passage', () => {
  it('is detected by its heading and its lines', () => {
    expect(passageKindOf(`## Table of contents\n\n${links(...tank)}`, ['Pump', 'Table of contents'])).toBe('contents');
    expect(passageKindOf('Fixed a leak.', ['Pump', 'Changelog'])).toBe('changelog');
    expect(passageKindOf('Fixed a leak.', ['Pump', 'Changelog', 'v1.2.3'])).toBe('changelog');
    expect(passageKindOf('Ann\nBob\nCleo', ['Pump', 'Contributors'])).toBe('index');
    expect(passageKindOf('Close it first.', ['Pump', 'Changelog', 'Upgrading'])).toBeUndefined();
  });

  it('is undefined for a list of features although most lines are links', () => {
    const features = `#### Summary

- [Full-featured](full.html)
- [Billions of installations](most.html)
- [Single-file store](one.html)
- All its source is in one file ([pump.c](all.html))
- Max tank size: [281 litres](limits.html) (2^48 drops)
- Max hose length: [1 kilometre](limits.html)
- [Zero configuration](zero.html)`;
    expect(passageKindOf(features, ['About Pump', 'Summary'])).toBeUndefined();
    expect(passageKindOf(`## Commands\n\nAll of them:\n\n${links(...tank, 'Start', 'Stop')}`, ['Pump', 'Commands'])).toBe('contents');
  });
});

describe('a document', () => {
  const provenance = { source: 'a.md', source_kind: 'path', file_type: 'markdown', content_hash: 'h' } as const;
  const kinds = (text: string, metadata = {}) =>
    chunkDocument(toDocument({ text, title: 'Pump', metadata }, provenance), SIZES).map((chunk) => chunk.metadata.page_kind);

  it('gives its kind to its chunks, unless its metadata has one', () => {
    expect(kinds(`# Pump\n\n${links(...tank)}`)).toEqual(['contents']);
    expect(kinds(`# Pump\n\n${links(...tank)}`, { page_kind: 'guide' })).toEqual(['guide']);
  });

  it('has chunks of different kinds if it mixes them', () => {
    const prose = 'The pump lifts water from a tank to a head, and needs no oil for that at all. '.repeat(8);
    expect(
      kinds(
        `# Pump\n\n${prose}\n\n## Table of contents\n\n${links(...tank, ...tank.map((name) => `Repair of the ${name}`))}\n\n## Use\n\n${prose}`,
      ),
    ).toEqual([undefined, 'contents', undefined]);
  });
});
