import { appendFileSync, chmodSync, existsSync, readFileSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import {
  openPageMemory,
  type FilePageMemory,
  type PageMemoryOptions,
  type RememberedPage,
} from '../../../../src/stages/extract/pages/page-memory.ts';
import { folder } from '../../../support/folder.ts';

const SITE = 'https://docs.example.com';
const page = (over: Partial<RememberedPage> = {}): RememberedPage => ({
  found: `${SITE}/a`,
  canonical: undefined,
  source: `${SITE}/a`,
  status_code: 200,
  content_hash: 'h1',
  text_hash: 't1',
  bytes_hash: 'b1',
  etag: '"v1"',
  last_modified: undefined,
  isRendered: false,
  links: [`${SITE}/b`, `${SITE}/c?x=1`, 'https://other.example.com/'],
  ...over,
});

type Options = Partial<PageMemoryOptions> & { file: string };
const opened: FilePageMemory[] = [];
async function open(options: Options): Promise<FilePageMemory> {
  const memory = await openPageMemory({
    settings: 's',
    mode: 'use',
    isStored: () => true,
    isKnown: () => true,
    onProblem: (reason) => expect.fail(reason),
    ...options,
  });
  opened.push(memory);
  return memory;
}
const newFile = () => join(folder(), 'default.jsonl');
/** What another process finds: the one before was killed, or has let go. */
const reopened = (file: string, over: Partial<Options> = {}) => open({ file, ...over });

afterEach(async () => {
  vi.useRealTimers();
  await Promise.all(opened.splice(0).map((memory) => memory.close().catch(() => {})));
});

describe('a remembered page', () => {
  it('is completely available to the next process at once, even if this one is killed', async () => {
    const file = newFile();
    await (await open({ file })).remember(`${SITE}/a`, page());
    expect((await reopened(file)).recall(`${SITE}/a`)).toEqual({ ...page(), isFresh: false });
    expect((await reopened(file)).recall(`${SITE}/b`)).toBeUndefined();
  });

  it('has its latest version, until it is gone', async () => {
    const file = newFile();
    const memory = await open({ file });
    await memory.remember(`${SITE}/a`, page());
    await memory.remember(`${SITE}/a`, page({ content_hash: 'h2', etag: undefined, links: [], isRendered: true }));
    await memory.remember(`${SITE}/b`, page({ source: `${SITE}/a` }));
    await memory.forget(`${SITE}/b`);
    for (const one of [memory, await reopened(file)]) {
      expect(one.recall(`${SITE}/a`)).toMatchObject({ content_hash: 'h2', isRendered: true, links: [] });
      expect(one.recall(`${SITE}/a`)!.etag).toBeUndefined();
      expect(one.recall(`${SITE}/b`)).toBeUndefined();
    }
  });

  it('costs a few bytes if it is unchanged', async () => {
    const file = newFile();
    const memory = await open({ file });
    await memory.remember(`${SITE}/a`, page());
    const before = statSync(file).size;
    await memory.remember(`${SITE}/a`, page());
    expect(statSync(file).size - before).toBeLessThan(40);
    expect(memory.recall(`${SITE}/a`)).toEqual({ ...page(), isFresh: false });
  });

  it('is recalled by its address with any credentials, which are not in the file', async () => {
    const file = newFile();
    const memory = await open({ file });
    await memory.remember(
      'https://ann:s3cret@docs.example.com/a?api_key=k3y&v=2',
      page({ source: 'https://docs.example.com/a?token=t0k3n' }),
    );
    await memory.begin('https://ann:s3cret@docs.example.com/?api_key=k3y');
    expect(memory.recall('https://docs.example.com/a?v=2')).toMatchObject({ source: `${SITE}/a` });
    expect(readFileSync(file, 'utf8')).not.toMatch(/s3cret|k3y|t0k3n/);
  });

  it('is not kept if a link has credentials, without which it would lead elsewhere', async () => {
    const file = newFile();
    const memory = await open({ file });
    await memory.remember(`${SITE}/a`, page());
    await memory.remember(`${SITE}/a`, page({ links: [`${SITE}/b?signature=t0k3n`] }));
    expect(memory.recall(`${SITE}/a`)).toBeUndefined();
    expect(readFileSync(file, 'utf8')).not.toContain('t0k3n');
  });

  it('is not kept if it is absurdly long', async () => {
    const memory = await open({ file: newFile() });
    await memory.remember(`${SITE}/a`, page({ links: Array.from({ length: 40_000 }, (_, i) => `${SITE}/${'long'.repeat(20)}${i}`) }));
    expect(memory.recall(`${SITE}/a`)).toBeUndefined();
  });
});

describe('a recalled page', () => {
  it('is one that is stored in the same version', async () => {
    const file = newFile();
    await (await open({ file })).remember(`${SITE}/a`, page());
    const isStored = vi.fn<PageMemoryOptions['isStored']>(() => false);
    expect((await reopened(file, { isStored })).recall(`${SITE}/a`)).toBeUndefined();
    expect(isStored.mock.calls[0]![0]).toMatchObject({ source: `${SITE}/a`, content_hash: 'h1' });
  });

  it('is one that was read with the same settings', async () => {
    const file = newFile();
    await (await open({ file })).remember(`${SITE}/a`, page());
    expect((await reopened(file, { settings: 'other' })).recall(`${SITE}/a`)).toBeUndefined();
    expect((await reopened(file)).recall(`${SITE}/a`)).toBeDefined();
  });

  it('is undefined if everything is read anew, which is remembered', async () => {
    const file = newFile();
    await (await open({ file })).remember(`${SITE}/a`, page());
    const forced = await reopened(file, { mode: 'write' });
    expect(forced.recall(`${SITE}/a`)).toBeUndefined();
    await forced.remember(`${SITE}/a`, page({ content_hash: 'h2' }));
    expect((await reopened(file)).recall(`${SITE}/a`)).toMatchObject({ content_hash: 'h2' });
  });

  it('is the same in a dry run, which writes nothing', async () => {
    const file = newFile();
    await (await open({ file })).remember(`${SITE}/a`, page());
    const before = readFileSync(file, 'utf8');
    const rehearsal = await reopened(file, { mode: 'read' });
    await rehearsal.begin('crawl');
    await rehearsal.remember(`${SITE}/b`, page());
    expect(rehearsal.recall(`${SITE}/a`)).toBeDefined();
    await rehearsal.forget(`${SITE}/a`);
    await rehearsal.end('crawl');
    await rehearsal.close();
    expect(readFileSync(file, 'utf8')).toBe(before);
    await expect(openPageMemory({ file: newFile(), mode: 'read' } as PageMemoryOptions)).rejects.toThrow('ENOENT');
  });
});

describe('a killed crawl', () => {
  const MINUTE = 60_000;
  const BEGAN = 1_800_000_000_000 + MINUTE;
  const at = (minutes: number) => vi.setSystemTime(1_800_000_000_000 + minutes * MINUTE);
  /** A page read before the crawl began, one by the crawl, which is killed. */
  async function killed(file: string) {
    vi.useFakeTimers({ toFake: ['Date'] });
    at(0);
    const memory = await open({ file });
    await memory.remember(`${SITE}/before`, page());
    at(1);
    await memory.begin('crawl');
    at(2);
    await memory.remember(`${SITE}/during`, page());
  }
  const fresh = (memory: FilePageMemory) => ['before', 'during'].filter((path) => memory.recall(`${SITE}/${path}`)?.isFresh);

  it('is resumed with the pages that it has read as fresh, and no others', async () => {
    const file = newFile();
    await killed(file);
    at(3);
    const memory = await reopened(file);
    expect(fresh(memory)).toEqual([]); // not begun yet
    expect(await memory.begin('crawl')).toEqual(new Date(BEGAN));
    expect(fresh(memory)).toEqual(['during']);
    await memory.end('crawl');
    expect(fresh(memory)).toEqual([]);
    expect(await memory.begin('crawl')).toBeUndefined();
  });

  it('is resumed after it is killed again and after an unchanged page', async () => {
    const file = newFile();
    await killed(file);
    at(100);
    const second = await reopened(file);
    await second.begin('crawl');
    await second.remember(`${SITE}/before`, page());
    at(200); // 100 minutes after it was killed for the second time
    const third = await reopened(file);
    await third.begin('crawl');
    expect(fresh(third)).toEqual(['before', 'during']);
  });

  it('is started anew after two hours, after its end, and under another name', async () => {
    const file = newFile();
    await killed(file);
    at(3);
    const other = await reopened(file);
    await other.begin('another crawl');
    expect(fresh(other)).toEqual([]);
    at(122.1);
    const late = await reopened(file);
    expect(await late.begin('crawl')).toBeUndefined();
    expect(fresh(late)).toEqual([]);
    await late.remember(`${SITE}/during`, page());
    await late.end('crawl');
    at(123);
    const again = await reopened(file);
    await again.begin('crawl');
    expect(fresh(again)).toEqual([]);
  });

  it('is not prolonged by other runs of the collection', async () => {
    const file = newFile();
    await killed(file);
    at(100);
    await (await reopened(file)).remember(`${SITE}/elsewhere`, page());
    at(130); // 128 minutes after the crawl was killed, 30 after the other run
    const late = await reopened(file);
    await late.begin('crawl');
    expect(fresh(late)).toEqual([]);
  });

  it('reports no resumption if it had read no page, or if everything is read anew', async () => {
    const file = newFile();
    vi.useFakeTimers({ toFake: ['Date'] });
    at(0);
    await (await open({ file })).begin('crawl');
    at(1);
    const next = await reopened(file);
    expect(await next.begin('crawl')).toBeUndefined();
    await next.remember(`${SITE}/during`, page());
    at(2);
    expect(await (await reopened(file, { mode: 'write' })).begin('crawl')).toBeUndefined();
  });

  it('is resumed after the file was compacted', async () => {
    const file = newFile();
    await killed(file);
    at(3);
    const other = await reopened(file);
    for (let i = 0; i < 200; i++) await other.remember(`${SITE}/after`, page({ content_hash: `h${i}` }));
    const large = statSync(file).size;
    await other.close();
    expect(statSync(file).size).toBeLessThan(large / 10);
    at(4);
    const memory = await reopened(file);
    await memory.begin('crawl');
    expect(fresh(memory)).toEqual(['during']);
  });
});

describe('a page memory file', () => {
  it('loses only a last line that was cut off', async () => {
    const file = newFile();
    const memory = await open({ file });
    await memory.remember(`${SITE}/a`, page());
    await memory.remember(`${SITE}/b`, page());
    await memory.close();
    truncateSync(file, statSync(file).size - 5);
    const next = await reopened(file);
    expect([next.recall(`${SITE}/a`), next.recall(`${SITE}/b`)]).toEqual([expect.anything(), undefined]);
    await next.remember(`${SITE}/b`, page());
    expect((await reopened(file)).recall(`${SITE}/b`)).toEqual({ ...page(), isFresh: false });
  });

  it.each([
    ['is not JSON', 'nonsense\n'],
    ['has an unknown form', '{"pages":1}\n{"p":[1]}\n'],
    ['names unknown pages', '{"pages":6}\n{"u":7,"t":1}\n'],
    [
      'names unknown addresses',
      '{"pages":6}\n{"p":3,"f":3,"l":[],"t":1,"k":"s","state":{"status_code":200,"content_hash":"h","text_hash":"t","isRendered":false}}\n',
    ],
    ['is one endless line', 'x'.repeat(3_000_000)],
    ['is empty', ''],
  ])('is started anew if it %s', async (_what, content) => {
    const file = newFile();
    writeFileSync(file, content);
    const memory = await open({ file });
    expect(memory.recall(`${SITE}/a`)).toBeUndefined();
    await memory.remember(`${SITE}/a`, page());
    await memory.close();
    expect((await reopened(file)).recall(`${SITE}/a`)).toBeDefined();
    expect(readFileSync(file, 'utf8')).not.toContain('nonsense');
  });

  it('is started anew if it is damaged in the middle', async () => {
    const file = newFile();
    await (await open({ file })).remember(`${SITE}/a`, page());
    appendFileSync(file, '{"broken\n');
    await expect(reopened(file).then((memory) => memory.recall(`${SITE}/a`))).resolves.toBeUndefined();
  });

  it('does not fail if another program changes it while open, and is started anew then', async () => {
    const file = newFile();
    const memory = await open({ file });
    await memory.remember(`${SITE}/a`, page());
    truncateSync(file, 20);
    await memory.remember(`${SITE}/a`, page());
    await memory.close();
    expect((await reopened(file)).recall(`${SITE}/a`)).toBeUndefined();
  });

  it('is readable by this user only', async () => {
    const file = newFile();
    await open({ file });
    expect(statSync(file).mode & 0o077).toBe(0);
  });

  it('is compacted when it has grown, without pages that are neither stored nor found', async () => {
    const file = newFile();
    const first = await open({ file });
    for (const path of ['a', 'b', 'c']) await first.remember(`${SITE}/${path}`, page({ source: `${SITE}/${path}` }));
    await first.close();
    await new Promise((done) => setTimeout(done, 5));
    const memory = await reopened(file, { isKnown: (source) => source === `${SITE}/b` });
    for (let i = 0; i < 100; i++) await memory.remember(`${SITE}/c`, page({ source: `${SITE}/c`, content_hash: `h${i}` }));
    await memory.close();
    const next = await reopened(file);
    expect(['a', 'b', 'c'].map((path) => next.recall(`${SITE}/${path}`)?.content_hash)).toEqual([undefined, 'h1', 'h99']);
    expect(next.recall(`${SITE}/b`)).toEqual({ ...page({ source: `${SITE}/b` }), isFresh: false });
    expect(existsSync(`${file}.new`)).toBe(false);
  });

  it('is reported once if it cannot be written, and the run continues', async () => {
    const file = newFile();
    const reasons: string[] = [];
    const memory = await open({ file, onProblem: (reason) => reasons.push(reason) });
    await memory.remember(`${SITE}/a`, page());
    const write = vi.spyOn(JSON, 'stringify').mockImplementation(() => {
      throw new Error('ENOSPC: no space left on device');
    });
    onTestFinished(() => write.mockRestore());
    await memory.forget(`${SITE}/zzz`);
    await memory.begin('crawl').catch(() => {});
    write.mockRestore();
    await memory.remember(`${SITE}/b`, page());
    expect(reasons).toEqual(['ENOSPC: no space left on device']);
    expect([memory.recall(`${SITE}/a`), memory.recall(`${SITE}/b`)]).toEqual([expect.anything(), undefined]);
  });

  it('gives an error when it is opened in a read-only folder', async () => {
    const home = folder();
    chmodSync(home, 0o500);
    onTestFinished(() => chmodSync(home, 0o700));
    const opening = openPageMemory({ file: join(home, 'x', 'default.jsonl'), mode: 'use' } as PageMemoryOptions);
    await expect(opening).rejects.toThrow(/ENOENT|EACCES/);
  });
});
