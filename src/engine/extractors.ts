import { createHttp } from '../http/client.ts';
import type { Sources } from '../schema/source-entries.ts';
import { extractApi } from '../stages/extract/api/api.ts';
import { extractDocs, withPictures } from '../stages/extract/files/documents.ts';
import type { Extractors, NetworkParts } from '../stages/extract/extract.ts';
import { extractLink, extractUrls } from '../stages/extract/pages/urls.ts';
import { extractMarkdown } from '../stages/extract/files/inline-documents.ts';
import { namedOrigins } from '../stages/extract/pages/web-addresses.ts';
import type { PageMemory } from '../stages/extract/pages/page-memory.ts';
import { redacted, redactorFor } from '../stages/extract/document.ts';
import type { Context } from './context.ts';
import { authorizer } from './permissions.ts';
import { tracedNetwork } from './resources.ts';

/** What is known of sources before they are read. */
interface Known {
  memory?: PageMemory | undefined;
  /** Whether the file of an absolute path has not changed. */
  isUnchanged?: ((path: string) => boolean) | undefined;
  isStored?: ((source: string) => boolean) | undefined;
}

/** Opens an extractor for each kind of source in the request. `close` closes their connections. `memory` is for `urls` only, `isUnchanged` and `isStored` for `docs`. */
export async function openExtractors(
  { docs, urls, api, markdown }: Sources,
  context: Context,
  { memory, isUnchanged, isStored }: Known = {},
): Promise<{ extractors: Extractors; close(): Promise<void> }> {
  const { settings, resources, tracer, signal, cwd, home, surface } = context;
  const { ingestion, network } = settings;
  const { user_agent, max_redirects } = network;
  const reader = await resources.reader(ingestion.docs);
  const files = withPictures(reader, ingestion.docs);
  const named = namedOrigins({ docs, urls, api });
  const door = { http: createHttp({ network, surface, named }), renderer: resources.renderer({ network, surface, named }) };
  const { http, renderer } = tracer ? tracedNetwork(door, tracer) : door;
  const parts: NetworkParts = { http, reader, signal };
  const redact = redactorFor({ docs, urls, api, sites: network.sites, settings: ingestion.api });
  const { frontmatter, follow_links, ocr, kinds } = ingestion.docs;
  const authorize = surface === 'server' ? authorizer({ allowed_roots: settings.server.allowed_roots, home, cwd }) : undefined;
  const local = { reader: files, ocr, cwd, home, signal, frontmatter, follow_links, kinds, authorize, isUnchanged, isStored };
  const extractors: Extractors = {
    ...(docs === undefined
      ? {}
      : {
          docs: () =>
            extractDocs(docs, {
              ...local,
              link: (url, given) => redacted(extractLink(url, given, { ...parts, reader: files }), redact),
            }),
        }),
    ...(urls === undefined
      ? {}
      : {
          urls: () => {
            const reading = { ...parts, renderer, memory, settings: ingestion.urls, user_agent, max_redirects, turns: resources.turns };
            return redacted(extractUrls(urls, reading), redact);
          },
        }),
    ...(api === undefined
      ? {}
      : {
          api: () => redacted(extractApi(api, { ...parts, settings: ingestion.api, isRequested: surface === 'server' }), redact),
        }),
    ...(markdown === undefined ? {} : { markdown: () => extractMarkdown(markdown, { reader, signal }) }),
  };
  return { extractors, close: async () => void (await Promise.all([http.close(), renderer.close()])) };
}
