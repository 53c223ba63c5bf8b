import { join } from 'node:path';
import type { PdfItem } from './pdf-lines.ts';
import type { Drawing } from './ruled/page-rules.ts';
import type { PdfAnnotation } from './pdf-links.ts';

/** Where a link leads: a page by its index or its reference, how that is shown, and numbers; or a name of such a place. */
type Destination = string | readonly unknown[] | null;

/** A node of the outline (the bookmarks). */
export interface PdfNode {
  title: string;
  items: PdfNode[];
  dest?: Destination;
}

/** A page as it is shown: cropped and turned. */
export interface Viewport {
  width: number;
  height: number;
  /** From points of the page to this. */
  transform: readonly number[];
}

interface PdfPage {
  getTextContent(): Promise<{ items: (PdfItem | { type: string })[] }>;
  /** What is drawn, as numbers of operations; pictures are decoded for it. */
  getOperatorList(): Promise<Drawing>;
  getViewport(options: { scale: number }): Viewport;
  render(options: { canvas: unknown; canvasContext: unknown; viewport: Viewport }): { promise: Promise<void> };
  cleanup(): void;
}

/** As much of a document of pdf.js as is read here. */
export interface PdfFile {
  readonly numPages: number;
  getPage(number: number): Promise<PdfPage>;
  getMetadata(): Promise<{ info: Record<string, unknown> }>;
  getOutline(): Promise<PdfNode[] | null>;
  /** The annotations of all pages but some, by index. Unlike those of a page, they come without the text below them, for which it is read again. */
  getAnnotationsByType(types: ReadonlySet<number>, pageIndexesToSkip: ReadonlySet<number>): Promise<PdfAnnotation[] | null>;
  getDestination(name: string): Promise<readonly unknown[] | null>;
  /** Of a page by its reference; throws for one that is none. */
  getPageIndex(reference: unknown): Promise<number>;
}

interface PdfOptions {
  /** Passwords that may open it, where it needs one. */
  passwords?: readonly string[] | undefined;
  /** Pixels of a picture; larger ones are left out of what pages draw. */
  maxImageSize?: number;
  /** What pages are drawn on, for `render`. */
  CanvasFactory?: object;
}

interface OpenPdf {
  file: PdfFile;
  close(): Promise<void>;
}

/** Opens a PDF for `use`, and closes it. Throws what pdf-parse throws: a PasswordException for an encrypted file that no password opens. */
export async function withPdf<Result>(bytes: Uint8Array, options: PdfOptions, use: (file: PdfFile) => Promise<Result>): Promise<Result> {
  const { file, close } = await openPdf(bytes, options);
  try {
    return await use(file);
  } finally {
    await close();
  }
}

/** Opens a PDF: one that only its owner has protected without a password, another with the first that fits. */
export async function openPdf(bytes: Uint8Array, { passwords = [], ...options }: PdfOptions): Promise<OpenPdf> {
  for (const [i, password] of [undefined, ...passwords].entries())
    try {
      return await openWith(bytes, { ...options, ...(password === undefined ? {} : { password }) });
    } catch (error) {
      if (!isLocked(error) || i === passwords.length) throw error;
    }
  throw new Error('No password was tried.');
}

/** Whether an error says that a PDF is encrypted, and that the password is missing or another one. */
export const isLocked = (error: unknown): boolean => error instanceof Error && error.name === 'PasswordException';

async function openWith(bytes: Uint8Array, options: Omit<PdfOptions, 'passwords'> & { password?: string }): Promise<OpenPdf> {
  const { PDFParse, pdfTables } = await import('./pdf-library.ts');
  const folder = pdfTables();
  const parser = new PDFParse({
    data: new Uint8Array(bytes), // pdf.js takes it for itself
    cMapUrl: join(folder, 'cmaps/'),
    cMapPacked: true,
    ...(options.CanvasFactory ? { standardFontDataUrl: join(folder, 'standard_fonts/') } : {}), // reading them takes longer than most pages
    wasmUrl: join(folder, 'wasm/'), // for JPEG 2000, which scanners write
    isEvalSupported: false,
    disableFontFace: true,
    verbosity: 0,
    ...options,
  });
  const close = () => parser.destroy();
  try {
    // Private in its types; sizes and places of the text are nowhere else.
    return { file: await (parser as unknown as { load(): Promise<PdfFile> }).load(), close };
  } catch (error) {
    await close();
    throw error;
  }
}
