import { describe, expect, it } from 'vitest';
import { pdfFile, type PdfText } from '../support/pdf-file.ts';
import { read } from '../support/read.ts';

const code = (text: string, x: number, y: number): PdfText => ({ text, x, y, size: 10, font: 'typewriter' });
const prose = (text: string, y: number, x = 72): PdfText => ({ text, x, y, size: 10 });
const words = 'The pump of the Aqua 300 is checked at every visit, and its state is noted in the log that lies beside it';

describe('lines of a PDF in a typewriter font', () => {
  it('become a code block with their indentation', async () => {
    const page = [
      prose(words, 740),
      code('def check(pump, visits):', 72, 710),
      code('for visit in visits:', 96, 698),
      code('note(pump | {"state": visit})', 120, 686),
      code('return pump', 96, 662),
      code('print(check("Aqua 300", []))', 72, 650),
      prose(words, 620),
    ];
    expect((await read('pdf', pdfFile([page]))).text).toBe(
      `${words}\n\n\`\`\`\ndef check(pump, visits):\n    for visit in visits:\n        note(pump | {"state": visit})\n\n    return pump\n` +
        `print(check("Aqua 300", []))\n\`\`\`\n\n${words}`,
    );
  });

  it('stay text at the end of a paragraph, and in a document without another font', async () => {
    const commands = ['check the pump', 'drain the tank', 'close the valve', 'empty the boiler', 'write it down'];
    const more = commands.map((command, i) => code(command, 72, 600 - 12 * i));
    const { text } = await read('pdf', pdfFile([[prose(words, 740), code('see the manual.', 72, 728), ...more]]));
    expect(text.startsWith(`${words} see the manual.\n\n`)).toBe(true);
    expect((await read('pdf', pdfFile([commands.map((command, i) => code(command, 72, 700 - 12 * i))]))).text).not.toContain('```');
  });
});
