import type { IngestResult, Event } from '../../schema/results.ts';
import type { ErrorItem } from '../../schema/items.ts';
import { count, listNames, duration } from '../../text/count.ts';
import type { FlagValues } from '../command-context.ts';
import { repeatFlags } from '../flags.ts';
import { wrapRow } from '../markdown/line-wrapper.ts';
import { makePrintable, type Screen } from '../screen.ts';
import { formatProgress } from '../progress.ts';

/** Maximum failures that are listed; `--json` has them all. */
const MAX_FAILURES = 20;

const MAX_NOTICES = 10;

/** Maximum names in one line of the summary. */
const MAX_NAMED = 3;

/** Writes a failure as a line: the source (unless it is the question), the error and the number of attempts. */
export function formatFailure({ source, source_kind, error, attempts }: ErrorItem): string {
  const text = source_kind === 'query' || source_kind === 'chat' || error.includes(source) ? error : `${source}: ${error}`;
  return makePrintable(attempts > 1 ? `${text} It was tried ${attempts} times.` : text);
}

/** Prints the outcome of an ingest: what was done, what was not and why, and the next command. */
export function showIngest(result: IngestResult, view: IngestView): void {
  const { screen } = view;
  const failures = result.failed > 0 ? `, ${count(result.failed, 'failure')}` : '';
  screen.report(
    screen.color.bold(`${headline(result, view)} "${result.store_result.collection}"${failures}, ${duration(view.milliseconds)}.`),
  );
  for (const [name, text] of [...summaryRows(result, view), ...noteRows(result)])
    screen.report(wrapRow(`  ${name.padEnd(12)} `, makePrintable(text), screen.columns));
  showFailures(result.errors, result.failed, screen);
  if (!view.dry_run && result.errors.some(({ isRetryable }) => isRetryable))
    screen.warn('Some of that may pass: the same command again tries it, and leaves out what is stored already.');
  if (view.dry_run || result.stored + result.unchanged === 0) return;
  const option = repeatFlags(view.flags, { without: view.remembered });
  screen.report(screen.color.dim(`Next: kb retrieve "…"${option}   or   kb chat${option}`));
}

interface IngestView {
  screen: Screen;
  milliseconds: number;
  dry_run: boolean;
  /** Flags of the command line; the suggested next command repeats some. */
  flags: FlagValues;
  /** Keys of the configuration that the collection remembers. */
  remembered: readonly string[];
}

function headline({ sources, unchanged, failed, chunks, stored, pruned }: IngestResult, { dry_run }: IngestView): string {
  if (sources + unchanged + failed === 0) return 'Found no documents for';
  if (sources === 0 && pruned.length > 0) return `${dry_run ? 'Would remove' : 'Removed'} ${count(pruned.length, 'document')} from`;
  if (sources === 0) return `${unchanged > 0 ? 'Nothing has changed' : dry_run ? 'Nothing would be stored' : 'Nothing was stored'} in`;
  return dry_run
    ? `Would store ${count(chunks, 'chunk')} of ${count(sources, 'document')} in`
    : `Stored ${count(stored, 'chunk')} of ${count(sources, 'document')} in`;
}

/** Whether a file was read and could not be made a document: nothing of it is stored, so that it is read again at each ingest. */
const isReadAgain = ({ source_kind, stage }: ErrorItem): boolean => source_kind === 'path' && stage === 'convert';

function summaryRows({ unchanged, embedded, reused, gone, pruned, errors }: IngestResult, { dry_run }: IngestView): [string, string][] {
  const kept = reused > 0 ? `; ${reused.toLocaleString('en')} kept the vector that ${reused === 1 ? 'it' : 'they'} had` : '';
  const again = unchanged > 0 ? errors.filter(isReadAgain).length : 0;
  const rows: [string, number, string][] = [
    ['unchanged', unchanged, `${count(unchanged, 'document')} stored already as ${unchanged === 1 ? 'it is' : 'they are'}: skipped`],
    [
      'read again',
      again,
      `${count(again, 'file')} that failed: each ingest tries ${again === 1 ? 'it' : 'them'}, changed or not, until ${again === 1 ? 'it is' : 'they are'} mended or left out`,
    ],
    ['embedded', embedded + reused, `${count(embedded, 'chunk')}${kept}`],
    [
      dry_run ? 'would prune' : 'pruned',
      pruned.length,
      `${count(pruned.length, 'document')} that ${pruned.length === 1 ? 'is' : 'are'} gone or empty: ${listNames(pruned, MAX_NAMED)}`,
    ],
    [
      'gone',
      gone.length,
      `${count(gone.length, 'document')} that ${gone.length === 1 ? 'is' : 'are'} stored still; --prune removes ${gone.length === 1 ? 'it' : 'them'}: ${listNames(gone, MAX_NAMED)}`,
    ],
  ];
  return rows.flatMap(([name, amount, text]) => (amount > 0 ? [[name, text]] : []));
}

const noteRows = ({ notices }: IngestResult): [string, string][] => {
  const more = notices.length - MAX_NOTICES;
  const rows = notices.slice(0, MAX_NOTICES).map((notice): [string, string] => ['note', notice]);
  return more > 0 ? [...rows, ['note', `… and ${more} more; --json lists them.`]] : rows;
};

function showFailures(errors: readonly ErrorItem[], failed: number, screen: Screen): void {
  if (failed === 0) return;
  screen.warn(screen.colorBeside.red(`${count(failed, 'item')} failed:`));
  for (const error of errors.slice(0, MAX_FAILURES)) screen.warn(`  ${formatFailure(error)}`);
  if (failed > MAX_FAILURES) screen.warn(`  … and ${failed - MAX_FAILURES} more; --json lists them.`);
}

/** Makes a listener that prints the events of a watch, a line with the time each; failures also with `--quiet`. */
export function watchPrinter(screen: Screen): (event: Event) => void {
  let began = Date.now();
  return ({ type, stage, message, data }) => {
    if (type !== 'progress') return;
    if (stage === 'watch') began = Date.now();
    const counts = formatProgress(data, Date.now() - began);
    const isShown = stage === 'watch' || data.waiting === true || data.wait !== undefined;
    if (message && isShown) {
      const line = `${new Date().toTimeString().slice(0, 8)} ${makePrintable(message)}`;
      if (data.state === 'failing') screen.warn(line);
      else screen.note(line);
    } else screen.status(stage === 'watch' || !counts ? undefined : `Ingesting: ${counts}`);
  };
}
