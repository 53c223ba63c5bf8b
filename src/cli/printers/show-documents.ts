import width from 'string-width';
import type { ListSourcesResult, StoredSourceSummary } from '../../schema/stored/stored-sources.ts';
import { count } from '../../text/count.ts';
import { clipped } from '../markdown/flow.ts';
import { printable, type Screen } from '../screen.ts';

/** Columns between two cells, and what source and title are not cut below. */
const GAP = 2;
const NARROWEST = 16;

const HEADS = ['source', 'title', 'kind', 'chunks', 'characters', 'written (UTC)'] as const;
/** Numbers stand at the right. */
const RIGHT = new Set<string>(['chunks', 'characters']);

const rowOf = ({ source, title, source_kind, chunks, characters, ingested_at }: StoredSourceSummary): string[] =>
  [
    source,
    title,
    source_kind,
    chunks.toLocaleString('en'),
    characters.toLocaleString('en'),
    ingested_at?.slice(0, 16).replace('T', ' ') ?? '',
  ].map(printable);

/** A line a document, as columns; where they don't fit, titles and then sources are cut. */
export function printDocuments({ sources, total, cursor }: ListSourcesResult, screen: Screen): void {
  if (sources.length === 0) return screen.print(total === 0 ? 'No document matches.' : 'There are no more documents.');
  const rows = sources.map(rowOf);
  const room = HEADS.map((head, i) => Math.max(width(head), ...rows.map((row) => width(row[i]!))));
  let excess = room.reduce((sum, columns) => sum + columns + GAP, -GAP) - (screen.columns ?? Infinity);
  for (const place of [1, 0]) {
    const cut = Math.max(0, Math.min(excess, room[place]! - NARROWEST));
    room[place]! -= cut;
    excess -= cut;
  }
  const lineOf = (cells: readonly string[]) =>
    cells
      .map((cell, i) => padded(clipped(cell, room[i]!), room[i]!, RIGHT.has(HEADS[i]!)))
      .join(' '.repeat(GAP))
      .trimEnd();
  screen.print(screen.color.bold(lineOf(HEADS)));
  for (const row of rows) screen.print(lineOf(row));
  if (cursor !== null)
    screen.note(
      `${count(sources.length, 'document')} of ${total.toLocaleString('en')} shown: --limit (up to 1000) shows more, --cursor ${cursor} goes on.`,
    );
}

function padded(text: string, columns: number, isRight: boolean): string {
  const blanks = ' '.repeat(Math.max(0, columns - width(text)));
  return isRight ? blanks + text : text + blanks;
}
