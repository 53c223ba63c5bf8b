import { readBlocks } from '../../../text/markdown/blocks.ts';

/** Characters of a table's header and delimiter row from which their padding is in the way: both are repeated in each chunk of the table. */
const LONG_HEADER = 240;

/** What every padded table has; most texts have none. */
const MAY_BE_PADDED = / {20}|-{40}/;

const withoutPadding = (row: string): string => row.replace(/ {3,}/g, ' ');

/**
 * Removes the padding of wide tables that were aligned for reading as plain text, where it makes up most of their header. Lines stay lines. Other tables
 * stay as they are written.
 */
export function withoutTablePadding(markdown: string): string {
  if (!MAY_BE_PADDED.test(markdown)) return markdown;
  let [text, at] = ['', 0];
  for (const { kind, start, body, end } of readBlocks(markdown)) {
    if (kind !== 'table') continue;
    const header = withoutPadding(markdown.slice(start, body)).replace(/-{4,}/g, '---');
    if (body - start < LONG_HEADER || header.length > (body - start) / 2) continue;
    text += markdown.slice(at, start) + header + withoutPadding(markdown.slice(body, end));
    at = end;
  }
  return text + markdown.slice(at);
}
