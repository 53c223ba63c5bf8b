import type { Parser } from '../../ports/reading.ts';
import { decodeText } from './encoding.ts';

/** Plain text: kept as it is, line by line. */
export const textParser: Parser = {
  file_type: 'text',
  extensions: ['.txt', '.text', '.log'],
  parse: async (bytes) => ({ text: await decodeText(bytes), metadata: {}, marks: [{ at: 0, line: 1 }] }),
};
