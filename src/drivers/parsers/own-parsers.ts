import { KbError } from '../../core/errors.ts';
import { throwIfAborted } from '../../core/run.ts';
import type { DocumentReader, Parser } from '../../ports/reading.ts';
import { fileTypes } from './file-types.ts';
import { brokenFile, withoutText } from './parse-failures.ts';

/** A reader that gives the files of these parsers to them, in this process, and all others to `reader`. */
export function withOwnParsers(reader: DocumentReader, parsers: readonly Parser[]): DocumentReader {
  if (parsers.length === 0) return reader;
  const byType = new Map(parsers.map((parser) => [parser.file_type, parser]));
  return {
    ...reader,
    ...fileTypes(parsers),
    async read(bytes, options) {
      const { source, file_type, signal } = options;
      const parser = byType.get(file_type);
      if (!parser) return reader.read(bytes, options);
      throwIfAborted(signal);
      const parsed = await parser.parse(bytes, { source }).catch((error: unknown) => {
        throw error instanceof KbError ? error : brokenFile(source, parser, error);
      });
      if (parsed.text.trim() === '' && !parsed.page) throw withoutText(source, parser);
      return parsed;
    },
  };
}
