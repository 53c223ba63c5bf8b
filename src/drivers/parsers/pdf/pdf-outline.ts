import type { PdfFile, PdfNode } from './pdf-file.ts';

/** Entries that are read; a document for people has fewer. */
const MOST = 5000;
const DEEPEST = 20;

/** An entry of the outline, in the order of the outline. */
export interface OutlineEntry {
  title: string;
  /** 1 for the outermost. */
  level: number;
  /** Index of the page that it leads to. */
  page: number;
  /** How far up that page it leads, in points, where it says so. */
  top?: number | undefined;
}

/** The entries of a document's outline that lead to a page of it. A broken outline costs the headings, not the document. */
export async function readOutline(file: PdfFile): Promise<OutlineEntry[]> {
  const nodes = flat((await file.getOutline().catch(() => null)) ?? [], 1).slice(0, MOST);
  const places = await Promise.all(nodes.map(({ dest }) => placeOf(dest, file).catch(() => undefined)));
  return nodes.flatMap(({ title, level }, i) => (places[i] ? [{ title, level, ...places[i] }] : []));
}

const flat = (nodes: readonly PdfNode[], level: number): { title: string; level: number; dest: PdfNode['dest'] }[] =>
  nodes.flatMap(({ title, items, dest }) => [{ title, level, dest }, ...(level < DEEPEST ? flat(items, level + 1) : [])]);

/** Where a destination leads (ISO 32000-1, 12.3.2.2): `[page, /XYZ, left, top, zoom]`, `[page, /FitH, top]` and the like, or a name of one. */
async function placeOf(dest: PdfNode['dest'], file: PdfFile): Promise<Omit<OutlineEntry, 'title' | 'level'> | undefined> {
  const [page, fit, ...numbers] = (typeof dest === 'string' ? await file.getDestination(dest) : dest) ?? [];
  if (page === undefined || page === null) return undefined;
  const top = { XYZ: numbers[1], FitH: numbers[0], FitBH: numbers[0], FitR: numbers[3] }[
    (fit as { name?: string } | undefined)?.name ?? ''
  ];
  return { page: typeof page === 'number' ? page : await file.getPageIndex(page), top: typeof top === 'number' ? top : undefined };
}
