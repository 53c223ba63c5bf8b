import { isAbort, KbError, toErrorItem } from '../../base/errors.ts';
import type { HttpAnswer } from '../../base/http-message.ts';
import { hash } from '../../base/ids.ts';
import { mapOrdered } from '../../base/pool.ts';
import type { DocumentReader } from '../../ports.ts';
import type { Config } from '../../schema/config.ts';
import type { UrlsInput } from '../../schema/requests.ts';
import type { ErrorItem } from '../../schema/results.ts';
import { contentHash, type Candidate, type Extracted } from './candidate.ts';
import { toDocument } from './document.ts';
import { withFrontmatter } from './frontmatter.ts';
import { fileTypeOf, inUtf8 } from './media.ts';
import { sourceOf, type NetworkParts } from './network.ts';

/** Pages fetched at once; no host is asked for more than 8 (contract, section 5), and all may be of one. */
const AT_ONCE = 8;

export interface UrlsParts extends NetworkParts {
  settings: Config['ingestion']['urls'];
}

/** The pages given, each once, in their order. Throws a KbError where a crawl is asked for. */
export async function* extractUrls(urls: UrlsInput, parts: UrlsParts): AsyncGenerator<Extracted, void, void> {
  const addresses = addressesIn(urls, parts.settings);
  yield { expected: addresses.length };
  const met = new Set<string>();
  for await (const read of mapOrdered(addresses, AT_ONCE, (url) => readPage(url, parts))) {
    if ('error' in read) {
      yield read;
      continue;
    }
    if (met.has(read.url)) continue;
    met.add(read.url);
    yield { candidate: pageCandidate(read, parts) };
  }
}

function addressesIn(urls: UrlsInput, { mode }: UrlsParts['settings']): string[] {
  const entries = [urls].flat().map((entry) => (typeof entry === 'string' ? { url: entry } : entry));
  const crawl = entries.find((entry) => (entry.mode ?? mode) === 'full');
  if (crawl)
    throw new KbError('usage', `${sourceOf(crawl.url)}: this version reads the pages given and follows no links («mode: full»).`, {
      hint: 'Leave mode out or set it to each, and give the address of every page.',
    });
  return [...new Set(entries.map(({ url }) => url))];
}

async function readPage(url: string, { http, signal }: UrlsParts): Promise<HttpAnswer | { error: ErrorItem }> {
  try {
    return await http.request(url, { signal, headers: { accept: 'text/html, application/xhtml+xml, */*;q=0.8' } });
  } catch (error) {
    if (isAbort(error)) throw error;
    const source = sourceOf(url);
    const item = toErrorItem(error, { source, source_kind: 'url', stage: 'fetch' });
    return { error: item.isRetryable ? { ...item, retry_input: { url: source } } : item };
  }
}

function pageCandidate(answer: HttpAnswer, { reader, settings: { frontmatter }, signal }: UrlsParts): Candidate {
  const source = sourceOf(answer.url);
  const bytes = inUtf8(answer);
  const document = async () => {
    const file_type = fileTypeOf(answer, reader);
    if (file_type === undefined) throw unreadable(source, answer, reader);
    const parsed = await reader.read(bytes, { source, file_type, signal });
    const made = toDocument(parsed, { source, source_kind: 'url', file_type, content_hash: hash(bytes) });
    return frontmatter ? withFrontmatter(made) : made;
  };
  const page = { depth: 0, status_code: answer.status };
  return { source, source_kind: 'url', content_hash: contentHash(bytes, { frontmatter }), document, page };
}

const unreadable = (source: string, { content_type }: HttpAnswer, { extensions }: DocumentReader): KbError =>
  new KbError('invalid', `${source} is «${content_type || 'of no named type'}», which kb cannot read.`, {
    hint: `It reads web pages and ${extensions.join(', ')}.`,
  });
