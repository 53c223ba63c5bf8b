// How fast kb crawls a site, from the start of the process to its end, and how much memory that takes:
//   node bench/crawl.ts [--pages 2000] [--rendered 100] [--rounds 3]
// The site is served by another process of the same machine. In each round one after another: a bare loop that fetches eight pages at once, reads each
// with readability in one thread and goes on along its links; kb; kb for a tenth of the pages, for the memory. Then kb ingests the site without vectors,
// and again, unchanged; and, where there is a browser, crawls with every page rendered.
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { markdownTable, percentile } from './beir.ts';
import { saidBy, startNode } from './serving.ts';
import { inWorkplace, kb, node, type Timed } from './process.ts';

const { values } = parseArgs({
  options: {
    pages: { type: 'string', default: '2000' },
    rendered: { type: 'string', default: '100' },
    rounds: { type: 'string', default: '3' },
  },
});
const [pages, rendered, rounds] = [values.pages, values.rendered, values.rounds].map(Number) as [number, number, number];
const BARE = 'fetch and readability, bare';

interface Run {
  pages: number;
  timed: Timed;
}

const full = (count: number): string[] => ['--crawl-mode', 'full', '--max-depth', '100', '--max-pages', String(count)];

/** Crawls so many pages, and counts the lines that come out. */
async function scraped(url: string, cwd: string, { count, flags = [] }: { count: number; flags?: string[] }): Promise<Run> {
  const timed = await kb(['scrape', url, ...full(count), '--quiet', ...flags], cwd);
  const lines = timed.stdout.split('\n').length - 1;
  if (lines !== count) throw new Error(`kb read ${lines} pages of ${count}.`);
  return { pages: count, timed };
}

async function ingested(url: string, cwd: string): Promise<Run> {
  return { pages, timed: await kb(['ingest', '--urls', url, ...full(pages), '--embedding-provider', 'none', '--quiet'], cwd) };
}

async function round(url: string): Promise<Record<string, Run>> {
  return inWorkplace(async (cwd) => {
    const runs: Record<string, Run> = {};
    runs[BARE] = { pages, timed: await node([join(import.meta.dirname, 'crawl-bare.ts'), url], cwd) };
    runs['kb scrape'] = await scraped(url, cwd, { count: pages });
    runs['kb scrape, a tenth'] = await scraped(url, cwd, { count: pages / 10 });
    runs['kb ingest --embedding-provider none'] = await ingested(url, cwd);
    runs['kb ingest again, unchanged'] = await ingested(url, cwd);
    return runs;
  });
}

/** With every page opened in a browser; nothing where there is none. */
async function roundRendered(url: string): Promise<Record<string, Run>> {
  return inWorkplace(async (cwd) => {
    try {
      const flags = ['--set', 'ingestion.urls.render=always'];
      const runs: Record<string, Run> = { 'kb scrape, rendered': await scraped(url, cwd, { count: rendered, flags }) };
      return runs;
    } catch (error) {
      if (!String(error).includes('setup-browser')) throw error;
      process.stderr.write('crawl: without a browser nothing is rendered\n');
      return {};
    }
  });
}

async function withSite(work: (url: string) => Promise<void>): Promise<void> {
  const script = fileURLToPath(new URL('crawl-site.ts', import.meta.url));
  const site = startNode([script, '--pages', String(pages)]);
  try {
    const origin = await saidBy(site, /^(http\S+)\n/m);
    await work(`${origin}/page/0`);
  } finally {
    site.kill();
  }
}

const median = (numbers: readonly number[]): number => percentile(numbers, 50);

function rowsOf(measured: readonly Record<string, Run>[]) {
  const names = [...new Set(measured.flatMap((runs) => Object.keys(runs)))];
  return names.map((what) => {
    const runs = measured.flatMap((one) => (one[what] ? [{ ...one[what], bare: one[BARE]?.timed.milliseconds ?? Number.NaN }] : []));
    const seconds = median(runs.map(({ timed }) => timed.milliseconds)) / 1000;
    const speed = median(runs.map((run) => run.bare / pages / (run.timed.milliseconds / run.pages)));
    const peaks = runs.flatMap(({ timed }) => timed.peak ?? []);
    const count = runs[0]!.pages;
    return {
      what,
      pages: count,
      seconds,
      'pages/s': count / seconds,
      'speed (bare = 1)': speed,
      'peak MB': peaks.length > 0 ? median(peaks) / 1e6 : Number.NaN,
    };
  });
}

await withSite(async (url) => {
  const measured: Record<string, Run>[] = [];
  for (let i = 1; i <= rounds; i++) {
    process.stderr.write(`crawl: round ${i} of ${rounds}\n`);
    measured.push({ ...(await round(url)), ...(await roundRendered(url)) });
  }
  console.log(markdownTable(rowsOf(measured)));
});
