import type { IncomingMessage, ServerResponse } from 'node:http';
import { DEFAULTS } from '../../../../src/schema/config.ts';
import type { ApiInput } from '../../../../src/schema/source-entries.ts';
import { extractApi, type ApiParts } from '../../../../src/stages/extract/api/api.ts';
import { openSite, type Site, type SiteRoute } from '../../../support/site.ts';
import { gathered, openDoor, type Gathered } from '../fetching.ts';
import { plainReader } from '../plain-reader.ts';

export const settings = DEFAULTS.ingestion.api as ApiParts['settings'];

/** Opens APIs and reads them; those in the first list may be private. */
export function apis() {
  const opened: Site[] = [];
  const site = async (routes: Site['routes']): Promise<Site> => {
    const web = await openSite(routes);
    opened.push(web);
    return web;
  };
  const extract = (webs: Site[], api: ApiInput, over: Partial<ApiParts> = {}): Promise<Gathered> =>
    gathered(extractApi(api, { http: openDoor(webs), reader: plainReader(), settings, ...over }));
  const close = async () => {
    await Promise.all(opened.splice(0).map((web) => web.close()));
  };
  return { site, extract, close };
}

export const json = (value: unknown, headers: Record<string, string> = {}): SiteRoute => ({
  headers: { 'content-type': 'application/json', ...headers },
  body: JSON.stringify(value),
});

/** A route that answers with JSON, by the query. */
export const answering =
  (give: (query: URLSearchParams, response: ServerResponse, request: IncomingMessage) => unknown): SiteRoute =>
  (request, response) => {
    const value = give(new URL(request.url!, 'http://api').searchParams, response, request);
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(value));
  };

/** Records, each with a word that no other has: V1, V2 … */
export const tickets = (from: number, to: number) =>
  Array.from({ length: Math.max(0, to - from + 1) }, (_, i) => ({
    id: from + i,
    subject: `Ticket ${from + i}`,
    body: `Valve V${from + i} leaks.`,
  }));

/** The words of the records that were read, in their order. */
export const valves = ({ documents }: Gathered) => documents.flatMap(({ text }) => text.match(/\bV\d+\b/g) ?? []);
export const all = (count: number) => Array.from({ length: count }, (_, i) => `V${i + 1}`);
