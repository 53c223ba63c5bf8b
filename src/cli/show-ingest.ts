import { extname } from 'node:path';
import type { ErrorItem, IngestResult } from '../schema/results.ts';
import { duration } from './progress.ts';
import { printable, type Screen } from './screen.ts';

/** Failures listed one by one; the report (`--json`) has them all. */
const MOST_FAILURES = 20;

const count = (number: number, one: string, many = `${one}s`): string => `${number.toLocaleString('en')} ${number === 1 ? one : many}`;

/** One failure as a line. */
export const failureLine = ({ source, error }: ErrorItem): string => printable(error.includes(source) ? error : `${source}: ${error}`);

/** What a person wants to know when an ingest is over: what was done, what was not and why, and what to type next. */
export function showIngest(
  result: IngestResult,
  { screen, milliseconds, dry_run }: { screen: Screen; milliseconds: number; dry_run: boolean },
): void {
  const { color } = screen;
  const { sources, unchanged, chunks, stored, embedded, reused, pruned, failed, store_result } = result;
  const done = dry_run
    ? `Would store ${count(chunks, 'chunk')} of ${count(sources, 'document')}`
    : `Stored ${count(stored, 'chunk')} of ${count(sources, 'document')}`;
  screen.print(
    color.bold(
      `${sources + unchanged + failed === 0 ? 'Found no documents' : done} in «${store_result.collection}», ${duration(milliseconds)}.`,
    ),
  );
  const rows: [string, string][] = [];
  if (unchanged > 0) rows.push(['unchanged', `${count(unchanged, 'document')} stored already as they are: skipped`]);
  if (embedded > 0)
    rows.push([
      'embedded',
      `${count(embedded, 'chunk')}${reused > 0 ? `; ${reused.toLocaleString('en')} kept the vector that they had` : ''}`,
    ]);
  if (pruned.length > 0)
    rows.push([
      dry_run ? 'would prune' : 'pruned',
      `${count(pruned.length, 'document')} that ${pruned.length === 1 ? 'is' : 'are'} gone: ${listed(pruned)}`,
    ]);
  if (result.passed_over.length > 0)
    rows.push(['passed over', `${count(result.passed_over.length, 'file')} of other kinds (${extensions(result.passed_over)})`]);
  for (const [name, text] of rows) screen.print(`  ${name.padEnd(12)} ${printable(text)}`);
  showFailures(result.errors, failed, screen);
  if (!dry_run && stored + unchanged > 0)
    screen.print(color.dim(`Next: kb retrieve "…"${option(store_result.collection)}   or   kb chat${option(store_result.collection)}`));
}

const option = (collection: string): string => (collection === 'default' ? '' : ` --collection ${collection}`);

/** Failures, each with its reason. */
export function showFailures(errors: readonly ErrorItem[], failed: number, screen: Screen): void {
  if (failed === 0) return;
  screen.warn(screen.color.red(`${count(failed, 'item')} failed:`));
  for (const error of errors.slice(0, MOST_FAILURES)) screen.warn(`  ${failureLine(error)}`);
  if (failed > MOST_FAILURES) screen.warn(`  … and ${failed - MOST_FAILURES} more; --json lists them.`);
}

function listed(names: readonly string[]): string {
  return names.slice(0, 3).join(', ') + (names.length > 3 ? ` and ${names.length - 3} more` : '');
}

function extensions(paths: readonly string[]): string {
  const all = [...new Set(paths.map((path) => extname(path) || 'no extension'))].toSorted();
  return listed(all);
}
