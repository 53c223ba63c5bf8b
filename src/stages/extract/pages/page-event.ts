import type { Progress } from '../../../core/run.ts';

/** A page that was read, as a stream tells of it (contract, section 4). */
export interface PageTold {
  url: string;
  /** Empty where the page has none, and where it was not read because it is unchanged. */
  title: string;
  depth: number;
  status_code: number;
  document_id: string;
}

/** Tells of a page; with `verbose` also in a line for people: `200  depth 1  https://…  Title`. */
export const pageEvent = (page: PageTold, { verbose }: { verbose: boolean }): Progress => ({
  type: 'page',
  stage: 'crawl',
  message: verbose ? [page.status_code, `depth ${page.depth}`, page.url, page.title].join('  ').trimEnd() : '',
  data: { ...page },
});
