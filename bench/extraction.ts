// How well the text of web pages is told from what stands around it, beside Readability and defuddle:
//   node bench/extraction.ts SET... [--worst 10] [--only kb]
// SET is a folder with pairs.jsonl: the file of a page, and either a file with its text (`expected_file`) or phrases (`must_include`, `must_not_include`).
// All get the page from linkedom, and what they choose is made into Markdown in the same way. The title, which each gives aside and the sets leave
// out, does not count: Readability and defuddle take it off the text, kb has it on top. Times are of one page, from its bytes to Markdown.
import { existsSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { parseArgs } from 'node:util';
import { Readability } from '@mozilla/readability';
import { Defuddle } from 'defuddle/node';
import { parseHtml, type DomDocument, type DomElement } from '../packages/documents/src/html/dom.ts';
import { decodeText } from '../packages/documents/src/bytes.ts';
import { htmlParser } from '../packages/documents/src/html/page.ts';
import { toMarkdown } from '../packages/documents/src/html/to-markdown.ts';
import { jsonLines, markdownTable, mean, percentile } from './beir.ts';
import { scored, type Expectation, type Score } from './extraction-score.ts';
import { withoutTitle } from './without-title.ts';

const { values: options, positionals: folders } = parseArgs({
  allowPositionals: true,
  options: { worst: { type: 'string', default: '0' }, only: { type: 'string' } },
});

interface Pair {
  file: string;
  expected_file?: string;
  must_include?: string[];
  must_not_include?: string[];
}

interface Page {
  file: string;
  bytes: Uint8Array;
  expected: Expectation;
}

function pagesOf(folder: string): Page[] {
  const read = (file: string) => readFileSync(join(folder, file));
  return jsonLines<Pair>(join(folder, 'pairs.jsonl'))
    .filter(({ file }) => existsSync(join(folder, file)))
    .map(({ file, expected_file, ...phrases }) => ({
      file,
      bytes: read(file),
      expected: { ...phrases, ...(expected_file && { text: read(expected_file).toString() }) },
    }));
}

const documentOf = async (bytes: Uint8Array): Promise<DomDocument> => (await parseHtml(await decodeText(bytes))).document;
const markdownOf = async (element: DomElement | undefined): Promise<string> => (element ? (await toMarkdown(element)).text : '');

const extractors: Record<string, (bytes: Uint8Array) => Promise<string>> = {
  kb: async (bytes) => withoutTitle(await htmlParser.parse(bytes, { source: 'page.html' })),
  Readability: async (bytes) => {
    const document = await documentOf(bytes);
    const serializer = (node: unknown) => node as DomElement;
    return markdownOf(new Readability<DomElement>(document as never, { serializer: serializer as never }).parse()?.content ?? undefined);
  },
  'Readability, textContent': async (bytes) => new Readability((await documentOf(bytes)) as never).parse()?.textContent ?? '',
  defuddle: async (bytes) => {
    const { content } = await Defuddle((await documentOf(bytes)) as never, 'https://page.example/', { markdown: false });
    return markdownOf((await parseHtml(content)).body);
  },
};

interface Result extends Score {
  file: string;
  milliseconds: number;
  failed: boolean;
}

async function extracted({ file, bytes, expected }: Page, extract: (bytes: Uint8Array) => Promise<string>): Promise<Result> {
  const began = performance.now();
  let failed = false;
  const text = await extract(bytes).catch(() => ((failed = true), ''));
  return { file, failed, milliseconds: performance.now() - began, ...scored(text, expected) };
}

function row(
  names: { set: string; extractor: string },
  results: readonly Result[],
  pages: readonly Page[],
): Record<string, string | number> {
  const whole = results.filter((_, i) => pages[i]!.expected.text !== undefined);
  const phrased = results.filter(({ wanted, unwanted }) => wanted + unwanted > 0);
  const sum = (name: 'kept' | 'wanted' | 'strayed' | 'unwanted') => phrased.reduce((total, result) => total + result[name], 0);
  const share = (name: 'recall' | 'precision' | 'f1') => (whole.length === 0 ? '–' : mean(whole.map((result) => result[name])));
  const times = results.map(({ milliseconds }) => milliseconds);
  return {
    ...names,
    pages: results.length,
    recall: share('recall'),
    precision: share('precision'),
    F1: share('f1'),
    'phrases kept': phrased.length === 0 ? '–' : sum('kept') / sum('wanted'),
    'strays kept': phrased.length === 0 ? '–' : sum('strayed') / sum('unwanted'),
    failed: results.filter(({ failed }) => failed).length,
    'ms (median)': percentile(times, 50),
    'ms (p95)': percentile(times, 95),
  };
}

/** The pages that lost most, on standard error. */
function printWorst(results: readonly Result[]): void {
  const loss = ({ f1, kept, wanted, strayed, unwanted }: Result) =>
    wanted + unwanted > 0 ? (wanted - kept) / Math.max(1, wanted) + strayed / Math.max(1, unwanted) : 1 - f1;
  for (const { file, recall, precision, f1, kept, wanted, strayed, unwanted } of results
    .toSorted((a, b) => loss(b) - loss(a))
    .slice(0, Number(options.worst)))
    process.stderr.write(
      `${file}: recall ${recall.toFixed(3)}, precision ${precision.toFixed(3)}, F1 ${f1.toFixed(3)}; ${kept}/${wanted} kept, ${strayed}/${unwanted} strayed\n`,
    );
}

// what the libraries say about style sheets and data that they cannot read is not about them
for (const name of ['log', 'warn', 'error'] as const) console[name] = () => {};

const rows: Record<string, string | number>[] = [];
for (const folder of folders) {
  const pages = pagesOf(folder);
  const chosen = Object.entries(extractors).filter(([name]) => options.only === undefined || options.only === name);
  const results = new Map(chosen.map(([name]) => [name, [] as Result[]]));
  for (const page of pages) for (const [name, extract] of chosen) results.get(name)!.push(await extracted(page, extract));
  for (const [name, found] of results) {
    rows.push(row({ set: basename(folder), extractor: name }, found, pages));
    if (Number(options.worst) > 0) process.stderr.write(`\n${basename(folder)}, ${name}\n`);
    printWorst(found);
  }
}
process.stdout.write(`${markdownTable(rows)}\n`);
