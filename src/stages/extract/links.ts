import { extname } from 'node:path';
import { isAbort, KbError, toErrorItem } from '../../base/errors.ts';
import { hash } from '../../base/ids.ts';
import type { Stage } from '../../schema/results.ts';
import { contentHash, type Candidate, type Extracted, type Given } from './candidate.ts';
import { toDocument } from './document.ts';
import { withFrontmatter } from './frontmatter.ts';
import { inUtf8 } from './media.ts';
import { sourceOf, type NetworkParts } from './network.ts';

/** A document behind a link (service.md 2.1): its kind is that of the extension that the address ends in. */
export async function* extractLink(url: string, given: Given, parts: NetworkParts): AsyncGenerator<Extracted, void, void> {
  const source = sourceOf(url);
  const failed = (error: unknown, stage: Stage): Extracted => ({ error: toErrorItem(error, { source, source_kind: 'bytes', stage }) });
  const extension = URL.canParse(url) ? extname(new URL(url).pathname) : '';
  const file_type = parts.reader.fileType(`document${extension}`);
  if (file_type === undefined) return yield failed(unsupported(source, extension, parts.reader.extensions), 'validate');
  try {
    yield { candidate: await fetchLink(url, { ...given, source, file_type }, parts) };
  } catch (error) {
    if (isAbort(error)) throw error;
    yield failed(error, 'fetch');
  }
}

const unsupported = (source: string, extension: string, extensions: readonly string[]): KbError =>
  new KbError('usage', `${source}: a link to a document must end in a supported extension, which «${extension}» is not.`, {
    hint: `Supported: ${extensions.join(', ')}. A web page is given as --urls (urls).`,
  });

async function fetchLink(
  url: string,
  { source, file_type, ...given }: Given & { source: string; file_type: string },
  { http, reader, signal }: NetworkParts,
): Promise<Candidate> {
  const answer = await http.request(url, { signal });
  const bytes = inUtf8(answer);
  const document = async () => {
    const parsed = await reader.read(bytes, { source, file_type, signal });
    const made = toDocument(parsed, { ...given, source, source_kind: 'bytes', file_type, content_hash: hash(bytes) });
    return given.frontmatter ? withFrontmatter(made) : made;
  };
  return { source, source_kind: 'bytes', content_hash: contentHash(bytes, given), document };
}
