import { extname } from 'node:path';
import { extensionOf } from './archives/compressed-files.ts';
import type { DocumentReader, FileTypes, Parser } from '../../ports/reading.ts';
import { conversionOf } from './old-formats.ts';
import { parsers } from './parsers.ts';
import { readBeginning } from './bytes.ts';
import { KbError } from '../../core/errors.ts';
import { throwIfAborted } from '../../core/run.ts';
import { brokenFileError, noTextError } from './parse-failures.ts';

/** Media type of a file whose type the server does not know. */
const OCTET_STREAM = 'application/octet-stream';
/** Media types that are less specific than the extension of the address. */
const UNSPECIFIC = new Set(['', 'text/plain', OCTET_STREAM, 'binary/octet-stream', 'application/download']);
/** Media type of the parser for any other text. */
const ANY_TEXT = 'text/*';

const page = parsers.find(({ is_page }) => is_page)!;

const pictures = new Map(parsers.flatMap((row) => (row.is_picture ? row.extensions.map((extension) => [extension, row.file_type]) : [])));

/**
 * Builds the file types of the built-in parsers and of added ones (`own`), which come first: one that takes the first extension of a
 * built-in type replaces it.
 */
export function fileTypes(own: readonly Parser[] = []): FileTypes {
  const rows: readonly Parser[] = [...parsers.filter(({ is_picture }) => !is_picture), ...own];
  const indexBy = (keys: (parser: Parser) => readonly string[]) =>
    new Map(rows.flatMap((parser) => keys(parser).map((key) => [key.toLowerCase(), parser])));
  const byExtension = indexBy(({ extensions }) => extensions);
  const byMedia = indexBy(({ media_types = [] }) => media_types);
  const typeOf = (parser: Parser | undefined) => (parser && (byExtension.get(parser.extensions[0] ?? '') ?? parser))?.file_type;
  const fileType: FileTypes['fileType'] = (path, kinds) => {
    const extension = extensionOf(path);
    const parser = byExtension.get(extension) ?? parsers.find(({ more_extensions }) => more_extensions?.test(extension));
    return parser && (kinds?.includes(parser.kind ?? 'documents') ?? true) ? parser.file_type : undefined;
  };
  return {
    extensions: [...byExtension.keys()],
    page: { file_type: typeOf(page)!, media_types: page.media_types ?? [], ...(page.signature && { signature: page.signature }) },
    fileType,
    pictures: { extensions: [...pictures.keys()], fileType: (path) => pictures.get(extname(path).toLowerCase()) },
    conversionOf,
    fileTypeOfMedia: (media_type) => typeOf(byMedia.get(media_type)),
    fileTypeOf({ content_type, url, bytes = new Uint8Array() }) {
      const named = byMedia.get(content_type);
      if (named) return typeOf(named);
      const text = typeOf(byMedia.get(ANY_TEXT));
      if (!UNSPECIFIC.has(content_type)) return content_type.startsWith('text/') ? text : undefined;
      const beginning = readBeginning(bytes);
      const recognized = rows.find(({ signature }) => signature?.test(beginning));
      if (recognized && !recognized.is_text) return typeOf(recognized);
      const byName = fileType(new URL(url).pathname);
      return byName || content_type === OCTET_STREAM ? byName : (typeOf(recognized) ?? text);
    },
    needsBytesForType: ({ content_type, url }) => UNSPECIFIC.has(content_type) && extname(new URL(url).pathname) === '',
  };
}

/** Creates a reader that parses files of these parsers in this process, and passes all others to `reader`. */
export function withOwnParsers(reader: DocumentReader, own: readonly Parser[]): DocumentReader {
  if (own.length === 0) return reader;
  const byType = new Map(own.map((parser) => [parser.file_type, parser]));
  return {
    ...reader,
    ...fileTypes(own),
    async read(bytes, options) {
      const { source, file_type, signal } = options;
      const parser = byType.get(file_type);
      if (!parser) return reader.read(bytes, options);
      throwIfAborted(signal);
      const parsed = await parser.parse(bytes, { source }).catch((error: unknown) => {
        throw error instanceof KbError ? error : brokenFileError(source, parser, error);
      });
      if (parsed.text.trim() === '' && !parsed.page) throw noTextError(source, parser);
      return parsed;
    },
  };
}
