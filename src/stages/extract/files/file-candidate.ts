import { extname } from 'node:path';
import { KbError } from '../../../core/errors.ts';
import { hash } from '../../../core/ids.ts';
import type { DocumentReader } from '../../../ports/reading.ts';
import type { Metadata, SourceKind } from '../../../schema/items.ts';
import { type Candidate, contentHash } from '../candidate.ts';
import { toDocument, withFrontmatter } from '../document.ts';
import { openLocalFile } from './local-file.ts';

/** What reading a file takes. */
export interface FileParts {
  reader: DocumentReader;
  frontmatter: boolean;
  signal?: AbortSignal | undefined;
}

/** What is known of a file before it is read. */
interface KnownFile {
  source: string;
  source_kind: SourceKind;
  file_type: string;
  /** The document's id, of the hash of its bytes; made of the source where absent. */
  id?: ((content_hash: string) => string) | undefined;
  title?: string | undefined;
  description?: string | undefined;
  /** Given beside the file; it wins over the file's own. */
  metadata?: Metadata | undefined;
  /** Throws a KbError where the path leads somewhere else by now. */
  recheck?: (() => void) | undefined;
}

/** The document of a local file, which is read now for its hash and parsed when it is asked for. Throws a KbError that names the source. */
export async function fileCandidate(path: string, known: KnownFile, { reader, frontmatter, signal }: FileParts): Promise<Candidate> {
  const { source, source_kind, file_type, id, title, description, metadata, recheck } = known;
  const looked = (bytes: Uint8Array) => ({
    content_hash: contentHash(bytes, { title, description, frontmatter, metadata }),
    isEmpty: isBlank(bytes),
    bytes: bytes.length,
  });
  const file = await openLocalFile(path, looked, { source, recheck });
  const document = () =>
    file.again(async (bytes) => {
      const parsed = await reader.read(bytes, { source, file_type, signal });
      const content_hash = hash(bytes);
      const own = { ...parsed, metadata: { ...parsed.metadata, ...metadata } };
      const made = toDocument(own, { id: id?.(content_hash), source, source_kind, file_type, content_hash, title, description });
      return frontmatter ? withFrontmatter(made) : made;
    });
  return { source, source_kind, ...file.first, document };
}

const BLANKS = new Set(Buffer.from(' \t\r\n\f\v\ufeff'));

/** Whether a file holds nothing, or nothing but white space and the mark of its encoding. */
const isBlank = (bytes: Uint8Array): boolean => bytes.every((byte) => BLANKS.has(byte));

/** What is said of a file that nothing can read. */
export const unsupportedFile = (source: string, { extensions }: DocumentReader): KbError =>
  new KbError(
    'usage',
    `${source}: files ${extname(source) ? `of the kind «${extname(source)}»` : 'without an extension'} are not supported.`,
    { hint: `Supported: ${extensions.join(', ')}.` },
  );
