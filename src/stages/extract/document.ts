import { stringify } from 'yaml';
import type { Document, SourceKind } from '../../schema/items.ts';
import { basename, extname } from 'node:path';
import { cleanDocument } from '../../text/clean-text.ts';
import { KbError } from '../../core/errors.ts';
import { documentId } from '../../core/ids.ts';
import type { ParsedDocument } from '../../ports/reading.ts';
import { pageKindOf } from '../../text/page-kind.ts';

/** What is true of how a document came here, not of what it says; front matter leaves it out. */
const OURS = new Set(['title', 'source', 'source_kind', 'file_type', 'content_hash', 'description']);

/** The YAML block of a document, `---` lines and the empty line after it included: title, source, description, then what the format knows. */
export function frontmatterBlock({ title, source, metadata }: Document): string {
  const known = Object.fromEntries(Object.entries(metadata).filter(([key, value]) => !OURS.has(key) && value !== undefined));
  const description = metadata.description === undefined ? {} : { description: metadata.description };
  return `---\n${stringify({ title, source, ...description, ...known }, { lineWidth: 0, aliasDuplicateObjects: false })}---\n\n`;
}

/** The document with its YAML block before the text. The marks move along; the block itself stands nowhere in the source. */
export function withFrontmatter(document: Document): Document {
  const block = frontmatterBlock(document);
  const marks = document.marks?.map((mark) => ({ ...mark, at: mark.at + block.length }));
  return { ...document, text: block + document.text, ...(marks ? { marks } : {}) };
}

/** What is known of a document beside what its file says. */
interface Provenance {
  source: string;
  /** Told apart by more than its source: the id, where it is not made of the source. */
  id?: string | undefined;
  source_kind: SourceKind;
  file_type: string;
  /** Hash of the bytes or text that it was made from. */
  content_hash: string;
  /** Given by the caller; it wins over what the file says. */
  title?: string | undefined;
  description?: string | undefined;
}

/**
 * The normalized document of what a parser found, with clean texts. Its own keys win over front matter of the same name. Throws a KbError (`invalid`) for a
 * web page without text, whose links are all there is to it, and for a text of nothing but control characters.
 */
export function toDocument(
  parsed: ParsedDocument,
  { id, source, source_kind, file_type, content_hash, title: given, description }: Provenance,
): Document {
  if (parsed.page && parsed.text.trim() === '')
    throw new KbError('invalid', `${source} is a web page without any text.`, { hint: 'Add text to it, or leave it out.' });
  const title = given ?? parsed.title ?? nameOf(source);
  const page_kind = pageKindOf(parsed.text, title);
  const known = { ...(page_kind ? { page_kind } : {}), ...parsed.metadata, ...(description ? { description } : {}) };
  const metadata = { ...known, title, source_kind, file_type, content_hash };
  const { text, marks } = parsed;
  const document = cleanDocument({ id: id ?? documentId(source), text, source, title, metadata, ...(marks ? { marks } : {}) });
  if (text !== '' && document.text === '')
    throw new KbError('invalid', `${source} contains only control characters.`, { hint: 'Check how it was created, or leave it out.' });
  return document;
}

/**
 * A title where nothing gives one: the file's name without its extension. Of an address, that of its path (`v1.2` has no extension), or else its host; in the
 * name of a file, ? and # are letters.
 */
function nameOf(source: string): string {
  if (!/^https?:\/\//i.test(source) || !URL.canParse(source)) return basename(source, extname(source)) || source;
  const { pathname, host } = new URL(source);
  return basename(pathname).replace(/(?<=.)\.[a-z]\w{0,9}$/i, '') || host;
}
