import { mkdirSync, readdirSync, statSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import picomatch from 'picomatch';
import { width, clip, clipStart } from '../markdown/line-wrapper.ts';
import { KbError } from '../../core/errors.ts';
import { describeFileError } from '../../core/file-names.ts';
import { hash } from '../../core/ids.ts';
import { replaceFileSync } from '../../core/replace-file.ts';
import type { Document, ErrorItem } from '../../schema/items.ts';
import { filePathOf, realPath } from '../../stages/extract/files/local-path.ts';
import type { DocumentsResult, Event } from '../../schema/results.ts';
import type { CommandContext } from '../command-context.ts';
import { makePrintable, type Screen } from '../screen.ts';
import { formatFailure } from './show-ingest.ts';
import type { ListSourcesResult, StoredSourceSummary } from '../../schema/stored/stored-sources.ts';
import { count } from '../../text/count.ts';

/** Maximum bytes of a name; file systems allow 255, including prefix and extension. */
const MAX_NAME_BYTES = 180;
/** Names that Windows reserves for devices, with any extension. */
const DEVICE = /^(con|prn|aux|nul|com\d|lpt\d)(\.|$)/i;

/** Derives a file name from a source: letters and digits of any script and a few signs; never a path or a hidden file. */
export function fileNameOf(source: string): string {
  const plain = source.replace(/^https?:\/\//i, '').replace(/\.(md|markdown)$/i, '');
  const safe = plain.replace(/[^\p{L}\p{M}\p{N}._=]+/gu, '-').replace(/^[.-]+/, '');
  let name = '';
  for (const letter of safe) if (Buffer.byteLength(name + letter) <= MAX_NAME_BYTES) name += letter;
  if (name !== safe) name = `${name}-${hash(source).slice(0, 8)}`;
  return DEVICE.test(name) ? `_${name}` : name || 'document';
}

/** Lists files of the output folder that are also sources, which must not be replaced. */
function listSourceFiles(folder: string, paths: readonly string[]): string[] {
  const real = realPath(resolve(folder));
  return paths.flatMap((given) => {
    const path = realPath(resolve(given));
    const isFolder = isFolderAt(path);
    if (isFolder === false) return dirname(path) === real ? [basename(path)] : [];
    const root = isFolder ? path : realPath(resolve(picomatch.scan(given).base));
    return root === real ? readdirSync(real) : [];
  });
}

/** Whether a path is a folder; undefined if nothing exists there: it may be a pattern or a link. */
function isFolderAt(path: string): boolean | undefined {
  try {
    return statSync(path).isDirectory();
  } catch {
    return undefined;
  }
}

interface WriterOptions {
  home: string;
  /** Files, folders and patterns of the sources. */
  paths?: readonly string[] | undefined;
}

/**
 * Makes a function that writes a document as a Markdown file into a folder, which is created, and returns the path. Replaces existing files,
 * except sources and targets of links. Throws a KbError (`usage`) if writing fails.
 */
export function documentWriter(folder: string, { home, paths = [] }: WriterOptions): (document: Document) => string {
  const place = { cwd: process.cwd(), home };
  const reportWriteErrors = <Result>(what: string, work: () => Result): Result => {
    try {
      return work();
    } catch (cause) {
      throw new KbError('usage', `--output-dir: ${what} cannot be written: ${describeFileError(cause, 'write')}.`, { cause });
    }
  };
  reportWriteErrors(folder, () => mkdirSync(folder, { recursive: true }));
  const used = new Set(reportWriteErrors(folder, () => listSourceFiles(folder, paths)).map((name) => name.toLowerCase()));
  return ({ source, text }) => {
    const own = filePathOf(source, place);
    const isFree = (name: string) => !used.has(name.toLowerCase()) && realPath(resolve(folder, name)) !== own;
    const base = fileNameOf(source);
    let name = `${base}.md`;
    for (let i = 2; !isFree(name); i++) name = `${base}-${i}.md`;
    used.add(name.toLowerCase());
    const path = join(folder, name);
    reportWriteErrors(path, () => replaceFileSync(path, text));
    return path;
  };
}

/** Prints items as JSON lines when they arrive; failures and notices go to standard error. `--json` prints only the result. `--output-dir` writes documents to files; `paths` are their sources. */
export function itemPrinter(
  { screen, flags, loaded }: Pick<CommandContext, 'screen' | 'flags' | 'loaded'>,
  paths?: readonly string[],
): {
  prints: true;
  onEvent(event: Event): void;
  result(result: Pick<DocumentsResult, 'notices'>): void;
} {
  const folder = flags['output-dir'] as string | undefined;
  const write = folder === undefined ? undefined : documentWriter(folder, { home: loaded.home, paths });
  return {
    prints: true,
    onEvent({ type, data }) {
      if (type === 'item' && write) return screen.note(`Wrote ${makePrintable(write(data as Document))}`);
      if (screen.json) return;
      if (type === 'item') screen.printJson(data);
      if (type === 'error') screen.warn(`Error: ${formatFailure(data as unknown as ErrorItem)}`);
    },
    result({ notices }) {
      for (const notice of notices) screen.warn(`Note: ${makePrintable(notice)}`);
    },
  };
}

/** Columns between two cells. */
const GAP = 2;
/** Minimum widths of source and title while other columns can be left out. */
const MIN_WIDTHS: Partial<Record<string, number>> = { source: 24, title: 16 };

const HEADS = ['source', 'title', 'kind', 'chunks', 'characters', 'written (UTC)'] as const;
/** Columns of numbers. */
const RIGHT_ALIGNED = new Set<string>(['chunks', 'characters']);

const toRow = ({ source, title, source_kind, chunks, characters, ingested_at }: StoredSourceSummary): string[] =>
  [
    source,
    title,
    source_kind,
    chunks.toLocaleString('en'),
    characters.toLocaleString('en'),
    ingested_at?.slice(0, 16).replace('T', ' ') ?? '',
  ].map(makePrintable);

/** Columns that may be left out, in this order. */
const OPTIONAL_COLUMNS = ['characters', 'kind', 'written (UTC)', 'chunks', 'title'] as const;

/** Prints documents as a table. If it is too wide, columns are left out, and titles and then sources (at their beginning) are cut. */
export function printDocuments({ sources, total, cursor }: ListSourcesResult, screen: Screen): void {
  if (sources.length === 0) return screen.print(total === 0 ? 'No document matches.' : 'There are no more documents.');
  const rows = sources.map(toRow);
  const columns = fitColumns(
    HEADS.map((head, at) => ({ head, at, room: Math.max(width(head), ...rows.map((row) => width(row[at]!))) })),
    screen.columns ?? Infinity,
  );
  const lineOf = (cells: readonly string[]) =>
    columns
      .map(({ head, at, room }) => {
        const cut = head === 'source' ? clipStart : clip;
        return pad(cut(cells[at]!, room), room, RIGHT_ALIGNED.has(head));
      })
      .join(' '.repeat(GAP))
      .trimEnd();
  screen.print(screen.color.bold(lineOf(HEADS)));
  for (const row of rows) screen.print(lineOf(row));
  if (cursor !== null)
    screen.note(
      `${count(sources.length, 'document')} of ${total.toLocaleString('en')} shown: --limit (up to 1000) shows more, --cursor ${cursor} goes on.`,
    );
}

interface Column {
  head: (typeof HEADS)[number];
  /** Its index in a row. */
  at: number;
  room: number;
}

/** Selects the columns that fit side by side, and their widths. */
function fitColumns(all: readonly Column[], most: number): Column[] {
  const excessOf = (columns: readonly Column[], roomOf: (column: Column) => number) =>
    columns.reduce((sum, column) => sum + roomOf(column) + GAP, -GAP) - most;
  const minimumRoom = ({ head, room }: Column) => Math.min(room, MIN_WIDTHS[head] ?? room);
  const without = OPTIONAL_COLUMNS.map((_, i) => new Set<string>(OPTIONAL_COLUMNS.slice(0, i)));
  const fits = without
    .map((omitted) => all.filter(({ head }) => !omitted.has(head)))
    .find((columns) => excessOf(columns, minimumRoom) <= 0);
  const columns = fits ?? all.filter(({ head }) => head === 'source');
  let excess = excessOf(columns, ({ room }) => room);
  const cutTo = new Map<string, number>();
  for (const column of ['title', 'source'].flatMap((name) => columns.find(({ head }) => head === name) ?? [])) {
    const cut = Math.max(0, Math.min(excess, column.room - minimumRoom(column)));
    cutTo.set(column.head, column.room - cut);
    excess -= cut;
  }
  return columns.map((column) => ({ ...column, room: cutTo.get(column.head) ?? column.room }));
}

function pad(text: string, columns: number, isRight: boolean): string {
  const blanks = ' '.repeat(Math.max(0, columns - width(text)));
  return isRight ? blanks + text : text + blanks;
}
