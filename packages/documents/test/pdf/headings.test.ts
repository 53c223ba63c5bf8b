import { describe, expect, it } from 'vitest';
import { headingLevels, titleOnFirstPage } from '../../src/pdf/headings.ts';
import type { PdfLine } from '../../src/pdf/lines.ts';
import type { OutlineEntry } from '../../src/pdf/file.ts';

/** Lines of a page from top to bottom, 20 points apart: the first stands at 700. */
const pageOf = (...lines: (string | [text: string, size: number])[]): PdfLine[] =>
  lines.map((line, i) => {
    const [text, size] = typeof line === 'string' ? [line, 10] : line;
    return { text, size, x: 72, right: 300, y: 700 - 20 * i, cells: [{ text, x: 72, right: 300 }], runs: [] };
  });
const entry = (title: string, level: number, page: number, top?: number): OutlineEntry => ({ title, level, page, top });
const levels = (pages: PdfLine[][], outline: OutlineEntry[]) => {
  const levelOf = headingLevels(pages, outline);
  return pages.map((lines) => lines.map((line) => levelOf(line)));
};

describe('the headings of a document without an outline', () => {
  it('include several numbered lines, but not entries of the table of contents', () => {
    const page = pageOf(
      ['Aqua 300', 20],
      '2.1 Descaling',
      'Once a month.',
      '2.1.1 With acid',
      'Wear gloves.',
      '1.2 Contents of the box 7',
      '1.5 l of it',
    );
    expect(levels([page], [])).toEqual([[1, 2, undefined, 3, undefined, undefined, undefined]]);
  });
});

describe('the headings of an outline', () => {
  it('are found on the page of the entry, not at equal lines elsewhere', () => {
    const pages = [
      pageOf('Contents', 'Exit Status', 'Signals'),
      pageOf('exit status', 'A number.'),
      pageOf('Exit Status', 'Signals', 'End'),
    ];
    const outline = [entry('Exit Status', 1, 2), entry('Signals', 2, 2), entry('End', 1, 2)];
    expect(levels(pages, outline)).toEqual([
      [undefined, undefined, undefined],
      [undefined, undefined],
      [1, 2, 1],
    ]);
  });

  it('are the nearest lines below the destinations if a title occurs several times', () => {
    const page = pageOf('Syntax', 'Logscale', 'Syntax', 'Text', 'Syntax', 'Words');
    const outline = [entry('Logscale', 2, 0, 690), entry('Syntax', 3, 0, 668), entry('Syntax', 3, 0, 635)];
    expect(levels([page], outline)).toEqual([[undefined, 2, 3, undefined, 3, undefined]]);
  });

  it('match with or without numbers, and across wrapped lines', () => {
    const page = pageOf(
      '3.1 Shell Syntax',
      'Words',
      'Chapter 4 Commands',
      'Differences From',
      'The Other Shell',
      '8.8 A Completion',
      'Example',
    );
    const outline = [
      entry('Shell Syntax', 2, 0),
      entry('4 Commands', 1, 0),
      entry('B Differences From The Other Shell', 1, 0),
      entry('A Completion Example', 2, 0),
    ];
    expect(levels([page], outline)).toEqual([[2, undefined, 1, 1, 1, 2, 2]]);
  });

  it('are not equal lines in smaller letters if the entry names only a page', () => {
    const page = pageOf('Plotting', ['Plotting', 16], ['Syntax', 16], ['Angles', 14], 'Syntax:');
    expect(levels([page], [entry('Plotting', 1, 0), entry('Syntax', 1, 0), entry('Angles', 2, 0)])).toEqual([
      [undefined, 1, 1, 2, undefined],
    ]);
  });

  it('take linear time for any number of entries on a page', () => {
    let looks = 0;
    const lines = pageOf(...Array.from({ length: 300 }, () => 'Shelf of')).map((line) => ({ ...line, get text() { return (looks++, 'Shelf of'); } })); // prettier-ignore
    const outline = Array.from({ length: 500 }, (_, i) => entry(`Shelf of shelf of shelf of ${i}`, 1, 0));
    headingLevels([lines], outline);
    expect(looks).toBeLessThan(10 * lines.length);
  });

  it('are detected by size if the text has hardly any of the entries', () => {
    const page = pageOf(['Care', 16], 'Words that are set in the size of the text.', 'Page 1');
    expect(levels([page], [entry('Page 1', 1, 0), entry('Page 2', 1, 7)])).toEqual([[1, undefined, undefined]]);
  });
});

describe('the title of a PDF without one in its properties', () => {
  it('is the largest text on the first page', () => {
    const cover = pageOf('July 2026', ['Aqua 300', 24], ['Reference Manual', 24], ['Ida Berg', 14]);
    expect(titleOnFirstPage([[], cover, pageOf(['exit status', 30], 'Words that are set in the size of most of the text.')])).toBe(
      'Aqua 300 Reference Manual',
    );
  });

  it('is missing if the first page has no larger letters', () => {
    expect(titleOnFirstPage([pageOf('Words'), pageOf(['Care', 16])])).toBeUndefined();
  });
});
