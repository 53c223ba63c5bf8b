import type { Metadata } from '../../schema/items.ts';
import { openArchive } from './archive.ts';

const ENTITIES: Record<string, string> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" };

/** Title and metadata of a DOCX or PPTX, from its core properties (ECMA-376, part 2, 11). */
export async function readOfficeProperties(
  bytes: Uint8Array,
  { source }: { source: string },
): Promise<{ title?: string | undefined; metadata: Metadata }> {
  const archive = await openArchive(bytes, { source });
  const core = (await archive.text('docProps/core.xml')) ?? '';
  const app = (await archive.text('docProps/app.xml')) ?? '';
  const pages = Number(element(app, 'Pages'));
  const known = {
    author: element(core, 'creator'),
    created: isoDate(element(core, 'created')),
    description: element(core, 'description') ?? element(core, 'subject'),
    lang: element(core, 'language'),
    pages: pages > 0 ? pages : undefined,
  };
  return { title: element(core, 'title'), metadata: Object.fromEntries(Object.entries(known).filter(([, value]) => value !== undefined)) };
}

/** The text of an element that stands once in a flat list of elements, whatever its prefix. */
function element(xml: string, name: string): string | undefined {
  const content = new RegExp(`<(?:[\\w.-]+:)?${name}(?:\\s[^>]*)?>([^<]*)<`).exec(xml)?.[1];
  const text = content?.replace(/&(?:#(x?)([\da-f]+)|\w+);/gi, (entity: string, hex: string | undefined, number: string) =>
    hex === undefined ? (ENTITIES[entity.slice(1, -1)] ?? entity) : letter(Number.parseInt(number, hex ? 16 : 10)),
  );
  return text?.trim() || undefined;
}

const letter = (code: number): string => (code <= 0x10ffff ? String.fromCodePoint(code) : '\ufffd');

function isoDate(text: string | undefined): string | undefined {
  const date = new Date(text ?? '');
  return Number.isNaN(date.getTime()) ? undefined : date.toISOString();
}
