import { describe, expect, it } from 'vitest';
import type { Source } from '../../src/schema/items.ts';
import { annotationsOf } from '../../src/server/openai-routes.ts';

const source = (citation: number, text: string, name = `${citation}.md`): Source => ({
  id: `id-${citation}`,
  title: `Title ${citation}`,
  score: 0.5,
  metadata: { source: name },
  citation,
  cited: true,
  text,
  location: { headings: ['Rules'] },
});

/** What each citation supports, and by whom. */
const supported = (answer: string, sources: Source[]): [string, string][] =>
  annotationsOf({ answer, sources }).map((annotation) => {
    const { start_index, end_index } = annotation.type === 'url_citation' ? annotation.url_citation : annotation.file_citation;
    const name = annotation.type === 'url_citation' ? annotation.url_citation.url : annotation.file_citation.filename;
    return [answer.slice(start_index, end_index), name];
  });

describe('the annotations of an answer', () => {
  it('span a quotation as far as it is in the source, without the heading above it', () => {
    const text =
      '## Periods\n\n| What | Months |\n| --- | --- |\n| Boiler | 60 |\n\nThe boiler has 60 months. An exchange starts no new period.';
    const quoted = '| What | Months |\n| --- | --- |\n| Boiler | 60 |\n\nThe boiler has 60 months. An exchange starts no new period. [1]';
    expect(supported(`**Rules › Periods**\n\n${quoted}`, [source(1, text)])).toEqual([[quoted, '1.md']]);
  });

  it('span the sentence if a model uses its own words', () => {
    const answer = 'It is a kettle. It boils, e.g. for Mr. Smith, in two minutes [1]. Its lid is sold apart [2, 3].';
    expect(supported(answer, [source(1, 'x'), source(2, 'y'), source(3, 'z')])).toEqual([
      ['It boils, e.g. for Mr. Smith, in two minutes [1]', '1.md'],
      ['Its lid is sold apart [2, 3]', '2.md'],
      ['Its lid is sold apart [2, 3]', '3.md'],
    ]);
  });

  it('have one range for adjacent marks', () => {
    expect(supported('Doors are locked [1][2].', [source(1, 'x'), source(2, 'y')]).map(([text]) => text)).toEqual([
      'Doors are locked [1]',
      'Doors are locked [1][2]',
    ]);
  });

  it('name pages by their address, and ignore numbers without a source', () => {
    expect(annotationsOf({ answer: 'Yes [1]. No [7].', sources: [source(1, 'x', 'https://kb.example/a')] })).toEqual([
      { type: 'url_citation', url_citation: { start_index: 0, end_index: 7, url: 'https://kb.example/a', title: 'Title 1' } },
    ]);
    expect(annotationsOf({ answer: '[1]', sources: [source(1, 'x')] })).toMatchObject([
      { file_citation: { start_index: 0, end_index: 3 } },
    ]);
  });
});
