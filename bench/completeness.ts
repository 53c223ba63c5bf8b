// How much of what a reader of a page sees is in its document:
//   node bench/completeness.ts FOLDER... [--worst 20] [--every 1]
// FOLDERs are searched for HTML files, each a row. Of every page, the words of its main element, its only article or its body, without navigation, headers
// and footers around it, are counted in the document, and its headings looked for. --every 10 reads each tenth page, --worst lists the pages that lost most.
import { readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { parseArgs } from 'node:util';
import { htmlParser } from '../packages/documents/src/html/page.ts';
import { markdownTable, mean, percentile } from './beir.ts';
import { completenessOf, type Completeness } from '../packages/documents/bench/visible-text.ts';

const { values: options, positionals: folders } = parseArgs({
  allowPositionals: true,
  options: { worst: { type: 'string', default: '0' }, every: { type: 'string', default: '1' } },
});

// what the parser says about style sheets that it cannot read is not about this
for (const name of ['log', 'warn', 'error'] as const) console[name] = () => {};

const rows: Record<string, string | number>[] = [];
for (const folder of folders) {
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((path) => /\.x?html?$/i.test(path))
    .toSorted()
    .filter((_, i) => i % Number(options.every) === 0);
  const results: (Completeness & { file: string })[] = [];
  for (const file of files) {
    const bytes = readFileSync(join(folder, file));
    const { text } = await htmlParser.parse(bytes, { source: file }).catch(() => ({ text: '' }));
    const whole = await completenessOf(bytes, text).catch(() => undefined); // a page that is refused, such as one of 100,000 nested elements
    if (whole) results.push({ file, ...whole });
    else process.stderr.write(`${basename(folder)}/${file}: cannot be read\n`);
  }
  const shares = results.map(({ kept, words }) => (words === 0 ? 1 : kept / words));
  rows.push({
    folder: basename(folder),
    pages: results.length,
    words: results.reduce((sum, { words }) => sum + words, 0),
    'words kept': results.reduce((sum, { kept }) => sum + kept, 0) / results.reduce((sum, { words }) => sum + words, 0),
    'a page, mean': mean(shares),
    'a page, 5th percentile': percentile(shares, 5),
    'pages of which less than 98% is kept': shares.filter((share) => share < 0.98).length,
    'headings lost': results.reduce((sum, { lost }) => sum + lost.length, 0),
    'words beside them': results.reduce((sum, { beside }) => sum + beside, 0) / results.reduce((sum, { words }) => sum + words, 0),
  });
  for (const { file, words, kept, lost, missing, beside } of results
    .toSorted((a, b) => a.kept / Math.max(1, a.words) - b.kept / Math.max(1, b.words) || b.lost.length - a.lost.length)
    .slice(0, Number(options.worst)))
    process.stderr.write(
      `${basename(folder)}/${file}: ${kept} of ${words}, ${beside} beside; headings lost: ${lost.join(' | ').slice(0, 200)}; missing: ${missing.slice(0, 25).join(' ')}\n`,
    );
}
process.stdout.write(`${markdownTable(rows)}\n`);
