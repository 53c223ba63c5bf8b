// Changes real files as bad disks, broken programs and attackers do, and reads them: each has to become a document, or an error that says what is wrong.
//   node bench/fuzz.ts FOLDER… [--minutes 2] [--seed 1] [--largest 300000] [--keep FOLDER]
// Counts per kind; files that end their process, take too long, or fail without a reason that a person understands are written to --keep and named.
import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { extname, join } from 'node:path';
import { parseArgs } from 'node:util';
import { KbError } from '../src/core/errors.ts';
import { createReader, fileTypes } from '@citekb/documents';
import { isUnclear, mutate } from '../packages/documents/test/support/mutate.ts';
import { markdownTable } from './beir.ts';
import { random } from './manual.ts';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    minutes: { type: 'string', default: '2' },
    seed: { type: 'string', default: '1' },
    largest: { type: 'string', default: '300000' },
    keep: { type: 'string', default: join(tmpdir(), 'kb-fuzz') },
  },
});
const types = fileTypes();
const reader = createReader({ processes: 2, seconds: 20, megabytes: 1024 });
const files = positionals
  .flatMap((folder) => readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((name) => join(folder, name)))
  .filter((path) => types.fileType(path) !== undefined && statSync(path).isFile() && statSync(path).size <= Number(values.largest))
  .toSorted();
const byKind = [...Map.groupBy(files, (path) => types.fileType(path)!)];
const counts = new Map(byKind.map(([kind]) => [kind, { files: 0, documents: 0, refused: 0, unclear: 0 }]));
mkdirSync(values.keep, { recursive: true });

async function readChanged(kind: string, number: number): Promise<void> {
  const next = random(Number(values.seed) * 1_000_003 + number);
  const paths = byKind.find(([name]) => name === kind)![1];
  const path = paths[Math.floor(next() * paths.length)]!;
  const bytes = await mutate(readFileSync(path), next);
  const count = counts.get(kind)!;
  count.files += 1;
  try {
    await reader.read(bytes, { name: path });
    count.documents += 1;
  } catch (error) {
    count.refused += 1;
    if (error instanceof KbError && !isUnclear(error.message)) return;
    count.unclear += 1;
    const kept = join(values.keep, `${values.seed}-${number}${extname(path)}`);
    writeFileSync(kept, bytes);
    console.log(`${kept}: ${String(error)}`);
  }
}

const end = Date.now() + Number(values.minutes) * 60_000;
for (let number = 0; Date.now() < end; number += 2) {
  const kindOf = (i: number) => byKind[i % byKind.length]![0];
  await Promise.all([readChanged(kindOf(number), number), readChanged(kindOf(number + 1), number + 1)]);
}
await reader.close();
console.log(markdownTable(byKind.map(([kind]) => ({ kind, ...counts.get(kind)! }))));
