import type { ParsedDocument, Parser } from '../../ports/reading.ts';
import { decodeText } from './encoding.ts';
import { numberedTable } from './markdown-text.ts';

const DELIMITERS = [',', ';', '\t', '|'];

/** A table as text: one Markdown table, its first record the header. Blank records are left out, and counted. */
export const csvParser: Parser = {
  file_type: 'csv',
  extensions: ['.csv', '.tsv'],
  async parse(bytes): Promise<ParsedDocument> {
    const { default: papa } = await import('papaparse');
    const { data } = papa.parse(await decodeText(bytes), { delimiter: '', delimitersToGuess: DELIMITERS });
    const rows = data.map((cells, index) => ({ row: index + 1, cells })).filter(({ cells }) => cells.some((cell) => cell.trim() !== ''));
    return { ...numberedTable(rows, { at: 0 }), metadata: {} };
  },
};
