import { extname } from 'node:path';
import { KbError } from '../../core/errors.ts';
import { throwIfAborted } from '../../core/run.ts';
import type { DocumentReader, Parser } from '../../ports/reading.ts';
import { brokenFile, withoutText } from './parse-failures.ts';

/** A reader that gives the files of these parsers to them, in this process, and all others to `reader`. */
export function withOwnParsers(reader: DocumentReader, parsers: readonly Parser[]): DocumentReader {
  if (parsers.length === 0) return reader;
  const keyed = (keys: (parser: Parser) => readonly string[]) =>
    new Map(parsers.flatMap((parser) => keys(parser).map((key) => [key.toLowerCase(), parser.file_type])));
  const byExtension = keyed(({ extensions }) => extensions);
  const byMedia = keyed(({ media_types = [] }) => media_types);
  const byKind = new Map(parsers.map((parser) => [parser.file_type, parser]));
  /** One's own kind in the place of kb's where the extension that stands for that is one's own. */
  const replaced = (file_type: string | undefined) => {
    const extension = file_type && reader.extensions.find((each) => reader.fileType(`document${each}`) === file_type);
    return (extension && byExtension.get(extension)) || file_type;
  };
  return {
    extensions: [...new Set([...reader.extensions, ...byExtension.keys()])],
    fileType: (path) => byExtension.get(extname(path).toLowerCase()) ?? reader.fileType(path),
    fileTypeOfMedia: (media_type) => byMedia.get(media_type) ?? replaced(reader.fileTypeOfMedia(media_type)),
    async read(bytes, options) {
      const { source, file_type, signal } = options;
      const parser = byKind.get(file_type);
      if (!parser) return reader.read(bytes, options);
      throwIfAborted(signal);
      const parsed = await parser.parse(bytes, { source }).catch((error: unknown) => {
        throw error instanceof KbError ? error : brokenFile(source, file_type, error);
      });
      if (parsed.text.trim() === '' && !parsed.page) throw withoutText(source, file_type);
      return parsed;
    },
    close: () => reader.close(),
  };
}
