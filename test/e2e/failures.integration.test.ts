import { execFileSync, spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { createServer } from 'node:http';
import { existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { folder } from '../support/folder.ts';
import { openOpenAiServer, type Behaviour } from '../support/openai-server.ts';
import { documentIn, GATE, kb, startKb } from '../support/program.ts';
import { listening } from '../support/listening.ts';
import { runCommand } from '../support/run-command.ts';

/** A model server, and what makes kb use it. */
async function model(behaviour: Behaviour = {}) {
  const server = await openOpenAiServer(behaviour);
  onTestFinished(() => server.close());
  const env = {
    KB_EMBEDDING_PROVIDER: 'openai_compatible',
    KB_EMBEDDING_MODEL: 'm',
    KB_EMBEDDING_OPTIONS: `{base_url: "${server.url}"}`,
    KB_EMBEDDING_BATCH_SIZE: '1',
  };
  return { server, env };
}

describe('a stopped run', () => {
  const many = Object.fromEntries(
    Array.from({ length: 20 }, (_, i) => [`docs/${String(i).padStart(2, '0')}.md`, `# Thing ${i}\n\nThe thing ${i} is described.\n`]),
  );
  const slow = { status: 503, headers: { 'retry-after': '50' } };

  it('ends with 130 after Ctrl-C, says what was stored, and continues from there', async () => {
    const cwd = folder(many);
    let isSlow = true;
    const { server, env } = await model({ vector: (text) => (isSlow && /Thing 1\d/.test(text) ? slow : [text.length, 1, 1]) });
    const run = startKb(['ingest', '--docs', 'docs', '--set', 'storage.batch_size=1', '--json'], { cwd, env });
    await expect.poll(() => server.requests.length, { timeout: 30_000 }).toBeGreaterThan(10); // the eleventh is refused, and the others wait
    run.child.kill('SIGINT');
    const stopped = await run.done;
    expect(stopped).toMatchObject({ code: 130, signal: null });
    expect(documentIn(stopped)).toMatchObject({ error: { message: expect.stringMatching(/^Stopped\./) } });
    expect(stopped.error).toMatch(/Stopped\. /);
    isSlow = false;
    const again = await runCommand(['ingest', '--docs', 'docs', '--json'], { cwd, env });
    expect(documentIn(again)).toMatchObject({ failed: 0 });
    const { sources, unchanged } = documentIn(again) as { sources: number; unchanged: number };
    expect(sources + unchanged).toBe(20);
  });

  it('ends after Ctrl-C also while it waits for a bucket that does not respond', async () => {
    let asked = 0;
    const bucket = createServer(() => void asked++);
    const { url: address, close } = await listening(bucket);
    onTestFinished(close);
    const env = { AWS_ACCESS_KEY_ID: 'x', AWS_SECRET_ACCESS_KEY: 'y', AWS_REGION: 'us-east-1', AWS_ENDPOINT_URL: address };
    const run = startKb(['ingest', '--docs', 'docs', '--storage-url', 's3://bucket/kb'], { cwd: folder(many), env });
    await expect.poll(() => asked, { timeout: 30_000 }).toBeGreaterThan(0);
    run.child.kill('SIGINT');
    expect(await run.done).toMatchObject({ code: 130, signal: null, error: expect.stringContaining('Stopped.') });
  });

  it('leaves nothing after kill -9 that the next one must wait for', async () => {
    const cwd = folder(many);
    let isSlow = true;
    const { server, env } = await model({ vector: (text) => (isSlow && /Thing 1\d/.test(text) ? slow : [text.length, 1, 1]) });
    const run = startKb(['ingest', '--docs', 'docs', '--set', 'storage.batch_size=1'], { cwd, env });
    await expect.poll(() => server.requests.length, { timeout: 30_000 }).toBeGreaterThan(10);
    run.child.kill('SIGKILL');
    expect((await run.done).signal).toBe('SIGKILL');
    isSlow = false;
    const again = await runCommand(['ingest', '--docs', 'docs'], { cwd, env });
    expect(again).toMatchObject({ code: 0, error: expect.not.stringContaining('Another run') });
    expect(documentIn(await runCommand(['collections', 'show', 'default', '--json'], { cwd, env }))).toMatchObject({
      sources: 20,
      chunks: 20,
    });
  });
});

describe('an unusable path', () => {
  it('is named: a store that is a file', async () => {
    const cwd = folder({ 'gate.md': GATE, store: 'a file' });
    const ended = await runCommand(['ingest', '--docs', 'gate.md', '--storage-url', 'store'], { cwd });
    expect(ended).toMatchObject({
      code: 2,
      error: expect.stringMatching(/Error: The store .*store is not a folder\. Set storage\.url to a folder/),
    });
  });

  const mounted = mountable();
  const reason = mounted ? '' : ' (skipped: no file system can be mounted here, which takes root)';

  it.skipIf(!mounted)(`is named: a store that cannot be written${reason}`, async () => {
    const cwd = folder({ 'gate.md': GATE });
    const disk = mount('4m');
    mkdirSync(join(disk, 'store'));
    execFileSync('mount', ['-o', 'remount,ro', disk]);
    const ended = await runCommand(['ingest', '--docs', 'gate.md', '--storage-url', join(disk, 'store')], { cwd });
    expect(ended).toMatchObject({
      code: expect.toBeOneOf([1, 2]),
      out: '',
      error: expect.stringContaining(`Error: The store ${disk}/store `),
    });
  });

  it.skipIf(!mounted)(`is named: a full disk, after which the same command continues${reason}`, async () => {
    const cwd = folder({
      'docs/a.md': GATE,
      'docs/b.md': randomBytes(2 ** 20)
        .toString('hex')
        .replace(/.{60}/g, '$&\n\n'),
    });
    const disk = mount('1m');
    const words = ['ingest', '--docs', 'docs', '--storage-url', join(disk, 'store'), '--set', 'storage.batch_size=50'];
    const full = await kb(words, { cwd });
    expect(full).toMatchObject({
      code: 1,
      error: expect.stringMatching(/Error: The disk that holds the store .* is full\. Free some space/),
    });
    execFileSync('mount', ['-o', 'remount,size=200m', disk]);
    expect(await runCommand(words, { cwd })).toMatchObject({ code: 0, out: expect.stringMatching(/^Stored/) });
  });

  it('is none with spaces and Chinese characters in its name', async () => {
    const cwd = folder({
      '資料 夾/kb.config.yaml': 'collection: default\n',
      '資料 夾/我的 文件/閘門 一.md': GATE,
      '資料 夾/notes/x.md': '# X\n\nNothing of interest.\n',
    });
    const inside = join(cwd, '資料 夾', 'notes');
    const options = { cwd: inside, env: { HOME: cwd } }; // at the home directory the search for the configuration ends
    expect(await runCommand(['ingest', '--docs', '../我的 文件', '--docs', '*.md'], options)).toMatchObject({
      code: 0,
      out: expect.stringContaining('2 documents'),
    });
    const found = await runCommand(['retrieve', 'When is the gate locked?', '--top-k', '1'], options);
    expect(found.out).toMatch(/^1\. Gate {2}\d\.\d\d\n {3}我的 文件\/閘門 一\.md · Gate, lines 1–3\n/);
    expect(existsSync(join(cwd, '資料 夾/.kb/lancedb'))).toBe(true);
  });
});

/** Whether a file system of a size of its own can be mounted. */
function mountable(): boolean {
  if (process.platform !== 'linux' || process.getuid?.() !== 0) return false;
  const path = mkdtempSync(join(tmpdir(), 'kb-test-'));
  const works = spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=1m', 'tmpfs', path]).status === 0;
  if (works) spawnSync('umount', [path]);
  rmSync(path, { recursive: true, force: true });
  return works;
}

function mount(size: string): string {
  const path = mkdtempSync(join(tmpdir(), 'kb-test-'));
  execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${size}`, 'tmpfs', path]);
  onTestFinished(() => {
    execFileSync('umount', ['-l', path]);
    rmSync(path, { recursive: true, force: true });
  });
  return path;
}

describe('the error of a server', () => {
  it('says that it did not respond, or got too many requests', async () => {
    const server = createServer(({ url }, response) => {
      if (url!.startsWith('/busy/')) response.writeHead(429, { 'retry-after': '0' }).end('{}');
    });
    const { url: address, close } = await listening(server);
    onTestFinished(close);
    const said = async (url: string, timeout: number) => {
      const config = JSON.stringify({ storage: { vector_db: 'qdrant', url, options: { timeout, retries: 0 } } });
      return (await runCommand(['collections', 'list'], { cwd: folder({ 'kb.config.yaml': config }) })).error;
    };
    expect(await said(address, 0.2)).toContain('did not answer within 0.2 seconds');
    expect(await said(`${address}/busy`, 30)).toContain('answered 429: too many requests');
  });

  it('contains no sequence for the terminal', async () => {
    const server = createServer((_request, response) => {
      response.writeHead(400, { 'content-type': 'application/json' });
      response.end(JSON.stringify({ status: { error: 'bad \u001b]0;OWNED\u0007 \u001b[2J thing' } }));
    });
    const { url, close } = await listening(server);
    onTestFinished(close);
    const words = ['collections', 'list', '--vector-db', 'qdrant', '--storage-url', url];
    const { code, error } = await runCommand(words, { cwd: folder() });
    expect(code).toBe(1);
    expect(error).toMatch(/answered 400: bad {3}thing/);
  });
});
