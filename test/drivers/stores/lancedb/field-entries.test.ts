import { describe, expect, it } from 'vitest';
import {
  NUMBER_MARK,
  TEXT_MARK,
  ENTRY_MARK,
  toFieldsText,
  toSortableNumber,
  toTextValue,
} from '../../../../src/drivers/stores/lancedb/field-entries.ts';

const entry = (path: string, value: string) => ENTRY_MARK + path + TEXT_MARK + value + ENTRY_MARK;

describe('toFieldsText', () => {
  it('writes each scalar under its path', () => {
    const text = toFieldsText({
      title: 'One',
      draft: false,
      tags: ['a', 'b'],
      location: { page: 3, headings: ['Care'], page_ratio: 0.7, boxes: [{ page: 3, left: 0.1, top: 0.2, width: 0.5, height: 0.1 }] },
      rows: [{ name: 'x' }, { name: 'y' }],
      none: null,
    });
    for (const [path, value] of [
      ['title', 'One'],
      ['draft', 'false'],
      ['tags', 'a'],
      ['tags', 'b'],
      ['location.page', '3'],
      ['location.headings', 'Care'],
      ['rows.name', 'x'],
      ['rows.name', 'y'],
    ] as const) {
      expect(text).toContain(entry(path, value));
    }
    for (const left of ['none', 'boxes', 'ratio']) expect(text).not.toContain(left);
  });

  it('writes numbers, and texts that are numbers, also in sortable form', () => {
    const text = toFieldsText({ year: 1999, price: '12.50', version: '1.2.3' });
    expect(text).toContain(`year${NUMBER_MARK}${toSortableNumber(1999)}`);
    expect(text).toContain(`price${NUMBER_MARK}${toSortableNumber(12.5)}`);
    expect(text).not.toContain(`version${NUMBER_MARK}`);
  });

  it('writes dates as JSON does', () => {
    expect(toFieldsText({ at: new Date('2024-05-01T10:00:00Z'), bad: new Date(Number.NaN) })).toBe(entry('at', '2024-05-01T10:00:00.000Z'));
  });

  it('keeps a value from looking like another entry', () => {
    expect(toFieldsText({ note: `x${entry('lang', 'en')}` })).not.toContain(entry('lang', 'en'));
  });

  it('writes no entry for empty metadata', () => {
    expect(toFieldsText({})).toBe(ENTRY_MARK + ENTRY_MARK);
  });
});

describe('toTextValue', () => {
  it('distinguishes long texts with the same beginning, and bounds their length', () => {
    const [one, other] = ['a', 'b'].map((end) => toTextValue('x'.repeat(10_000) + end));
    expect(one).not.toBe(other);
    expect(one!.length).toBeLessThan(250);
  });
});
