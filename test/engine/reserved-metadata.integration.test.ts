import { describe, expect, it } from 'vitest';
import { engineIn, result } from '../support/engine.ts';
import { folder } from '../support/folder.ts';

/** Values that kb would not set itself. */
const TAKEN = {
  source: 7,
  source_kind: 'letter',
  file_type: 'a sermon',
  content_hash: 'mine',
  ingested_at: 'in spring',
  location: 'Hallin',
};
const name = 'default';

describe('a metadata key that kb sets itself', () => {
  it('is refused in a Markdown entry with a type that no file has', async () => {
    const markdown = [{ text: 'The bell.', source: 'bell.md', metadata: { file_type: 'sermon' } }];
    expect((await result(engineIn(folder()), 'ingest', { markdown })).errors).toMatchObject([
      { error: expect.stringContaining('metadata.file_type') },
    ]);
  });

  it.each(Object.entries(TAKEN))('is refused where it is given: %s', async (key, value) => {
    const engine = engineIn(folder());
    const metadata = { [key]: value };
    const chunk = { id: 'a', text: 'The bell.', source: 'bell.md', metadata };
    const failures = [
      await result(engine, 'ingest', { markdown: [{ text: 'The bell.', source: 'bell.md', metadata }] }),
      await result(engine, 'chunk', { markdown: [{ text: 'The bell.', source: 'bell.md', metadata }] }),
      await result(engine, 'store', { embedded_chunks: [chunk] }),
    ];
    await result(engine, 'store', { embedded_chunks: [{ ...chunk, metadata: {} }] });
    failures.push((await result(engine, 'edit', { chunks: [{ id: 'a', text: 'The bell.', metadata }] })) as never);
    for (const { failed, errors } of failures) expect([failed, errors[0]?.error]).toEqual([1, expect.stringContaining(`metadata.${key}`)]);
    await expect(result(engine, 'ingest', { markdown: 'The bell.', metadata: { [key]: String(value) } })).rejects.toMatchObject({
      code: 'usage',
      message: expect.stringContaining(key),
    });
  });

  it('is renamed where a document says it of itself', async () => {
    const front = Object.entries({ ...TAKEN, source: 'https://example.com/bell' }).map(([key, value]) => `${key}: ${value}`).join('\n'); // prettier-ignore
    const engine = engineIn(folder({ 'bell.md': `---\n${front}\n---\n# Bell\n\nThe bell is rung at nine.\n` }));
    const { notices } = await result(engine, 'ingest', { docs: 'bell.md' });
    expect(notices.join('\n')).toContain('"location" of documents is stored as "document_location"');
    const { items } = await result(engine, 'retrieve', {
      query: 'bell',
      filter: { document_location: 'Hallin', document_source: 'https://example.com/bell' },
    });
    expect(items).toMatchObject([
      {
        metadata: {
          source: 'bell.md',
          source_kind: 'path',
          document_source_kind: 'letter',
          document_ingested_at: 'in spring',
          file_type: 'markdown',
        },
      },
    ]);
  });

  it('of an earlier result is accepted and set again', async () => {
    const engine = engineIn(
      folder({ 'list.csv': `day,crew\n${Array.from({ length: 40 }, (_, i) => `Day ${i},Crew of the hut ${i}`).join('\n')}\n` }),
    );
    const chunking = { chunk_size: 200, chunk_overlap: 0 };
    const { outputs } = await result(engine, 'parse', { files: 'list.csv' });
    const sent = await result(engine, 'ingest', { markdown: outputs, chunking, storage: { collection: 'sent' } });
    const straight = await result(engine, 'ingest', { docs: 'list.csv', chunking });
    const locations = ({ chunk_result }: typeof sent) =>
      chunk_result.items.map(({ metadata }) => (metadata as { location: object }).location);
    expect([sent.failed, locations(sent)]).toEqual([0, locations(straight)]);
    expect(locations(sent).length).toBeGreaterThan(2);
    const [first] = (await result(engine, 'retrieve', { query: 'crew', collection: 'sent' })).items;
    expect(first!.metadata).toMatchObject({ source: 'list.csv', source_kind: 'markdown', file_type: 'csv' });
    const edited = await result(engine, 'edit', {
      chunks: [{ id: first!.id, text: 'New crew.', metadata: { ...first!.metadata, team: 'a' } }],
      collection: 'sent',
    });
    expect(edited).toMatchObject({ edited: 1, errors: [] });
    await result(engine, 'edit', { chunks: [{ id: first!.id, text: 'New crew.', metadata: { team: 'b' } }], collection: 'sent' });
    const { chunks } = await result(engine, 'get_source', { name: 'sent', id: 'list.csv' });
    expect(chunks.find(({ id }) => id === first!.id)!.location).toMatchObject({ row_start: expect.any(Number) });
  });

  it('names the source of a document that has it nowhere else', async () => {
    const engine = engineIn(folder());
    await result(engine, 'ingest', {
      markdown: [{ text: 'The bell.', metadata: { source: 'bell.md', source_kind: 'path', title: 'Bell' } }],
    });
    expect((await result(engine, 'list_sources', { name })).sources).toMatchObject([
      { source: 'bell.md', title: 'Bell', source_kind: 'markdown' },
    ]);
  });
});

it('a vector of another length than its model makes is not stored, also in a new collection', async () => {
  const engine = engineIn(folder(), {});
  const chunk = { id: 'a', text: 'The bell.', source: 'bell.md', embedding: [0.1, 0.2, 0.3] };
  const embedder = { provider: 'local', model: 'all-minilm-l6-v2' };
  for (const embedded of [chunk, { ...chunk, embedder }]) {
    const { stored, failed, errors } = await result(engine, 'store', { embedded_chunks: [embedded] });
    expect([stored, failed, errors[0]?.error]).toEqual([0, 1, expect.stringMatching(/length 3;.*length 384/)]);
  }
  await expect(result(engine, 'show_collection', { name })).rejects.toMatchObject({ code: 'not_found' });
  const unknown = { ...chunk, embedder: { provider: 'openai', model: 'text-embedding-of-tomorrow' } };
  expect(await result(engine, 'store', { embedded_chunks: [unknown] })).toMatchObject({ stored: 1 });
});
