import { describe, expect, it } from 'vitest';
import { headingLevels } from '../../../../src/drivers/parsers/pdf/pdf-headings.ts';
import type { PdfOutline } from '../../../../src/drivers/parsers/pdf/pdf-file.ts';

const lineOf = (text: string, size = 10) => ({ text, x: 72, right: 300, y: 700, size, cells: [] });
const entry = (title: string, ...items: PdfOutline[]): PdfOutline => ({ title, items });

describe('the headings of an outline', () => {
  it('have the level of their own entry where several have one title', () => {
    const outline = [
      entry('Plotting', entry('Syntax')),
      entry(
        'Commands',
        entry('Set', entry('Angles', entry('Syntax'), entry('Examples')), entry('Logscale', entry('Syntax'), entry('Examples'))),
      ),
    ];
    const lines = [
      'Plotting',
      'Syntax',
      'Some text',
      'Commands',
      'Set',
      'Angles',
      'Syntax',
      'Examples',
      'Logscale',
      'Syntax',
      'Examples',
    ].map((text) => lineOf(text));
    const levelOf = headingLevels(lines, outline);
    expect(lines.map(levelOf)).toEqual([1, 2, undefined, 1, 2, 3, 4, 4, 3, 4, 4]);
  });

  it('have the level of the nearest entry before where a line that only says the same led too far', () => {
    const outline = [entry('Plotting', entry('Style', entry('Key'))), entry('Jitter'), entry('Key', entry('Examples')), entry('Tics')];
    const lines = ['Plotting', 'Style', 'Key', 'Jitter', 'Examples', 'Key', 'Examples', 'Tics'].map((text) => lineOf(text));
    expect(lines.map(headingLevels(lines, outline))).toEqual([1, 2, 3, 1, 2, 1, 2, 1]);
  });

  it('are not the lines in smaller letters that only say the same', () => {
    const lines = [
      lineOf('Plotting'),
      lineOf('Plotting', 16),
      lineOf('Syntax', 16),
      lineOf('Angles', 14),
      lineOf('Syntax:'),
      lineOf('Logscale', 14),
      lineOf('Syntax:'),
    ];
    const levelOf = headingLevels(lines, [entry('Plotting'), entry('Syntax', entry('Angles'), entry('Logscale'))]);
    expect(lines.map(levelOf)).toEqual([undefined, 1, 1, 2, undefined, 2, undefined]);
  });
});
