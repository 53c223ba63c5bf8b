import { execFile } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { packageRoot } from '../../../src/core/project.ts';
import { openLocalEmbedder } from '../../../src/drivers/embedders/local-embedder.ts';
import type { Embedder } from '../../../src/ports/models.ts';
import { folder } from '../../support/folder.ts';
import { start } from '../../support/program.ts';

const QUESTION = 'How do I rotate the access token?';
const ANSWER = 'Tokens can be rotated from the settings page; the old one keeps working for ten minutes.';
const OTHER = 'Bananas are rich in potassium.';

const cosine = (a: Float32Array, b: Float32Array): number => a.reduce((sum, value, i) => sum + value * b[i]!, 0);
const sentences = (count: number, word: string): string =>
  Array.from({ length: count }, (_, i) => `Sentence number ${i} of this ${word} tells about part ${i} of the machine.`).join(' ');

describe('the bundled model', () => {
  let embedder: Embedder;
  const embed = (...texts: string[]) => embedder.embed(texts, { input_type: 'document' });

  beforeAll(async () => {
    embedder = await openLocalEmbedder({ threads: 2 });
  });
  afterAll(() => embedder.close());

  it('returns the same vector as when it was built', async () => {
    const [vector] = await embed(QUESTION);
    expect(vector).toHaveLength(embedder.dimensions);
    expect(Array.from(vector!.slice(0, 6), (value) => value.toFixed(4))).toEqual([
      '-0.0121',
      '0.0520',
      '-0.0466',
      '-0.0180',
      '-0.0548',
      '0.0035',
    ]);
  });

  it('places a question near its answer and far from other texts', async () => {
    const [question, answer, other] = await embed(QUESTION, ANSWER, OTHER);
    expect(cosine(question!, answer!)).toBeCloseTo(0.688, 2);
    expect(cosine(question!, other!)).toBeCloseTo(0.052, 2);
  });

  it('returns the same vector for a text alone, among others and on any worker', async () => {
    const [alone] = await embed(QUESTION);
    const among = await embed(...Array.from({ length: 20 }, (_, i) => (i % 5 === 3 ? QUESTION : sentences(i + 1, 'text'))));
    for (const at of [3, 8, 13, 18]) expect(among[at]).toEqual(alone);
  });

  it('reads only the beginning of a query, and treats a run of blanks as one', async () => {
    const ask = async (text: string) => (await embedder.embed([text], { input_type: 'query' }))[0]!;
    const words = sentences(300, 'query');
    expect(await ask(words)).toEqual(await ask(`${words} ${sentences(50, 'rest')}`));
    expect(await ask(`${words}x`)).not.toEqual((await embed(words))[0]);
    expect(await ask(`access${' '.repeat(99_000)}token`)).toEqual((await embed('access token'))[0]);
    expect(await ask(QUESTION)).toEqual((await embed(QUESTION))[0]);
  });

  it('caches the vectors of queries, not those of documents', async () => {
    const ask = async (input_type: 'query' | 'document') => (await embedder.embed([QUESTION], { input_type }))[0]!;
    const [query, document] = [await ask('query'), await ask('document')];
    expect(await ask('query')).toBe(query);
    expect(await ask('document')).not.toBe(document);
    expect((await embedder.embed([OTHER, QUESTION], { input_type: 'query' }))[1]).toEqual(query);
  });

  it('returns vectors in the order of the texts', async () => {
    const texts = Array.from({ length: 11 }, (_, i) => sentences(1 + ((i * 7) % 11), 'order'));
    const together = await embed(...texts);
    for (const [i, text] of texts.entries()) expect(together[i]).toEqual((await embed(text))[0]);
  });

  it('reads a text of any length to its end', async () => {
    const filler = sentences(30, 'report');
    const [question, plain, ending, same] = await embed(QUESTION, filler, `${filler} ${`${ANSWER} `.repeat(20)}`, `${filler}`);
    expect(plain).toEqual(same);
    expect(Math.hypot(...ending!)).toBeCloseTo(1, 5);
    expect(cosine(question!, ending!)).toBeGreaterThan(cosine(question!, plain!) + 0.2);
  });

  it('returns unit vectors even for unusual texts', async () => {
    for (const vector of await embed('', ' ', '?', '退款', '🙂', '\ud800', 'x'.repeat(5000)))
      expect(Math.hypot(...vector)).toBeCloseTo(1, 4);
    expect(await embed()).toEqual([]);
  });

  it('stops when it is aborted', async () => {
    const stop = new AbortController();
    const work = embedder.embed(
      Array.from({ length: 200 }, (_, i) => sentences(12, `chapter ${i}`)),
      { input_type: 'document', signal: stop.signal },
    );
    stop.abort();
    await expect(work).rejects.toMatchObject({ code: 'aborted' });
    expect(await embed(QUESTION)).toHaveLength(1);
  });

  it('aborts its work when it is closed', async () => {
    const other = await openLocalEmbedder({ threads: 1 });
    const work = other.embed([sentences(200, 'book')], { input_type: 'document' }).catch((error: Error) => error);
    await other.close();
    expect(await work).toMatchObject({ code: 'aborted' });
  });

  it('does not crash a process that exits while it works', async () => {
    const driver = fileURLToPath(new URL('../../../src/drivers/embedders/local-embedder.ts', import.meta.url));
    const script = `
      const { openLocalEmbedder } = await import(${JSON.stringify(driver)});
      const embedder = await openLocalEmbedder({ threads: 2 });
      await embedder.embed(['first'], { input_type: 'query' });
      embedder.embed(Array.from({ length: 99 }, (_, i) => 'The cover is closed before the power is switched on. '.repeat(20) + i), { input_type: 'document' });
      setTimeout(() => process.exit(7), 100);`;
    const ended = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', script]).catch(
      (error: { code: number; stderr: string }) => error,
    );
    expect(ended).toMatchObject({ code: 7, stderr: '' });
  });
});

describe('the bundled multilingual model', () => {
  let embedder: Embedder;
  const embed = async (text: string, input_type: 'document' | 'query' = 'document') => (await embedder.embed([text], { input_type }))[0]!;

  beforeAll(async () => {
    embedder = await openLocalEmbedder({ model: 'multilingual-e5-small', threads: 1 });
  });
  afterAll(() => embedder.close());

  it('returns the same vectors for questions and passages as when it was built', async () => {
    const question = await embed(QUESTION, 'query');
    expect(Array.from(question.slice(0, 6), (value) => value.toFixed(4))).toEqual([
      '0.0184',
      '-0.0436',
      '-0.0237',
      '-0.0493',
      '0.0594',
      '-0.0798',
    ]);
    const cosines = [ANSWER, 'Zugriffsschlüssel lassen sich auf der Einstellungsseite erneuern.', '访问令牌可以在设置页面中轮换。', OTHER];
    for (const [i, expected] of [0.866, 0.791, 0.803, 0.756].entries())
      expect(cosine(question, await embed(cosines[i]!))).toBeCloseTo(expected, 2);
  });

  it('reads a text in any script to its end', async () => {
    const question = await embed(QUESTION, 'query');
    for (const filler of [sentences(60, 'report'), '机器的每个部分都有一个编号。'.repeat(90)]) {
      const [plain, ending] = [await embed(filler), await embed(`${filler} ${`${ANSWER} `.repeat(40)}`)];
      expect(Math.hypot(...ending)).toBeCloseTo(1, 5);
      expect(cosine(question, ending)).toBeGreaterThan(cosine(question, plain) + 0.02);
    }
  });
});

it('reopens a model after it was closed', async () => {
  for (let time = 0; time < 2; time++) {
    const embedder = await openLocalEmbedder({ threads: 1 });
    expect(await embedder.embed([QUESTION], { input_type: 'query' })).toHaveLength(1);
    await embedder.close();
  }
});

it('names the bundled models if another one is requested', async () => {
  await expect(openLocalEmbedder({ model: 'another' })).rejects.toMatchObject({
    code: 'configuration',
    message: 'The provider local has no embedding model "another"; it has all-minilm-l6-v2 and multilingual-e5-small.',
  });
});

it('writes nothing into the home folder and sends no telemetry, whatever the length of the text', async () => {
  const home = folder();
  const script = join(packageRoot, 'test/support/embed-process.ts');
  const { code, out } = await start([process.execPath, script], { cwd: home, input: '' }).done;
  expect([code, out.trim()]).toEqual([0, '384']);
  expect(readdirSync(home)).toEqual([]); // onnxruntime collects what it would send in .cache
});
