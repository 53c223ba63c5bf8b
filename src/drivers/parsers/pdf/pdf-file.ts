import { join } from 'node:path';
import type { PdfItem } from './pdf-lines.ts';

/** Where a link leads: a page by its index or its reference, how that is shown, and numbers; or a name of such a place. */
type Destination = string | readonly unknown[] | null;

/** A node of the outline (the bookmarks). */
export interface PdfNode {
  title: string;
  items: PdfNode[];
  dest?: Destination;
}

/** As much of a document of pdf.js as is read here. */
export interface PdfFile {
  readonly numPages: number;
  getPage(number: number): Promise<{ getTextContent(): Promise<{ items: (PdfItem | { type: string })[] }>; cleanup(): void }>;
  getMetadata(): Promise<{ info: Record<string, unknown> }>;
  getOutline(): Promise<PdfNode[] | null>;
  getDestination(name: string): Promise<readonly unknown[] | null>;
  /** Of a page by its reference; throws for one that is none. */
  getPageIndex(reference: unknown): Promise<number>;
}

/** Opens a PDF for `use`, and closes it. Throws what pdf-parse throws: a PasswordException for an encrypted file. */
export async function withPdf<Result>(bytes: Uint8Array, use: (file: PdfFile) => Promise<Result>): Promise<Result> {
  const { PDFParse, pdfTables } = await import('./pdf-library.ts');
  const folder = pdfTables();
  const parser = new PDFParse({
    data: new Uint8Array(bytes), // pdf.js takes it for itself
    cMapUrl: join(folder, 'cmaps/'),
    cMapPacked: true,
    standardFontDataUrl: join(folder, 'standard_fonts/'),
    isEvalSupported: false,
    disableFontFace: true,
    verbosity: 0,
  });
  try {
    // Private in its types; sizes and places of the text are nowhere else.
    return await use(await (parser as unknown as { load(): Promise<PdfFile> }).load());
  } finally {
    await parser.destroy();
  }
}
