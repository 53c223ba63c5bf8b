import { breathing } from '../../base/breath.ts';
import { KbError, toErrorItem } from '../../base/errors.ts';
import { mapOrdered } from '../../base/pool.ts';
import type { DocsInput } from '../../schema/requests.ts';
import type { Stage } from '../../schema/results.ts';
import type { Extracted } from './candidate.ts';
import { fileCandidate, unsupportedFile, type FileParts } from './file-candidate.ts';
import { listDocs, type Found } from './list-docs.ts';
import { absolutePath, sourceOf, type GuardedPlace } from './local-path.ts';

/** Files read at once, ahead of the parser: enough to hide the disk. */
const READ_AHEAD = 8;

export interface DocsParts extends GuardedPlace, FileParts {
  /** A document behind a link. */
  link: (
    url: string,
    given: { title?: string | undefined; description?: string | undefined; frontmatter: boolean },
  ) => AsyncIterable<Extracted>;
}

/** Local documents: every supported file that `docs` names. A file that was named must be of a supported kind; one that was found is passed over. */
export async function* extractDocs(docs: DocsInput, parts: DocsParts): AsyncGenerator<Extracted, void, void> {
  const found: Found[] = [];
  for await (const item of listDocs(docs, { ...parts, isSupported: (path) => parts.reader.fileType(path) !== undefined })) found.push(item);
  yield { expected: found.filter((item) => 'path' in item && (item.named || parts.reader.fileType(item.path))).length };
  const breathe = breathing(parts.signal);
  for await (const list of mapOrdered(found, READ_AHEAD, (item) => extractOne(item, parts))) {
    await breathe();
    if ('link' in list) yield* parts.link(list.link, { ...list, frontmatter: parts.frontmatter });
    else yield list;
  }
}

type FoundLink = Extract<Found, { link: string }>;

async function extractOne(item: Found, parts: DocsParts): Promise<Extracted | FoundLink> {
  if ('link' in item || 'scope' in item) return item;
  if ('failed' in item) return failure(item.failed, item.error, 'validate');
  const { path, named, title, description } = item;
  const source = sourceOf(path, parts);
  const file_type = parts.reader.fileType(path);
  if (file_type === undefined && !named) return { passed_over: source };
  // the path was real when it was listed; since then a link may have been put in its place
  const recheck = () => parts.authorize?.(absolutePath(path, parts), source);
  try {
    if (file_type === undefined) throw unsupportedFile(source, parts.reader);
    recheck();
    return { candidate: await fileCandidate(path, { source, source_kind: 'path', file_type, title, description, recheck }, parts) };
  } catch (error) {
    return failure(source, error, isRefusal(error) ? 'validate' : 'fetch');
  }
}

const isRefusal = (error: unknown): boolean => error instanceof KbError && (error.code === 'usage' || error.code === 'forbidden');

const failure = (source: string, error: unknown, stage: Stage): Extracted => ({
  error: toErrorItem(error, { source, source_kind: 'path', stage }),
});
