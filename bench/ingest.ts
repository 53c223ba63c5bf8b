// How fast kb ingests a folder of Markdown files, from the start of the process to its end:
//   node bench/ingest.ts [--files 900] [--rounds 3]
// In each round one after another: with the bundled model; the model alone over the same chunks (bare-loop.ts), which is as fast as it could be;
// the same folder again, unchanged; and without vectors. Ratios are of one round, so that both meet the same machine.
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { documentId } from '../src/core/ids.ts';
import { DEFAULTS } from '../src/schema/config.ts';
import { chunkDocument } from '../src/stages/chunk/chunk.ts';
import { bareLoop } from './bare-loop.ts';
import { markdownTable, percentile } from './beir.ts';
import { manual, writeManuals } from './manual.ts';
import { inWorkplace, kb } from './process.ts';

const { values } = parseArgs({ options: { files: { type: 'string', default: '900' }, rounds: { type: 'string', default: '3' } } });
const files = Number(values.files);
const rounds = Number(values.rounds);
const BARE = 'the model alone, 2 threads';

interface Run {
  milliseconds: number;
  embedded: number;
}

/** What the embedder is given for the folder. */
function passages(): string[] {
  return Array.from({ length: files }, (_, index) => {
    const source = `manuals/handbook-${index}.md`;
    const text = manual(index);
    const title = /^# (.*)/.exec(text)![1]!;
    return chunkDocument({ id: documentId(source), source, title, text, metadata: { source_kind: 'path' } }, DEFAULTS.chunking);
  })
    .flat()
    .map(({ embed_text, text }) => embed_text ?? text);
}

async function ingested(cwd: string, provider: string): Promise<Run> {
  const { milliseconds, stdout } = await kb(['ingest', '--docs', 'manuals', '--embedding-provider', provider, '--json'], cwd);
  const { embedded } = JSON.parse(stdout) as { embedded: number };
  return { milliseconds, embedded };
}

/** Does `work` in a new folder with the files in `manuals`. */
const withManuals = <T>(work: (cwd: string) => Promise<T>): Promise<T> =>
  inWorkplace((cwd) => {
    writeManuals(join(cwd, 'manuals'), files);
    return work(cwd);
  });

async function round(texts: readonly string[]): Promise<Record<string, Run>> {
  const [first, again] = await withManuals(async (cwd) => [await ingested(cwd, 'local'), await ingested(cwd, 'local')] as const);
  if (first.embedded !== texts.length) throw new Error(`kb embedded ${first.embedded} chunks, the loop has ${texts.length}.`);
  const bare = { milliseconds: await bareLoop(texts), embedded: texts.length };
  const none = await withManuals((cwd) => ingested(cwd, 'none'));
  return {
    'kb ingest': first,
    [BARE]: bare,
    'kb ingest again, unchanged': again,
    'kb ingest --embedding-provider none': none,
  };
}

const texts = passages();
const measured: Record<string, Run>[] = [];
for (let i = 1; i <= rounds; i++) {
  process.stderr.write(`ingest: round ${i} of ${rounds}\n`);
  measured.push(await round(texts));
}
const rows = Object.keys(measured[0]!).map((what) => {
  const seconds =
    percentile(
      measured.map((runs) => runs[what]!.milliseconds),
      50,
    ) / 1000;
  const speed = percentile(
    measured.map((runs) => runs[BARE]!.milliseconds / runs[what]!.milliseconds),
    50,
  );
  const { embedded } = measured[0]![what]!;
  return { what, files, chunks: texts.length, embedded, seconds, 'chunks/s': texts.length / seconds, 'speed (the model alone = 1)': speed };
});
console.log(markdownTable(rows));
