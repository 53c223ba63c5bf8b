// How much memory kb ingest takes for ten times as many files, and how long:
//   node bench/memory.ts [--files 300,3000] [--rounds 3]
// The peak of the process (VmHWM of /proc), median of the rounds.
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { markdownTable, percentile } from './beir.ts';
import { writeManuals } from './manual.ts';
import { inWorkplace, kb } from './process.ts';

const { values } = parseArgs({ options: { files: { type: 'string', default: '300,3000' }, rounds: { type: 'string', default: '3' } } });
const rounds = Number(values.rounds);

async function measure(files: number) {
  const runs = [];
  for (let round = 0; round < rounds; round++) {
    process.stderr.write(`memory: ${files} files, round ${round + 1} of ${rounds}\n`);
    runs.push(
      await inWorkplace((cwd) => {
        writeManuals(join(cwd, 'manuals'), files);
        return kb(['ingest', '--docs', 'manuals', '--embedding-provider', 'none', '--quiet'], cwd);
      }),
    );
  }
  const chunks = Number(/Stored ([\d,]+) chunks/.exec(runs[0]!.stdout)?.[1]?.replaceAll(',', ''));
  const seconds =
    percentile(
      runs.map(({ milliseconds }) => milliseconds),
      50,
    ) / 1000;
  const peaks = runs.flatMap(({ peak }) => peak ?? []);
  return { files, chunks, seconds, 'chunks/s': chunks / seconds, peak: peaks.length > 0 ? percentile(peaks, 50) / 1e6 : Number.NaN };
}

const measured = [];
for (const files of values.files.split(',').map(Number)) measured.push(await measure(files));
const [first] = measured;
console.log(
  markdownTable(
    measured.map(({ peak, ...row }) => ({
      ...row,
      'peak MB': peak,
      [`peak (${first!.files.toLocaleString('en-US')} files = 1)`]: peak / first!.peak,
    })),
  ),
);
