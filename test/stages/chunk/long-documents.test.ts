import { spawnSync } from 'node:child_process';
import { pathToFileURL } from 'node:url';
import { expect, it } from 'vitest';
import { workerFile } from '../../../src/core/project.ts';
import { chunkDocument } from '../../../src/stages/chunk/chunk.ts';
import { documentOf } from './markdown.ts';

const chunking = { chunk_size: 400, chunk_overlap: 50, min_chunk_length: 50 };

const partOf = (i: number): string =>
  [
    `# Part ${i % 7}`,
    `The pump of part ${i} stops at night. It starts again in the morning. The parts are:`,
    `- valve ${i}\n- hose ${i}\n  - with a ring`,
    `| part | number |\n|---|---|\n${'| hose | 12 |\n'.repeat(i % 60)}`,
    `\`\`\`sh\n${'echo "stop"\n'.repeat(i % 50)}\`\`\``,
    'Note:\n\n'.repeat(i % 90),
  ].join('\n\n');
const parts = (count: number): string => Array.from({ length: count }, (_, i) => partOf(i)).join('\n\n');

it('splits a text of megabytes as its beginning alone', () => {
  const [short, long] = [parts(600), parts(1_100)];
  expect([short.length < 1_000_000, long.length > 1_000_000]).toEqual([true, true]);
  const beginning = chunkDocument(documentOf(short), chunking).slice(0, -3);
  expect(beginning.length).toBeGreaterThan(1_000);
  expect(chunkDocument(documentOf(long), chunking).slice(0, beginning.length)).toEqual(beginning);
});

it.each([
  ['headings', '# a\\n\\n'],
  ['paragraphs', 'a\\n\\n'],
])('keeps of many %s only those of a chunk', (_, line) => {
  const module = pathToFileURL(workerFile('stages/chunk/chunk')).href;
  const script = `
    import { chunksOf } from ${JSON.stringify(module)};
    const document = { id: '1', source: 'a.md', title: 'a', metadata: {}, text: '${line}'.repeat(400_000) };
    let chunks = 0;
    for (const chunk of chunksOf(document, ${JSON.stringify(chunking)})) chunks += chunk.text.length > 0 ? 1 : 0;
    console.log(chunks > 2_000);`;
  const { stdout, stderr } = spawnSync(process.execPath, ['--max-old-space-size=64', '--input-type=module', '-e', script], {
    encoding: 'utf8',
  });
  expect(stdout.trim(), stderr.slice(-500)).toBe('true');
});
