import { extname } from 'node:path';
import { parseDocument } from '../../../src/drivers/parsers/parse.ts';
import { parsers } from '../../../src/drivers/parsers/parsers.ts';
import type { DocumentReader } from '../../../src/ports/reading.ts';

const KINDS: Record<string, string> = { '.md': 'markdown', '.html': 'html', '.txt': 'text', '.csv': 'csv', '.pdf': 'pdf' };

const isKnown = (file_type: string): boolean => Object.values(KINDS).includes(file_type);

/** A reader that takes every document but the XML of an API for text, and writes down what it was given: what is tested is the way there. */
export function plainReader(): DocumentReader & { read: DocumentReader['read']; given: { source: string; file_type: string }[] } {
  const given: { source: string; file_type: string }[] = [];
  return {
    given,
    extensions: Object.keys(KINDS),
    fileType: (path) => KINDS[extname(path).toLowerCase()],
    fileTypeOfMedia: (type) => parsers.find(({ file_type, media_types }) => isKnown(file_type) && media_types?.includes(type))?.file_type,
    async read(bytes, { source, file_type }) {
      given.push({ source, file_type });
      if (file_type === 'xml-value') return parseDocument({ bytes, source, file_type });
      return { text: new TextDecoder().decode(bytes), metadata: { lang: 'en' }, marks: [{ at: 0, line: 1 }] };
    },
    close: async () => {},
  };
}
