import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { chunksIn, engineIn, modelServer, result, WORDS } from '../../support/engine.ts';
import { folder } from '../../support/folder.ts';
import { exported, filled, lines, named } from '../../support/stored-texts.ts';

describe('an export', () => {
  it('is imported unchanged under another name, with vectors, and can be ingested into', async () => {
    const home = folder();
    const { settings, server } = await modelServer();
    const engine = await filled(settings, home);
    const whole = await exported(engine);
    expect(JSON.parse(whole[0]!)).toEqual({
      kb_export: 1,
      name: 'default',
      provider: 'openai_compatible',
      model: 'test-model',
      dimensions: 3,
    });
    expect(await result(engine, 'import_collection', { name: 'copy', lines: lines([...whole, '']) })).toEqual({
      name: 'copy',
      imported: 3,
    });
    const order = (list: Record<string, unknown>[]) => list.toSorted((a, b) => (String(a.id) < String(b.id) ? -1 : 1));
    expect(order(await chunksIn(engine, 'copy'))).toEqual(order(await chunksIn(engine, 'default')));
    const asked = server.requests.length;
    const copy = engineIn(home, { ...settings, collection: 'copy' });
    expect(await result(copy, 'ingest', { markdown: named })).toMatchObject({ unchanged: 3 });
    expect(server.requests.length).toBe(asked);
  });

  it('is closed if nobody waits for it any more', async () => {
    const home = folder();
    const engine = await filled(WORDS, home);
    const tables = () => readdirSync(join(home, '.kb/lancedb')).filter((name) => name.startsWith('kb.'));
    const before = tables();
    const run = engine.run('import_collection', { name: 'copy', lines: lines(await exported(engine)) });
    await run.next();
    expect(tables()).toHaveLength(before.length + 1);
    await run.return(undefined as never);
    expect(tables()).toEqual(before);
  });

  it('is not imported over an existing collection', async () => {
    const engine = await filled();
    const whole = await exported(engine);
    await expect(result(engine, 'import_collection', { name: 'default', lines: lines(whole) })).rejects.toMatchObject({ code: 'conflict' });
    expect(await chunksIn(engine)).toHaveLength(3);
  });

  it('that was cut off or changed is imported as far as possible with force', async () => {
    const engine = await filled();
    const whole = await exported(engine);
    const cuts: [string[], number][] = [
      [whole.slice(0, 3), 2],
      [[...whole.slice(0, 3), whole[3]!.slice(0, 30)], 2],
      [whole.slice(0, 1), 0],
      [whole.toSpliced(2, 1), 2],
      [whole.map((line) => line.replace('noon', 'nine')), 3],
      [whole, 3],
    ];
    for (const [i, [cut, imported]] of cuts.entries())
      expect(await result(engine, 'import_collection', { name: `copy-${i}`, lines: lines(cut), force: true })).toMatchObject({ imported });
  });

  const breaks: [string, (whole: string[]) => string[], RegExp][] = [
    ['is empty', () => [], /empty/],
    ['has no header', (whole) => whole.slice(1), /Line 1/],
    ['was cut off within a line', (whole) => [...whole.slice(0, 3), whole[3]!.slice(0, 30)], /Line 4 is not JSON.*cut off/],
    [
      'holds a vector of another length',
      (whole) => whole.map((line, i) => (i === 2 ? JSON.stringify({ ...JSON.parse(line), embedding: [1, 2] }) : line)),
      /Line 3.*length 2.*0/,
    ],
    ['was cut off at a line', (whole) => whole.slice(0, 3), /no closing line.*after 2 chunks.*--force/],
    ['was cut off after its header', (whole) => whole.slice(0, 1), /no closing line.*after 0 chunks.*--force/],
    ['lost a line', (whole) => whole.toSpliced(2, 1), /holds 2 chunks; its closing line counts 3.*--force/],
    ['was changed', (whole) => whole.map((line) => line.replace('noon', 'nine')), /was changed.*--force/],
    ['holds something else', (whole) => whole.toSpliced(4, 0, '{"id": 5}'), /Line 5: id/],
    ['goes on behind its end', (whole) => [...whole, whole[1]!], /Line 5: id/],
  ];
  it.each(breaks)('leaves nothing behind if it %s', async (_what, broken, message) => {
    const engine = await filled();
    const whole = await exported(engine);
    const failure = await result(engine, 'import_collection', { name: 'copy', lines: lines(broken(whole)) }).catch(
      (error: Error & { hint?: string }) => error,
    );
    expect(failure).toBeInstanceOf(Error);
    expect(`${(failure as Error).message} ${(failure as { hint?: string }).hint}`).toMatch(message);
    expect((await result(engine, 'list_collections', {})).collections.map(({ name }) => name)).toEqual(['default']);
  });
});
