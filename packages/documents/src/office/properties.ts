import type { Metadata } from '../types.ts';
import { findText } from '../xml.ts';
import { readPart } from './xml.ts';
import { removeUndefined } from '../parsed-document.ts';
import type { Archive } from './archive.ts';

/** Parts with properties, of Office Open XML (ECMA-376, part 2, 11) and OpenDocument. */
const PARTS = ['docProps/core.xml', 'docProps/app.xml', 'meta.xml'];

/** Title and metadata of a document. */
export interface OfficeProperties {
  title?: string | undefined;
  metadata: Metadata;
}

/** Reads title and metadata of an office document. A part with invalid XML costs its properties, not the document. */
export async function readOfficeProperties(archive: Archive): Promise<OfficeProperties> {
  const parts = await Promise.all(PARTS.map((name) => readPart(archive, name).catch(() => undefined)));
  const property = (...names: string[]): string | undefined =>
    names.flatMap((name) => parts.flatMap((part) => (part && findText(part, name)) ?? []))[0];
  const created = new Date(property('created', 'creation-date', 'date') ?? '');
  const pages = Number(property('Pages'));
  const metadata = removeUndefined({
    author: property('initial-creator', 'creator'),
    created: Number.isNaN(created.getTime()) ? undefined : created.toISOString(),
    description: property('description', 'subject'),
    lang: property('language'),
    pages: pages > 0 ? pages : undefined,
  });
  return { title: property('title'), metadata };
}
