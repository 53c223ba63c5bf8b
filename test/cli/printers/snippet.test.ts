import { describe, expect, it } from 'vitest';
import { snippetOf } from '../../../src/cli/printers/show-hits.ts';

const PASSAGE = `# Filters

The pump has two of them. They are made of steel. The filter is replaced every ninety days. Close the valve before you open the cover.
It is easy.

Used ones go into the red bin. Nothing else does. New ones are in the store, on the shelf behind the door.`;

describe('snippetOf', () => {
  it('is the sentence that has most words of the query and what is around it, and says where the passage goes on', () => {
    expect(snippetOf(PASSAGE, 'How often is the filter replaced?', 40)).toEqual([
      '… They are made of steel. The filter is',
      'replaced every ninety days. Close the',
      'valve before you open the cover. …',
    ]);
  });

  it('takes what stands before a sentence at the end', () => {
    expect(snippetOf(PASSAGE, 'new shelf', 60)).toEqual([
      '… It is easy.',
      'Used ones go into the red bin. Nothing else does. New ones',
      'are in the store, on the shelf behind the door.',
    ]);
  });

  it('is the whole of a short passage without its heading, and its beginning where no word matches', () => {
    expect(snippetOf('# Care\n\nThe filter.\n\nIt is replaced.', 'filter', 40)).toEqual(['The filter.', 'It is replaced.']);
    expect(snippetOf(PASSAGE, 'canteen', 60)[0]).toMatch(/^The pump has two/);
    expect(snippetOf('# Care', 'care', 40)).toEqual(['# Care']);
  });

  it('has three lines at most, of a long sentence those with most words of the query, and cuts rows', () => {
    const long = `${'word '.repeat(60)}the filter is replaced ${'word '.repeat(60)}`.trim();
    const lines = snippetOf(long, 'replace filter', 40);
    expect(lines).toHaveLength(3);
    expect(lines.join(' ')).toContain('the filter is replaced');
    const rows = Array.from({ length: 9 }, (_, i) => `| ${i} | ${i === 6 ? 'filter' : 'pump'} | ${'cell '.repeat(20)}|`).join('\n');
    const table = snippetOf(rows, 'filter', 40);
    expect(table.length).toBeLessThanOrEqual(3);
    expect(table.every((line) => line.length <= 40)).toBe(true);
    expect(table.join('\n')).toContain('filter');
  });
});
