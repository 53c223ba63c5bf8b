import { extname } from 'node:path';
import { KbError, toErrorItem } from '../../base/errors.ts';
import { hash } from '../../base/ids.ts';
import { mapOrdered } from '../../base/pool.ts';
import { throwIfAborted } from '../../base/run.ts';
import type { DocumentReader } from '../../ports.ts';
import type { DocsInput } from '../../schema/requests.ts';
import type { Stage } from '../../schema/results.ts';
import { contentHash, type Candidate, type Extracted } from './candidate.ts';
import { toDocument } from './document.ts';
import { withFrontmatter } from './frontmatter.ts';
import { listDocs, type Found } from './list-docs.ts';
import { openLocalFile, type LocalFile } from './local-file.ts';
import { sourceOf, type Place } from './local-path.ts';

/** Files read at once, ahead of the parser: enough to hide the disk. */
const READ_AHEAD = 8;

export interface DocsParts extends Place {
  reader: DocumentReader;
  frontmatter: boolean;
  /** A document behind a link. */
  link: (
    url: string,
    given: { title?: string | undefined; description?: string | undefined; frontmatter: boolean },
  ) => AsyncIterable<Extracted>;
  /** Throws a KbError for a real path that must not be read. */
  authorize?: ((path: string) => void) | undefined;
  signal?: AbortSignal | undefined;
}

/** Local documents: every supported file that `docs` names. A file that was named must be of a supported kind; one that was found is passed over. */
export async function* extractDocs(docs: DocsInput, parts: DocsParts): AsyncGenerator<Extracted, void, void> {
  const found: Found[] = [];
  for await (const item of listDocs(docs, { ...parts, isSupported: (path) => parts.reader.fileType(path) !== undefined })) {
    throwIfAborted(parts.signal);
    found.push(item);
  }
  yield { expected: found.filter((item) => 'path' in item && (item.named || parts.reader.fileType(item.path))).length };
  for await (const list of mapOrdered(found, READ_AHEAD, (item) => extractOne(item, parts))) {
    if ('link' in list) yield* parts.link(list.link, { ...list, frontmatter: parts.frontmatter });
    else yield list;
  }
}

type FoundLink = Extract<Found, { link: string }>;

async function extractOne(item: Found, parts: DocsParts): Promise<Extracted | FoundLink> {
  if ('link' in item || 'scope' in item) return item;
  if ('failed' in item) return failure(item.failed, item.error, 'validate');
  const source = sourceOf(item.path, parts);
  const file_type = parts.reader.fileType(item.path);
  if (file_type === undefined && !item.named) return { passed_over: source };
  try {
    if (file_type === undefined) throw unsupported(source, parts.reader.extensions);
    parts.authorize?.(item.path);
  } catch (error) {
    return failure(source, error, 'validate');
  }
  const { title, description } = item;
  try {
    const file = await openLocalFile(item.path, source, (bytes) =>
      contentHash(bytes, { title, description, frontmatter: parts.frontmatter }),
    );
    return { candidate: candidateOf(file, { source, file_type: file_type!, title, description }, parts) };
  } catch (error) {
    return failure(source, error, 'fetch');
  }
}

const failure = (source: string, error: unknown, stage: Stage): Extracted => ({
  error: toErrorItem(error, { source, source_kind: 'path', stage }),
});

const unsupported = (source: string, extensions: readonly string[]): KbError =>
  new KbError(
    'usage',
    `${source}: files ${extname(source) ? `of the kind «${extname(source)}»` : 'without an extension'} are not supported.`,
    {
      hint: `Supported: ${extensions.join(', ')}.`,
    },
  );

interface FoundFile {
  source: string;
  file_type: string;
  title?: string | undefined;
  description?: string | undefined;
}

function candidateOf(file: LocalFile<string>, { source, file_type, title, description }: FoundFile, parts: DocsParts): Candidate {
  const { reader, frontmatter, signal } = parts;
  const document = () =>
    file.again(async (bytes) => {
      const parsed = await reader.read(bytes, { source, file_type, signal });
      const made = toDocument(parsed, { source, source_kind: 'path', file_type, content_hash: hash(bytes), title, description });
      return frontmatter ? withFrontmatter(made) : made;
    });
  return { source, source_kind: 'path', content_hash: file.first, document };
}
