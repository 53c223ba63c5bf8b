import { availableParallelism } from 'node:os';
import { decompress } from './archives/compressed-files.ts';
import { DocumentError, noTextLayerError } from './errors.ts';
import { typeOfName } from './file-types.ts';
import { OcrPool } from './ocr/pool.ts';
import { installedOcrLanguages } from './ocr/programs.ts';
import type { RecognizedPage } from './ocr/recognize.ts';
import { pageRanges } from './page-ranges.ts';
import { parseDocument } from './parse.ts';
import type { ParsedContent } from './parser.ts';
import { DEFAULT_MEGABYTES } from './process/prepare.ts';
import { createIsolatedParser, type IsolatedParser, type ReaderLimits } from './process/parse-pool.ts';
import type { HtmlExtent, PageInWork, ParsedDocument } from './types.ts';

/** What to read, and how. */
export interface ReadOptions {
  /** Path, address or name: its extension says the type, and errors name it. Links of a page are relative to it if it is an address. */
  name: string;
  /** File type, such as `pdf` or `html`. Default: that of the extension, else that of the content. */
  file_type?: string | undefined;
  /** Passwords that may open an encrypted PDF. */
  passwords?: readonly string[] | undefined;
  /** What is read of HTML. Default: `main`. */
  html?: HtmlExtent | undefined;
}

/** How a reader with processes reads a document. */
export interface IsolatedReadOptions extends ReadOptions {
  /** Stops the work. The promise is then rejected with the reason of the signal. */
  signal?: AbortSignal | undefined;
  /**
   * Recognizes the text of pages that are pictures, with the programs and languages in `folder` (see `OCR_PROGRAMS`). `languages`: codes of Tesseract, such as
   * `eng`; default: all that are installed. Without it these pages are listed in the metadata (`pages_without_text`).
   */
  ocr?: { folder: string; languages?: readonly string[] | undefined } | undefined;
  /** Called when the recognition of a page begins, which takes seconds. */
  onPage?: ((page: PageInWork) => void) | undefined;
}

/** Reads documents in other processes. */
export interface Reader {
  /**
   * Reads a document. Throws a `DocumentError` whose code says why it cannot be read, or the reason of the signal.
   */
  read(bytes: Uint8Array, options: IsolatedReadOptions): Promise<ParsedDocument>;
  /** Ends all processes, also those that work. */
  close(): Promise<void>;
}

/** Limits of a reader whose caller sets none: seconds and megabytes of one document. */
const LIMITS: ReaderLimits = { processes: Math.min(4, availableParallelism()), seconds: 120, megabytes: DEFAULT_MEGABYTES };

/**
 * Reads a document in this process, without limits on time and memory and without OCR: for files that are trusted. The bytes are not changed. Throws a
 * `DocumentError` whose code says why it cannot be read.
 */
export async function readDocument(bytes: Uint8Array, { name: source, ...options }: ReadOptions): Promise<ParsedDocument> {
  return withoutPictures(await parseDocument({ bytes: await decompress(bytes, source), source, ...options }), source);
}

/**
 * Creates a reader that parses documents in other processes, except for short texts. A process that exceeds a limit, or crashes, is replaced: it costs only its
 * document. Processes start when they are needed, and end with `close` or with this process. Default limits: as many processes as cores,
 * at most 4; 120 s; 1024 MiB.
 */
export function createReader(limits: Partial<ReaderLimits> = {}): Reader {
  const all = { ...LIMITS, ...limits };
  const parser = createIsolatedParser(all);
  const pool = new OcrPool({ processes: all.processes, seconds: SECONDS_A_PAGE, megabytes: OCR_MEGABYTES });
  return {
    async read(bytes, options) {
      const task = { ...options, bytes: await decompress(bytes, options.name) };
      const parsed = await parse(parser, task);
      if (!parsed.pictured_pages || !options.ocr) return withoutPictures(parsed, options.name);
      return withType(await readScan({ ...task, ocr: options.ocr, parsed }, { parser, pool }), parsed.file_type);
    },
    close: async () => void (await Promise.all([parser.close(), pool.close()])),
  };
}

type Task = IsolatedReadOptions & { bytes: Uint8Array; recognized?: ReadonlyMap<number, RecognizedPage['lines']> };

const parse = (parser: IsolatedParser, { name: source, ocr: _ocr, onPage: _onPage, ...task }: Task): Promise<ParsedContent> =>
  parser.parse({ source, ...task });

const withType = (document: ParsedDocument, file_type: string | undefined): ParsedDocument =>
  file_type === undefined ? document : { ...document, file_type };

/** Lists the pages that are pictures in the metadata. Throws a DocumentError (`no_text_layer`) if the document has no other text. */
function withoutPictures({ pictured_pages, ...document }: ParsedContent, source: string): ParsedDocument {
  if (!pictured_pages) return document;
  if (document.text.trim() === '') throw noTextLayerError(source, pictured_pages.length);
  return withUnread(document, pictured_pages);
}

const withUnread = (document: ParsedDocument, pages: readonly number[]): ParsedDocument =>
  pages.length === 0 ? document : { ...document, metadata: { ...document.metadata, pages_without_text: pageRanges(pages) } };

/** Confidence below which a page is reported: about every fifth of its words is wrong. */
const UNCERTAIN = 0.7;
/** Maximum seconds for a page: a full one that is skewed or upside down takes ten. */
const SECONDS_A_PAGE = 90;
const OCR_MEGABYTES = 1536;

/** Reads a document with the text of its pictures. Throws a DocumentError (`no_ocr`) if OCR or a language is not installed. */
async function readScan(
  { ocr, parsed, ...task }: Task & { ocr: NonNullable<Task['ocr']>; parsed: ParsedContent },
  { parser, pool }: { parser: IsolatedParser; pool: OcrPool },
): Promise<ParsedDocument> {
  const { name, bytes, passwords, signal, onPage } = task;
  const pages = parsed.pictured_pages ?? [];
  const file_type = parsed.file_type ?? task.file_type ?? typeOfName(name)!;
  const languages = chooseLanguages(name, ocr);
  let count = 0;
  const onStart = (page: number) => onPage?.({ source: name, page, count: ++count, total: pages.length });
  const results = await pool.recognize({ bytes, file_type, passwords, signal, folder: ocr.folder, languages, pages, onStart });
  const recognized = new Map([...results].map(([page, { lines }]) => [page, lines]));
  const { pictured_pages: unread = [], ...document } = await parse(parser, { ...task, file_type, recognized });
  if (unread.length > 0 && document.text.trim() === '')
    throw new DocumentError('invalid', `${name} has pictures for pages, and their text could not be recognized.`, {
      hint: 'Scan it again with 300 dots per inch, or leave it out.',
    });
  return withUnread({ ...document, metadata: { ...document.metadata, ...ocrMetadata(results) } }, unread);
}

function ocrMetadata(results: ReadonlyMap<number, RecognizedPage>): Record<string, unknown> {
  const pages = [...results].filter(([, { words }]) => words > 0);
  const words = pages.reduce((sum, [, page]) => sum + page.words, 0);
  const confidence = pages.reduce((sum, [, page]) => sum + page.confidence * page.words, 0) / Math.max(1, words);
  const unsure = pages.flatMap(([number, page]) => (page.confidence < UNCERTAIN ? [number] : []));
  return {
    ocr_pages: results.size,
    ocr_confidence: Math.round(confidence * 100) / 100,
    ...(unsure.length > 0 ? { ocr_unsure_pages: pageRanges(unsure) } : {}),
  };
}

/** Chooses the languages for OCR. Throws a DocumentError (`no_ocr`) that lists those that are missing. */
function chooseLanguages(source: string, { folder, languages: requested }: NonNullable<Task['ocr']>): readonly string[] {
  const installed = installedOcrLanguages(folder);
  const languages = requested ?? installed;
  const missing = languages.filter((language) => !installed.includes(language));
  if (languages.length > 0 && missing.length === 0) return languages;
  const what = installed.length === 0 ? 'OCR is not set up' : `OCR has no data for ${missing.join(', ')}`;
  throw new DocumentError('no_ocr', `${source} has pages without a text layer, and ${what}.`, {
    hint: `Install OCR with the languages ${missing.join(', ') || 'that you need'} in ${folder}.`,
    languages: missing,
  });
}
