import { extname } from 'node:path';
import { extensionOf } from './archives/compressed-files.ts';
import type { FileTypes, Parser } from './types.ts';
import { conversionOf } from './office/old-formats.ts';
import { parsers } from './formats.ts';
import { readBeginning } from './bytes.ts';

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

/** File type by extension, of documents and of pictures; undefined if no parser reads it. */
export const typeOfName = (path: string): string | undefined => {
  const extension = extensionOf(path);
  const parser =
    parsers.find(({ extensions }) => extensions.includes(extension)) ??
    parsers.find(({ more_extensions }) => more_extensions?.test(extension));
  return parser?.file_type;
};

/** Whether files of this type are web pages, or may hold some. */
export const mayHoldPages = (file_type: string): boolean =>
  parsers.some((row) => row.file_type === file_type && (row.is_page === true || row.is_archive === true));

/** Whether pages of files of this type may be pictures. */
export const mayHoldScans = (file_type: string): boolean =>
  parsers.some((row) => row.file_type === file_type && (row.is_picture === true || row.has_scans === true));
