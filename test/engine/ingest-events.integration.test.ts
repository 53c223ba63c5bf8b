import { describe, expect, it } from 'vitest';
import { collect } from '../../src/core/run.ts';
import { REPORT_LIMIT } from '../../src/stages/ingest/ingest-report.ts';
import { engineIn, result } from '../support/engine.ts';
import { folder } from '../support/folder.ts';

const page = (word: string): string => `# ${word}\n\nThe ${word} is described here, in a sentence that is long enough.\n`;

describe('the events of an ingest', () => {
  it('count up to the result, and report failures as they occur', async () => {
    const home = folder({ 'docs/a.md': page('anchor'), 'docs/b.md': page('bell'), 'docs/c.pdf': 'no PDF' });
    const { events, result: done } = await collect(engineIn(home).run('ingest', { docs: 'docs' }));
    expect(events.map(({ sequence }) => sequence)).toEqual(events.map((_, i) => i));
    const counts = events.filter(({ type, data }) => type === 'progress' && 'done' in data).map(({ data }) => data);
    const bytes = page('anchor').length + page('bell').length; // what can't be read is no work
    expect(counts.at(-1)).toEqual({
      expected: 3,
      done: 3,
      expected_bytes: bytes,
      bytes,
      sources: 2,
      unchanged: 0,
      chunks: 2,
      embedded: 0,
      reused: 0,
      stored: 2,
      failed: 1,
    });
    const failures = events.filter(({ type }) => type === 'error');
    expect(failures.map(({ stage, message, data }) => [stage, message, data])).toEqual([
      ['convert', done.errors[0]!.error, done.errors[0]],
    ]);
  });

  it('reach the expected number even if a document is named twice', async () => {
    const home = folder({ 'docs/a.md': page('anchor') });
    const { events } = await collect(
      engineIn(home).run('ingest', {
        docs: ['docs/a.md', 'docs'],
        markdown: [
          { source: 'x', text: 'The gate is locked.' },
          { source: 'x', text: 'The gate is locked.' },
        ],
      }),
    );
    const { expected, done } = events.findLast(({ data }) => 'done' in data)!.data;
    expect([expected, done]).toEqual([2, 2]);
  });

  it('end in a report without lists on request, with complete counts', async () => {
    const home = folder({ 'a.md': page('anchor') });
    const done = await result(engineIn(home), 'ingest', { docs: 'a.md', markdown: 'The gate is locked.' }, { lists: false });
    expect(done).toMatchObject({ sources: 2, chunks: 2, stored: 2 });
    expect([done.chunk_result.items, done.store_result.items, done.source_results.markdown, done.source_results.docs?.outputs]).toEqual([
      [],
      [],
      [],
      [],
    ]);
  });

  it('are refused if a chunk would repeat more than it holds', async () => {
    const chunking = { chunk_size: 200, chunk_overlap: 201 };
    await expect(result(engineIn(folder()), 'ingest', { markdown: 'Text.', chunking })).rejects.toMatchObject({
      code: 'usage',
      message: expect.stringMatching(/chunking\.chunk_overlap \(201\).*chunking\.chunk_size \(200\)/),
    });
    await expect(result(engineIn(folder()), 'chunk', { markdown: 'Text.', ...chunking })).rejects.toMatchObject({ code: 'usage' });
  });

  it('end in a report whose lists have a limit', async () => {
    const rows = Array.from({ length: REPORT_LIMIT + 50 }, (_, i) => `Passage ${i} stands alone, and has a number of its own: ${i * 7}.`);
    const engine = engineIn(folder());
    const chunking = { chunk_size: 70, chunk_overlap: 0, min_chunk_length: 0 };
    const done = await result(engine, 'ingest', { markdown: [{ source: 'long', text: rows.join('\n\n') }], chunking });
    expect(done.stored).toBeGreaterThan(REPORT_LIMIT);
    expect([done.chunk_result.items.length, done.store_result.items.length]).toEqual([REPORT_LIMIT, REPORT_LIMIT]);
  });
});
