import { extname } from 'node:path';
import { isAbort, KbError, toErrorItem } from '../../base/errors.ts';
import type { HttpAnswer } from '../../base/http-message.ts';
import { hash } from '../../base/ids.ts';
import type { Stage } from '../../schema/results.ts';
import { contentHash, type Candidate, type Extracted, type Given } from './candidate.ts';
import { toDocument } from './document.ts';
import { assertIsAsked } from './error-page.ts';
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

/** How a web page begins, after the mark of its encoding, space and comments. */
const BEGINNING = /^(?:ï»¿)?(?:\s|<!--(?:(?!-->)[^])*-->)*<(?:!doctype\s+html|html|head|body|title|meta)\b/i;

/** Whether an answer is a web page by its type and by what it says: either alone is often wrong. */
const isWebPage = ({ content_type, bytes }: HttpAnswer): boolean =>
  /^(text\/html|application\/xhtml\+xml)$/.test(content_type) && BEGINNING.test(Buffer.from(bytes.subarray(0, 2_048)).toString('latin1'));

function anotherKind(source: string, { url }: HttpAnswer): KbError {
  const found = sourceOf(url);
  const led = found === source ? 'is' : `leads to ${found}, which is`;
  return new KbError('invalid', `${source} ${led} a web page, and no document as its address says.`, {
    hint: 'Look at it in a browser: it may want a login (network.sites), or be there no more. A web page is given as --urls (urls).',
  });
}

async function fetchLink(
  url: string,
  { source, file_type, ...given }: Given & { source: string; file_type: string },
  { http, reader, signal }: NetworkParts,
): Promise<Candidate> {
  const answer = await http.request(url, { signal });
  const bytes = inUtf8(answer);
  const isPage = file_type === reader.fileType('page.html');
  if (!isPage && isWebPage(answer)) throw anotherKind(source, answer);
  const document = async () => {
    const parsed = await reader.read(bytes, { source, file_type, signal });
    if (isPage) assertIsAsked(source, bytes, parsed);
    const made = toDocument(parsed, { ...given, source, source_kind: 'bytes', file_type, content_hash: hash(bytes) });
    return given.frontmatter ? withFrontmatter(made) : made;
  };
  return { source, source_kind: 'bytes', content_hash: contentHash(bytes, given), document };
}
