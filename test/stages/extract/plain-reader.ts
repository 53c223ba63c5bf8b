import { parseDocument } from '../../../packages/documents/src/parse.ts';
import { fileTypes } from '../../../packages/documents/src/file-types.ts';
import type { DocumentReader } from '../../../src/ports/reading.ts';

/** A reader that takes every document but the XML of an API for text, and writes down what it was given: what is tested is the way there. */
export function plainReader(): DocumentReader & { read: DocumentReader['read']; given: { source: string; file_type: string }[] } {
  const given: { source: string; file_type: string }[] = [];
  return {
    given,
    ...fileTypes(),
    async read(bytes, { source, file_type }) {
      given.push({ source, file_type });
      if (file_type === 'xml-value') return parseDocument({ bytes, source, file_type });
      return { text: new TextDecoder().decode(bytes), metadata: { lang: 'en' }, marks: [{ at: 0, line: 1 }] };
    },
    close: async () => {},
  };
}
