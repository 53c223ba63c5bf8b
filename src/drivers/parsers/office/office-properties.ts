import type { Metadata } from '../../../schema/items.ts';
import { givenProperties } from '../parsed-document.ts';
import type { Archive } from './archive.ts';

/** The core and the extended properties of a document, as they are written. */
interface Parts {
  core: string;
  app: string;
}

interface OfficeProperties {
  title?: string | undefined;
  metadata: Metadata;
}

const ENTITIES: Record<string, string> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" };

/** An element of a flat list, whatever its prefix, and its text. */
const elementNamed = (name: string): RegExp => new RegExp(`<(?:[\\w.-]+:)?${name}(?:\\s[^<>]*)?>([^<]*)<`);
const [TITLE, CREATOR, CREATED, DESCRIPTION, SUBJECT, LANGUAGE, PAGES] = [
  elementNamed('title'),
  elementNamed('creator'),
  elementNamed('created'),
  elementNamed('description'),
  elementNamed('subject'),
  elementNamed('language'),
  elementNamed('Pages'),
];

/** Title and metadata of a DOCX or PPTX, from its core properties (ECMA-376, part 2, 11). */
export async function readOfficeProperties(archive: Archive): Promise<OfficeProperties> {
  const [core = '', app = ''] = [await archive.text('docProps/core.xml'), await archive.text('docProps/app.xml')];
  return propertiesIn({ core, app });
}

/** What the parts say. */
export function propertiesIn({ core, app }: Parts): OfficeProperties {
  const pages = Number(textOf(PAGES, app));
  const known = {
    author: textOf(CREATOR, core),
    created: isoDate(textOf(CREATED, core)),
    description: textOf(DESCRIPTION, core) ?? textOf(SUBJECT, core),
    lang: textOf(LANGUAGE, core),
    pages: pages > 0 ? pages : undefined,
  };
  return { title: textOf(TITLE, core), metadata: givenProperties(known) };
}

function textOf(element: RegExp, xml: string): string | undefined {
  const text = element
    .exec(xml)?.[1]
    ?.replace(/&(?:#(x?)([\da-f]+)|\w+);/gi, (entity: string, hex: string | undefined, number: string) =>
      hex === undefined ? (ENTITIES[entity.slice(1, -1)] ?? entity) : letter(Number.parseInt(number, hex ? 16 : 10)),
    );
  return text?.trim() || undefined;
}

const letter = (code: number): string => (code <= 0x10ffff ? String.fromCodePoint(code) : '\ufffd');

function isoDate(text: string | undefined): string | undefined {
  const date = new Date(text ?? '');
  return Number.isNaN(date.getTime()) ? undefined : date.toISOString();
}
