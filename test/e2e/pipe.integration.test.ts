import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { folder, prepared } from '../support/folder.ts';
import { documentIn, GATE, KB, kb, LONG, start } from '../support/program.ts';
import { runCommand } from '../support/run-command.ts';

/** A folder with a filled store that no test changes. */
let home: string;
let close: () => Promise<void>;
beforeAll(async () => {
  close = await prepared(async (atEnd) => {
    home = folder({ 'docs/gate.md': GATE, 'docs/long.md': LONG }, atEnd);
    await runCommand(['ingest', '--docs', 'docs', '--quiet'], { cwd: home });
  });
});
afterAll(() => close());

describe('a pipe of commands', () => {
  it('says what is missing without input, and fails', async () => {
    for (const [stage, what, input] of [
      ['chunk', 'documents', ''],
      ['embed', 'chunks', '\n \n'],
      ['store', 'embedded chunks', ''],
      ['edit', 'chunks', '\n'],
    ] as const)
      expect(await runCommand([stage], { cwd: home, input })).toMatchObject({
        code: 1,
        out: '',
        error: expect.stringContaining(`holds no ${what}, so nothing`),
      });
    const told = await kb(['chunk', '--json'], { cwd: home, input: '' });
    expect(told.code).toBe(1);
    expect(JSON.parse(told.out)).toEqual({ error: { type: 'ValueError', message: expect.stringContaining('documents') } });
  });

  it('stores what an ingest would, line by line', async () => {
    const line = `${KB} parse docs/gate.md | ${KB} chunk | ${KB} embed | ${KB} store --collection piped --storage-url "$STORE"`;
    const env = { STORE: folder() };
    const ended = await start(['bash', '-o', 'pipefail', '-c', line], { cwd: home, env, input: '' }).done;
    expect(ended).toMatchObject({ code: 0, error: '', out: 'Stored 1 of 1 chunk in "piped".\n' });
    const found = await runCommand(['retrieve', 'gate', '--collection', 'piped', '--storage-url', env.STORE, '--json'], { cwd: home });
    expect(documentIn(found)).toMatchObject({ items: [{ metadata: { source: 'docs/gate.md', location: { headings: ['Gate'] } } }] });
  });

  it('stores a long pipe in steps, also what came before a broken line', async () => {
    const line = (i: number, embedding?: unknown) => JSON.stringify({ id: `row-${i}`, text: `passage ${i}`, source: 'rows', embedding });
    const lines = Array.from({ length: 5_001 }, (_, i) => line(i));
    const args = ['store', '--collection', 'rows', '--storage-url', folder()];
    const broken = await kb(args, { cwd: home, input: `${lines.slice(0, 5_000).join('\n')}\n${line(1, [1, 'two', 3])}\n` });
    expect(broken).toMatchObject({ code: 2, error: expect.stringMatching(/^Error: Line 5001 of standard input: embedding\[1\]/) });
    const counted = async () =>
      documentIn(await runCommand(['collections', 'show', 'rows', ...args.slice(3), '--json'], { cwd: home })) as { chunks: number };
    expect(await counted()).toMatchObject({ chunks: 5_000 });
    expect(await runCommand(args, { cwd: home, input: lines.join('\n') })).toMatchObject({
      code: 0,
      out: 'Stored 5,001 of 5,001 chunks in "rows".\n',
    });
    expect(await counted()).toMatchObject({ chunks: 5_001 });
  });

  it('names the broken line', async () => {
    expect(await runCommand(['chunk'], { cwd: home, input: '{"text": "One."}\n\nnonsense\n' })).toMatchObject({
      code: 2,
      out: '',
      error: expect.stringMatching(/^Error: Line 3 of standard input is not JSON/),
    });
    expect(await runCommand(['embed'], { cwd: home, input: '{"id": "a"}\n' })).toMatchObject({
      code: 2,
      error: expect.stringMatching(/^Error: Line 1 of standard input: text/),
    });
  });

  it('ends silently if its reader stops', async () => {
    const ended = await start(['bash', '-o', 'pipefail', '-c', `${KB} collections export default | (sleep 1; head -1)`], {
      cwd: home,
      input: '',
    }).done;
    expect(ended).toMatchObject({ code: 0, error: '' });
    expect(JSON.parse(ended.out)).toMatchObject({ kb_export: 1, name: 'default' });
  });

  it('edits and deletes chunks', async () => {
    const cwd = folder({ 'gate.md': GATE });
    await runCommand(['ingest', '--docs', 'gate.md', '--quiet'], { cwd });
    const { items } = documentIn(await runCommand(['retrieve', 'gate', '--json'], { cwd })) as { items: { id: string }[] };
    const lines = [
      { id: items[0]!.id, text: 'The gate stays open.' },
      { id: 'ghost', text: 'Boo.' },
    ]
      .map((line) => JSON.stringify(line))
      .join('\n');
    expect(await runCommand(['edit'], { cwd, input: lines })).toMatchObject({
      code: 1,
      out: 'Edited 1 of 2 chunks in "default".\n',
      error: expect.stringContaining('ghost'),
    });
    expect((await runCommand(['retrieve', 'gate'], { cwd })).out).toContain('The gate stays open.');
    expect(await runCommand(['delete', '--source', '../other/gate.md'], { cwd })).toMatchObject({
      out: 'Deleted 0 of 0 chunks in "default".\n',
      error: expect.stringMatching(/^No document has that source\./),
    });
    expect(await runCommand(['delete', '--id', items[0]!.id], { cwd })).toMatchObject({
      code: 0,
      out: 'Deleted 1 of 1 chunk in "default".\n',
    });
    for (const nothing of [
      ['--id', items[0]!.id],
      ['--source', 'docs/none.md'],
      ['--filter', '{"source": "docs/none.md"}'],
    ])
      expect(await runCommand(['delete', ...nothing], { cwd })).toMatchObject({
        code: 1,
        out: expect.stringMatching(/^Deleted 0 of (?:0 chunks|1 chunk) in/),
      });
  });
});
