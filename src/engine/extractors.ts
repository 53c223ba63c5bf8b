import { createHttp } from '../http/client.ts';
import type { UploadRequest } from '../schema/requests.ts';
import type { Sources } from '../schema/source-entries.ts';
import { extractApi } from '../stages/extract/api/api.ts';
import { redactItems, redactorFor } from '../stages/extract/document.ts';
import { type Extracted, type Extractors, withRefusals } from '../stages/extract/extract.ts';
import { extractDocs, type FileParts, withPictures } from '../stages/extract/files/documents.ts';
import { extractMarkdown, type extractUploads } from '../stages/extract/files/inline-documents.ts';
import type { PageMemory } from '../stages/extract/pages/page-memory.ts';
import { extractLink, extractUrls } from '../stages/extract/pages/urls.ts';
import { namedOrigins } from '../stages/extract/pages/web-addresses.ts';
import type { Context } from './context.ts';
import { authorizer } from './permissions.ts';
import { traceNetwork } from './resources.ts';

/** What is known of sources before they are read. */
export interface KnownSources {
  /** For `urls`. */
  memory?: PageMemory | undefined;
  /** For `urls`: the stored sources, if those that are gone are removed. */
  prunable?: ReadonlySet<string> | undefined;
  /** For `docs`: whether the file of an absolute path has not changed. */
  isUnchanged?: ((path: string) => boolean) | undefined;
  /** For `docs`. */
  isStored?: ((source: string) => boolean) | undefined;
}

/** Extractors of a request, with their connections. */
export interface OpenExtractors {
  extractors: Extractors;
  close(): Promise<void>;
}

/** Opens an extractor for each kind of source in the request. */
export async function openExtractors(
  { docs, urls, api, markdown }: Sources,
  context: Context,
  { memory, prunable, ...knownFiles }: KnownSources = {},
): Promise<OpenExtractors> {
  const { settings, resources, tracer, signal, cwd, home, surface, environment, isRequested, isState } = context;
  const { ingestion, network } = settings;
  const reader = await resources.reader(ingestion);
  const named = namedOrigins({ docs, urls, api });
  const reach = { network, surface, named, environment };
  const clients = { http: createHttp(reach), renderer: resources.renderer(reach) };
  const { http, renderer } = tracer ? traceNetwork(clients, tracer) : clients;
  const parts = { http, reader, signal };
  const redact = redactorFor({ docs, urls, api, sites: network.sites, settings: ingestion.api });
  const finished = (items: AsyncIterable<Extracted>) => redactItems(withRefusals(items, http), redact);
  const files = () => {
    const fileParts = filePartsOf(reader, context);
    const authorize = isRequested ? authorizer({ allowed_roots: settings.server.allowed_roots, home, cwd }, isState) : undefined;
    const link: Parameters<typeof extractDocs>[1]['link'] = (url, given) =>
      finished(extractLink(url, given, { ...parts, reader: fileParts.reader, host_limiter: resources.host_limiter }));
    return extractDocs(docs!, { ...ingestion.docs, ...fileParts, ...knownFiles, cwd, home, authorize, isState, link });
  };
  const pages = () => {
    const { user_agent, max_redirects } = network;
    const reading = {
      ...parts,
      renderer,
      memory,
      prunable,
      settings: ingestion.urls,
      user_agent,
      max_redirects,
      host_limiter: resources.host_limiter,
    };
    return finished(extractUrls(urls!, reading));
  };
  return {
    extractors: {
      docs: docs === undefined ? undefined : files,
      urls: urls === undefined ? undefined : pages,
      api: api === undefined ? undefined : () => finished(extractApi(api, { ...parts, settings: ingestion.api, isRequested })),
      markdown: markdown === undefined ? undefined : () => extractMarkdown(markdown, { reader, signal }),
    },
    close: async () => void (await Promise.all([http.close(), renderer.close()])),
  };
}

/** Opens the extractor of uploaded files. */
export async function openUploads(request: UploadRequest, context: Context, extract: typeof extractUploads): Promise<OpenExtractors> {
  const reader = await context.resources.reader(context.settings.ingestion);
  return { extractors: { docs: () => extract(request, filePartsOf(reader, context)) }, close: async () => {} };
}

function filePartsOf(reader: FileParts['reader'], { settings, signal, onPage }: Context): FileParts {
  const { docs } = settings.ingestion;
  return { reader: withPictures(reader, docs), frontmatter: docs.frontmatter, signal, onPage };
}
