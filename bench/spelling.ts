// What correcting misspelt words of a query is worth, over retrieval sets in BEIR layout, with their queries as they are and with a word of each misspelt:
//   node bench/spelling.ts SET... [--mode hybrid,text]
// The correction is left out of a copy of the sources, which is measured in the place of the program. Each corpus is embedded once.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { execaSync } from 'execa';
import { copyWith, type Change } from './changed-copy.ts';

const { values: options, positionals: folders } = parseArgs({
  allowPositionals: true,
  options: { mode: { type: 'string', default: 'hybrid,text' } },
});

const WITHOUT: Change = ['src/stages/retrieve/retrieve.ts', 'correctSpelling(original, textsOf(first))', 'undefined as string | undefined'];
const PROGRAMS: readonly (readonly [program: string, ...changes: Change[]])[] = [['corrected'], ['as typed', WITHOUT]];

const into = mkdtempSync(join(tmpdir(), 'kb-bench-'));
try {
  for (const [program, ...changes] of PROGRAMS) {
    const copy = copyWith(changes);
    try {
      for (const typos of [[], ['--typos']]) {
        const words = [...folders.map((folder) => resolve(folder)), '--mode', options.mode, '--into', into, ...typos];
        const { stdout } = execaSync(process.execPath, [join(copy, 'bench', 'retrieval.ts'), ...words], { cwd: copy, stderr: 'inherit' });
        console.log(`\n${typos.length > 0 ? 'A word of each query misspelt' : 'Queries as they are'}, ${program}:\n\n${stdout}`);
      }
    } finally {
      rmSync(copy, { recursive: true, force: true });
    }
  }
} finally {
  rmSync(into, { recursive: true, force: true });
}
