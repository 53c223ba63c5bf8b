// Which words that files show their Markdown lacks:
//   node bench/every-word.ts FOLDER [--worst 20] [--words 15]
// Reads every file of FOLDER of a format in packages/documents/bench/shown-text.ts, and prints those that lack words: their share, and some of them.
import { readdirSync, readFileSync } from 'node:fs';
import { extname, join } from 'node:path';
import { parseArgs } from 'node:util';
import { shownTextOf } from '../packages/documents/bench/shown-text.ts';
import { fileTypes } from '../packages/documents/src/file-types.ts';
import { parseDocument } from '../packages/documents/src/parse.ts';
import { compareWords } from '../packages/documents/src/visible-words.ts';
import type { ParsedDocument } from '../src/ports/reading.ts';
import { markdownTable } from './beir.ts';

const { values: options, positionals } = parseArgs({
  allowPositionals: true,
  options: { worst: { type: 'string', default: '20' }, words: { type: 'string', default: '15' } },
});
const [folder] = positionals;
if (folder === undefined) throw new Error('Usage: node bench/every-word.ts FOLDER [--worst 20] [--words 15]');

// libraries print warnings about files
for (const name of ['log', 'warn', 'error'] as const) console[name] = () => {};

interface Comparison {
  file: string;
  words: number;
  missing: string[];
}

const textOf = ({ text, members = [] }: ParsedDocument): string => [text, ...members.map(({ parsed }) => textOf(parsed))].join('\n\n');

/** Compares a file with its Markdown; undefined if its format does not tell what it shows. */
async function compareFile(path: string, file: string): Promise<Comparison | undefined> {
  const file_type = fileTypes().fileType(file);
  if (file_type === undefined) return undefined;
  const bytes = readFileSync(path);
  const document = await parseDocument({ bytes, source: file, file_type, html: 'whole' });
  const visible = await shownTextOf(document.file_type ?? file_type)?.(bytes);
  return visible === undefined ? undefined : { file, ...compareWords(visible, textOf(document)) };
}

const comparisons: Comparison[] = [];
let refused = 0;
const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
for (const [i, { parentPath, name }] of files.entries()) {
  const path = join(parentPath, name);
  process.stderr.write(`\r${i + 1} of ${files.length}`);
  const comparison = await compareFile(path, path).catch(() => void refused++);
  if (comparison) comparisons.push(comparison);
}
process.stderr.write('\n');

const share = ({ missing, words }: Pick<Comparison, 'missing' | 'words'>): number => missing.length / Math.max(1, words);
const percent = (value: number): string => `${(value * 100).toFixed(2)}%`;

const kinds = Map.groupBy(comparisons, ({ file }) => extname(file).toLowerCase());
const rows = [...kinds]
  .toSorted(([a], [b]) => a.localeCompare(b))
  .map(([kind, group]) => {
    const [words, missing] = [group.reduce((sum, one) => sum + one.words, 0), group.reduce((sum, one) => sum + one.missing.length, 0)];
    return {
      kind,
      files: group.length,
      words,
      missing,
      share: percent(missing / Math.max(1, words)),
      'files that lack more than 2%': group.filter((one) => share(one) > 0.02).length,
    };
  });
process.stdout.write(`${markdownTable(rows)}\n\n${refused} files were refused.\n`);
const worst = comparisons.filter(({ missing }) => missing.length > 0).toSorted((a, b) => share(b) - share(a));
for (const { file, words, missing } of worst.slice(0, Number(options.worst)))
  process.stdout.write(
    `\n${file}: ${percent(missing.length / words)} of ${words} words: ${missing.slice(0, Number(options.words)).join(' ')}`,
  );
process.stdout.write('\n');
