import { join } from 'node:path';
import type { OperatorList } from './drawing.ts';
import type { PdfFont } from './glyphs.ts';
import type { PdfItem } from './lines.ts';

/** The mode of pdf.js in which what annotations draw is not listed. */
export const NO_ANNOTATIONS = 0;
/** Maximum entries and depth that are read; a document for people has fewer. */
const MAX_ENTRIES = 5000;
const MAX_DEPTH = 20;

/** A destination: a page (its index or reference), how it is shown, and coordinates; or the name of a destination. */
type Destination = string | readonly unknown[] | null;

/** An outline item (bookmark). */
interface OutlineNode {
  title: string;
  items: OutlineNode[];
  dest?: Destination;
}

/** A page as it is shown: cropped and turned. */
export interface Viewport {
  width: number;
  height: number;
  /** Maps points of the page to coordinates of the viewport. */
  transform: readonly number[];
}

/** The used part of a link, a field of a form, or a text that is typed onto a page. */
export interface PdfAnnotation {
  pageIndex: number;
  annotationType: number;
  annotationFlags?: number;
  /** Left, lower, right and upper edge, in points. */
  rect: readonly number[];
  /** The target of a link, if that is outside of the document. */
  url?: string;
  /** What is typed onto the page. */
  contentsObj?: { str: string };
  /** Lines of what it shows. */
  textContent?: readonly string[];
  defaultAppearanceData?: { fontSize: number };
  /** Tx for text, Ch for a choice, Btn for a button, Sig for a signature. */
  fieldType?: string;
  fieldValue?: unknown;
  options?: readonly { exportValue: string; displayValue: string }[];
  password?: boolean;
  checkBox?: boolean;
  radioButton?: boolean;
  /** The values of a box or a button that is ticked. */
  exportValue?: string;
  buttonValue?: string;
}

/** The used part of a page of pdf.js. */
export interface PdfPage {
  getTextContent(): Promise<{ items: (PdfItem | { type: string })[] }>;
  /** Lists what is drawn; decodes the pictures. */
  getOperatorList(options?: { annotationMode: number }): Promise<OperatorList>;
  getViewport(options: { scale: number }): Viewport;
  render(options: { canvas: unknown; canvasContext: unknown; viewport: Viewport }): { promise: Promise<void> };
  /** The fonts of what was listed. */
  commonObjs: { get(name: string): PdfFont | undefined; has(name: string): boolean };
  cleanup(): void;
}

/** The used part of a document of pdf.js. */
export interface PdfFile {
  readonly numPages: number;
  getPage(number: number): Promise<PdfPage>;
  getMetadata(): Promise<{ info: Record<string, unknown> }>;
  getOutline(): Promise<OutlineNode[] | null>;
  /** Lists the annotations of all pages but some, by index. Faster than page by page, which also reads the text below them. */
  getAnnotationsByType(types: ReadonlySet<number>, pageIndexesToSkip: ReadonlySet<number>): Promise<PdfAnnotation[] | null>;
  getDestination(name: string): Promise<readonly unknown[] | null>;
  /** Finds the index of a page by its reference; throws for an invalid one. */
  getPageIndex(reference: unknown): Promise<number>;
}

interface PdfOptions {
  /** Passwords to try. */
  passwords?: readonly string[] | undefined;
  /** Maximum pixels of a picture; larger ones are not decoded. */
  maxImageSize?: number;
  /** Whether fonts tell where their characters come from. */
  fontExtraProperties?: boolean;
  /** Creates the canvases for `render`. */
  CanvasFactory?: object;
}

interface OpenPdf {
  file: PdfFile;
  close(): Promise<void>;
}

/** Opens a PDF for `use`, and closes it. Throws the errors of pdf-parse: a PasswordException if no password opens an encrypted file. */
export async function withPdf<Result>(bytes: Uint8Array, options: PdfOptions, use: (file: PdfFile) => Promise<Result>): Promise<Result> {
  const { file, close } = await openPdf(bytes, options);
  try {
    return await use(file);
  } finally {
    await close();
  }
}

/** Opens a PDF without a password (also one that only restricts its use), else with the first that fits. */
export async function openPdf(bytes: Uint8Array, { passwords = [], ...options }: PdfOptions): Promise<OpenPdf> {
  for (const [i, password] of [undefined, ...passwords].entries())
    try {
      return await openWith(bytes, { ...options, ...(password === undefined ? {} : { password }) });
    } catch (error) {
      if (!isLocked(error) || i === passwords.length) throw error;
    }
  throw new Error('No password was tried.');
}

/** Whether an error says that the password of an encrypted PDF is missing or wrong. */
export const isLocked = (error: unknown): boolean => error instanceof Error && error.name === 'PasswordException';

/** What pdf.js loads fonts into. They are not drawn; without it, pdf.js would compile the outline of each letter that a page has. */
class UnloadedFont {
  readonly loaded = Promise.resolve();
}
const unloadedFonts = { disableFontFace: false, ownerDocument: { fonts: { add: () => {}, delete: () => {} } } };

let library: Promise<Pick<typeof import('./library.ts'), 'PDFParse'> & { folder: string }> | undefined;

const loadLibrary = () => (library ??= import('./library.ts').then(({ PDFParse, pdfTables }) => ({ PDFParse, folder: pdfTables() })));

async function openWith(bytes: Uint8Array, options: Omit<PdfOptions, 'passwords'> & { password?: string }): Promise<OpenPdf> {
  const { PDFParse, folder } = await loadLibrary();
  const isDrawn = options.CanvasFactory !== undefined;
  if (!isDrawn) Object.assign(globalThis, { FontFace: UnloadedFont });
  const parser = new PDFParse({
    data: new Uint8Array(bytes), // a copy: pdf.js transfers it
    cMapUrl: join(folder, 'cmaps/'),
    cMapPacked: true,
    ...(isDrawn ? { standardFontDataUrl: join(folder, 'standard_fonts/'), disableFontFace: true } : unloadedFonts), // standard fonts are slow
    wasmUrl: join(folder, 'wasm/'), // for JPEG 2000, which scanners write
    isEvalSupported: false,
    verbosity: 0,
    ...options,
  });
  const close = () => parser.destroy();
  try {
    // private in its types, but the only access to the positions of text
    return { file: await (parser as unknown as { load(): Promise<PdfFile> }).load(), close };
  } catch (error) {
    await close();
    throw error;
  }
}

/** An outline item, in the order of the outline. */
export interface OutlineEntry {
  title: string;
  /** 1 for the outermost. */
  level: number;
  /** Index of the page that it leads to. */
  page: number;
  /** The y on that page that it leads to, in points, if given. */
  top?: number | undefined;
}

/** Lists the outline items that lead to a page. A broken outline costs the headings, not the document. */
export async function readOutline(file: PdfFile): Promise<OutlineEntry[]> {
  const nodes = flatten((await file.getOutline().catch(() => null)) ?? [], 1).slice(0, MAX_ENTRIES);
  const targets = await Promise.all(nodes.map(({ dest }) => resolveDestination(dest, file).catch(() => undefined)));
  return nodes.flatMap(({ title, level }, i) => (targets[i] ? [{ title, level, ...targets[i] }] : []));
}

const flatten = (nodes: readonly OutlineNode[], level: number): (Omit<OutlineNode, 'items'> & { level: number })[] =>
  nodes.flatMap(({ items, ...node }) => [{ ...node, level }, ...(level < MAX_DEPTH ? flatten(items, level + 1) : [])]);

/** Resolves a destination (ISO 32000-1, 12.3.2.2): `[page, /XYZ, left, top, zoom]`, `[page, /FitH, top]` and the like, or a name. */
async function resolveDestination(dest: Destination | undefined, file: PdfFile): Promise<Pick<OutlineEntry, 'page' | 'top'> | undefined> {
  const [page, fit, ...numbers] = (typeof dest === 'string' ? await file.getDestination(dest) : dest) ?? [];
  if (page === undefined || page === null) return undefined;
  const { name = '' } = (fit ?? {}) as { name?: string };
  const top = { XYZ: numbers[1], FitH: numbers[0], FitBH: numbers[0], FitR: numbers[3] }[name];
  return { page: typeof page === 'number' ? page : await file.getPageIndex(page), top: typeof top === 'number' ? top : undefined };
}
