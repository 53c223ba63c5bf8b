import { execFile } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { generateApi } from 'swagger-typescript-api';
import { describe, expect, it } from 'vitest';
import { packageRoot } from '../../src/core/project.ts';
import { openApiDocument } from '../../src/server/openapi/openapi.ts';
import { routes } from '../../src/server/routes.ts';
import { folder, write } from '../support/folder.ts';
import { serveIn } from '../support/server.ts';

const TSC = join(packageRoot, 'node_modules/typescript/bin/tsc');
const SETTINGS = {
  compilerOptions: {
    strict: true,
    target: 'esnext',
    module: 'nodenext',
    lib: ['esnext', 'dom', 'dom.iterable'],
    types: [],
    outDir: 'out',
    noEmitOnError: true,
  },
  include: ['*.ts'],
};

/** What an application does with a client, in types. */
const PROGRAM = `
import { Api, type ErrorItem, type Job, type UploadForm } from './client.js';

export async function use(baseUrl: string) {
  const { v1 } = new Api({ baseUrl });
  const { data: report } = await v1.ingest({ markdown: [{ text: 'Bicycles are kept in the yard.', source: 'bicycles.md', metadata: { floor: 0 } }] });
  const counts: [number, number, number] = [report.sources, report.stored, report.failed];

  const { data: found } = await v1.retrieve({ query: 'bicycles', top_k: 3, mode: 'text', filter: { floor: { gte: 0 } } });
  const scores: number[] = found.items.map((item) => item.score);
  const ids: string[] = found.items.map((item) => item.chunk_id);

  const { data: turn } = await v1.chat({ query: 'Where are bicycles kept?', history: [], retrieval_quality: { low_confidence_mode: 'answer_with_caution' } });
  const said: string = turn.answer + turn.sources.map((source) => \`\${source.citation} \${source.title}\`).join();
  const errors: ErrorItem[] = turn.errors;

  const { data: removed } = await v1.delete({ ids });
  const deleted: number = removed.deleted;

  const begun = await v1.ingest({ markdown: 'Later.', background: true });
  const job = begun.data as unknown as Job;
  const state: 'running' | 'done' | 'failed' | 'cancelled' | 'interrupted' = (await v1.showJob(job.id)).data.state;
  const { data: { jobs } } = await v1.listJobs();

  const fields: UploadForm = { files: [new File(['# Keys'], 'keys.md')], frontmatter: true };
  const form = new FormData(); // the client that is generated sends lists of a form as JSON
  for (const file of fields.files) form.append('files', file);
  const { data: documents } = await v1.upload(form as unknown as UploadForm);
  const texts: string[] = 'outputs' in documents ? documents.outputs.map((output) => output.text) : [];

  const refusal = await v1.retrieve({ query: '' }).catch((response: Awaited<ReturnType<typeof v1.retrieve>>) => response);
  const type: string = refusal.error.error.type;
  return { counts, scores, ids, said, errors, deleted, status: begun.status, state, jobs: jobs.length, texts, type };
}

export async function misuse({ v1 }: Api<unknown>) {
  // @ts-expect-error A misspelt field.
  await v1.retrieve({ query: 'bicycles', topk: 3 });
  // @ts-expect-error A number where a text is asked for.
  await v1.chat({ query: 42 });
  // @ts-expect-error A mode that there is not.
  await v1.retrieve({ query: 'bicycles', mode: 'magic' });
  const { data } = await v1.retrieve({ query: 'bicycles' });
  // @ts-expect-error A score is a number.
  const wrong: string = data.items[0]!.score;
  return wrong;
}
`;

/** A folder with the client that the generator makes of our document. */
async function generated(): Promise<string> {
  const path = folder({
    'openapi.json': JSON.stringify(openApiDocument({ version: '1.2.3', routes })),
    'tsconfig.json': JSON.stringify(SETTINGS),
    'package.json': '{"type":"module"}',
  });
  const { files } = await generateApi({ input: join(path, 'openapi.json'), output: false, silent: true });
  writeFileSync(join(path, 'client.ts'), files[0]!.fileContent);
  return path;
}

/** What the compiler says of the folder. */
async function compiled(path: string): Promise<string> {
  const run = promisify(execFile)(process.execPath, [TSC, '-p', path]);
  return await run.then(
    ({ stdout }) => stdout,
    ({ stdout }: { stdout: string }) => stdout,
  );
}

describe('a TypeScript client generated from the document', () => {
  it('compiles strictly, has the right types, and works with the server', async () => {
    const path = await generated();
    write(path, { 'program.ts': PROGRAM });
    expect(await compiled(path)).toBe('');
    const { url } = await serveIn(folder());
    const { use } = (await import(pathToFileURL(join(path, 'out/program.js')).href)) as {
      use(url: string): Promise<Record<string, unknown>>;
    };
    expect(await use(url)).toMatchObject({
      counts: [1, 1, 0],
      scores: [expect.any(Number)],
      ids: [expect.any(String)],
      said: expect.stringContaining('yard'),
      errors: [],
      deleted: 1,
      status: 202,
      jobs: 1,
      texts: ['# Keys'],
      type: 'ValueError',
    });
  });

  it('does not compile if it is used wrongly', async () => {
    const path = await generated();
    write(path, { 'program.ts': PROGRAM.replaceAll('// @ts-expect-error', '//') });
    const said = await compiled(path);
    expect(said.split('\n').filter((line) => line.includes('error TS'))).toHaveLength(4);
    expect(said).toMatch(/topk/);
  });
});
