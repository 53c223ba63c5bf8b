import { settle } from '../core/run.ts';
import type { PageInWork } from '../ports/reading.ts';
import type { Event } from '../schema/results.ts';
import { count, duration } from '../text/count.ts';
import { makePrintable, type Screen } from './screen.ts';

interface ProgressOptions {
  screen: Screen;
  /** Title of the progress line; without it none is shown. */
  title?: string | undefined;
  /** Text beside a spinner, for work without progress to count; shown on a terminal only. */
  waiting?: string | undefined;
  /** Whether `onEvent` prints lines itself, so that no progress line is drawn. */
  prints?: boolean | undefined;
  onEvent?: ((event: Event) => void) | undefined;
}

/** Minimum columns for a redrawn line; a narrower terminal, or one of unknown width, would break it. */
const MIN_COLUMNS = 40;

/** Milliseconds between two progress lines if standard error is no terminal. */
const LINE_INTERVAL = 5_000;

/** Runs to the end and shows progress: a moving line on a terminal, plain lines elsewhere, nothing with `--quiet` or without a title. */
export async function showProgress<R>(
  run: AsyncGenerator<Event, R, void>,
  { screen, title, waiting, prints = false, onEvent }: ProgressOptions,
): Promise<R> {
  const renderer = chooseRenderer(screen, { title, waiting, columns: process.stderr.columns });
  const drain = (show: (event: Event) => void): Promise<R> =>
    settle(run, (event) => {
      onEvent?.(event);
      show(event);
      return screen.waitForDrain();
    });
  if (renderer === 'none') return drain(() => {});
  if (renderer === 'spinner') return withSpinner(waiting!, screen, drain);
  if (renderer === 'lines') return drain(createLinePrinter(screen, { title: title!, prints }));
  if (renderer === 'moving' && !prints) return drawMovingLine(title!, drain);
  if (title === undefined) screen.status(waiting);
  return drain(createStatusPrinter(screen, title ?? waiting!)).finally(() => screen.status());
}

/** Chooses how progress is shown. */
export function chooseRenderer(
  { quiet, isTerminal }: Pick<Screen, 'quiet' | 'isTerminal'>,
  { title, waiting, columns = 0 }: Pick<ProgressOptions, 'title' | 'waiting'> & { columns?: number | undefined },
): 'none' | 'spinner' | 'moving' | 'status' | 'lines' {
  if (quiet) return 'none';
  if (isTerminal && columns < MIN_COLUMNS) return (title ?? waiting) === undefined ? 'none' : 'status';
  if (waiting !== undefined && isTerminal) return 'spinner';
  if (title === undefined) return 'none';
  return isTerminal ? 'moving' : 'lines';
}

/** Shows a spinner during work without progress to count, such as loading a model or waiting for a lock. */
async function withSpinner<R>(
  waiting: string,
  { colorBeside }: Pick<Screen, 'colorBeside'>,
  drain: (show: (event: Event) => void) => Promise<R>,
): Promise<R> {
  const { default: ora } = await import('ora');
  // ora must not read standard input, which is for prompts
  const color = colorBeside.level > 0 && 'cyan'; // ora itself does not heed NO_COLOR
  const spinner = ora({ text: waiting, color, stream: process.stderr, discardStdin: false, hideCursor: false }).start();
  const show = (event: Event) => {
    if (event.message && isProgressText(event)) spinner.text = makePrintable(event.message);
  };
  return await drain(show).finally(() => spinner.stop());
}

/** Draws progress on standard error; the caller reports a failure. */
async function drawMovingLine<R>(title: string, drain: (show: (event: Event) => void) => Promise<R>): Promise<R> {
  const { DefaultRenderer, Listr, ListrLogger, ProcessOutput } = await import('listr2');
  // listr2 would draw on standard output, and only if that is a terminal
  class StderrRenderer extends DefaultRenderer {
    static override nonTTY = true;
  }
  const processOutput = new ProcessOutput(process.stderr, process.stderr);
  const logger = new ListrLogger({ useIcons: true, toStderr: [], processOutput });
  const began = Date.now();
  let result: R;
  const work = async (_context: unknown, task: { title: string; output: string }) => {
    result = await drain((event) => {
      if (event.type === 'error') return;
      if (event.message && isProgressText(event)) task.output = makePrintable(event.message);
      const counts = formatProgress(event.data, Date.now() - began);
      if (counts) task.title = `${title}: ${counts}`;
    });
  };
  const list = new Listr([{ title, task: work }], {
    renderer: StderrRenderer,
    rendererOptions: { logger, showErrorMessage: false },
    registerSignalListeners: false,
  });
  await list.run();
  return result!;
}

/** Whether progress shows the message of an event; the caller prints failures, notices and items. */
const isProgressText = ({ type, data }: Event): boolean => (type === 'progress' || type === 'page') && data.notice !== true;

function createStatusPrinter(screen: Screen, title: string): (event: Event) => void {
  const began = Date.now();
  return (event) => {
    const { type, data, message } = event;
    if (message && isProgressText(event)) screen.note(makePrintable(message));
    const counts = type === 'progress' && formatProgress(data, Date.now() - began);
    if (counts) screen.status(`${title}: ${counts}`);
  };
}

function createLinePrinter(screen: Screen, { title, prints }: { title: string; prints: boolean }): (event: Event) => void {
  const began = Date.now();
  let reportedAt = began;
  if (!prints) screen.note(`${title} …`);
  return (event) => {
    const { type, data, message } = event;
    if (message && isProgressText(event)) screen.note(makePrintable(message));
    if (type !== 'progress') return;
    const now = Date.now();
    const counts = formatProgress(data, now - began);
    if (!counts || now - reportedAt < LINE_INTERVAL) return;
    reportedAt = now;
    screen.note(`${title}: ${counts}`);
  };
}

type Amount = (name: string) => number | undefined;

/** Writes amount, rate and remaining time: `120 of 400, 812 chunks, 42 chunks/s, about 1 min left`; for a crawl `124 pages, 37 queued, 2 failed, 61 pages/s`. */
export function formatProgress(data: Record<string, unknown>, milliseconds: number): string {
  const { pause, ...others } = data;
  if (pause !== undefined) {
    const { seconds, reason } = pause as { seconds: number; reason: string };
    return `${formatProgress(others, milliseconds)}, waiting ${seconds} s: ${makePrintable(reason)}`;
  }
  const amount: Amount = (name) => (typeof data[name] === 'number' ? data[name] : undefined);
  if (amount('queued') !== undefined) return formatCrawlProgress(amount, milliseconds);
  const [done, expected, chunks, embedded] = [amount('done'), amount('expected'), amount('chunks'), amount('embedded')];
  if (done === undefined) return '';
  const parts = [expected ? `${done.toLocaleString('en')} of ${expected.toLocaleString('en')}` : done.toLocaleString('en')];
  if (embedded) parts.push(formatEmbedded(embedded, chunks));
  else if (chunks !== undefined) parts.push(count(chunks, 'chunk'));
  const finished = embedded || chunks || done;
  const rate = Math.round(finished / (milliseconds / 1000));
  if (milliseconds > 1000 && rate > 0) parts.push(`${rate.toLocaleString('en')} ${chunks ? 'chunks/s' : 'per second'}`);
  const share = estimateShareDone(amount);
  if (share !== undefined && share > 0 && share < 1 && milliseconds > 3000)
    parts.push(`${duration((milliseconds / share) * (1 - share))} left`);
  if (amount('failed')) parts.push(`${amount('failed')} failed`);
  const page = data['recognizing'] as PageInWork | undefined;
  if (page) parts.push(`recognizing page ${page.page} of ${makePrintable(page.source)} (${page.count} of ${page.total})`);
  return parts.join(', ');
}

/**
 * Estimates the share of the work that is done, 0 to 1, from finished and expected chunks; the chunks per byte so far are extrapolated.
 * Undefined if the bytes are unknown.
 */
function estimateShareDone(amount: Amount): number | undefined {
  const [bytes, all, chunks] = [amount('bytes'), amount('expected_bytes'), amount('chunks')];
  if (!bytes || !all || !chunks) return undefined;
  const ended = Math.max(amount('stored') ?? 0, amount('embedded') ? amount('embedded')! + (amount('reused') ?? 0) : 0);
  return ended / (chunks * Math.max(1, all / bytes));
}

const formatEmbedded = (embedded: number, chunks = embedded): string =>
  `${embedded.toLocaleString('en')} of ${count(chunks, 'chunk')} embedded`;

function formatCrawlProgress(amount: Amount, milliseconds: number): string {
  const [pages, queued, failed, chunks, embedded] = ['pages', 'queued', 'failed', 'chunks', 'embedded'].map((name) => amount(name) ?? 0);
  const rate = pages! / (milliseconds / 1000);
  return [
    `${count(pages!, 'page')}, ${queued!.toLocaleString('en')} queued`,
    ...(embedded ? [formatEmbedded(embedded, chunks)] : []),
    ...(failed ? [`${failed.toLocaleString('en')} failed`] : []),
    ...(milliseconds > 1000 && pages ? [`${rate < 10 ? rate.toFixed(1) : Math.round(rate).toLocaleString('en')} pages/s`] : []),
  ].join(', ');
}
