import { describe, expect, it } from 'vitest';
import { pdfFile, type PdfText } from '../support/pdf-file.ts';
import { read } from '../support/read.ts';

const line = (text: string, y: number, x = 72): PdfText => ({ text, x, y, size: 10 });
const raised = (text: string, x: number, y: number): PdfText => ({ text, x, y: y + 4, size: 6 });

describe('a footnote of a PDF', () => {
  it('follows the text of its page, and is referenced at its raised number', async () => {
    const page = [
      line('The boiler is checked by the maker', 700),
      raised('1', 223, 700),
      line('once a year, and its log is', 700, 229),
      line('kept for ten years.', 688),
      { text: '1 Measured at sea level, with natural gas from', x: 72, y: 100, size: 8 },
      { text: 'the public network.', x: 72, y: 90, size: 8 },
      line('A second column follows the note.', 700, 400),
    ];
    const { text } = await read('pdf', pdfFile([page]));
    expect(text).toContain('by the maker[^1] once a year');
    expect(text).toMatch(
      /A second column follows the note\.\n\n\[\^1\]: Measured at sea level, with natural gas from\sthe public network\.$/,
    );
  });

  it('gets a distinct label if an earlier page has the same number', async () => {
    const page = (word: string): PdfText[] => [
      line(`The ${word}`, 700),
      raised('1', 72 + 5 * word.length + 26, 700),
      { text: `1 Said of the ${word} by its maker.`, x: 72, y: 100, size: 8 },
      line('It is kept in good order by all who use it, every day.', 688),
    ];
    const { text } = await read('pdf', pdfFile([page('boiler'), page('burner')]));
    expect(text.match(/\[\^[^\]]*\]:?/g)).toEqual(['[^1]', '[^1]:', '[^1-p2]', '[^1-p2]:']);
  });

  it('is not assumed for a raised number without a note, which is a power', async () => {
    const page = [line('It needs 12 m', 700), raised('2', 133, 700), line('of space.', 700, 142)];
    expect((await read('pdf', pdfFile([page]))).text).toBe('It needs 12 m² of space.');
  });

  it('is not assumed after a number with its unit, even if there is a note with that number', async () => {
    const page = [
      line('It needs 12 cm', 700),
      raised('2', 137, 700),
      line('of space.', 700, 148),
      line('It is kept in good order by all', 688),
      raised('2', 205, 688),
      line('who use it.', 688, 212),
      { text: '2 Said of it by its maker, who knows.', x: 72, y: 100, size: 8 },
    ];
    const { text } = await read('pdf', pdfFile([page]));
    expect(text).toContain('12 cm² of space.');
    expect(text).toContain('[^2]');
  });

  it('does not split a word that continues on the next page', async () => {
    const long = 'The boiler is checked by its maker';
    const first = [
      line(long, 700),
      raised('1', 223, 700),
      line('once a year and by the house every month, as the log that lies be-', 700, 229),
      { text: '1 Measured at sea level, with natural gas.', x: 72, y: 100, size: 8 },
    ];
    const { text } = await read('pdf', pdfFile([first, [line('side it shows.', 700)]]));
    expect(text).toMatch(/the log that lies beside\n\n\[\^1\]: Measured at sea level, with natural gas\.\n\nit shows\.$/);
  });
});
