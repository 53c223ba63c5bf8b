import { expect, it } from 'vitest';
import { folder } from '../support/folder.ts';
import { serveIn } from '../support/server.ts';

/** A form of files, some of which may share a name, and fields. */
function form(files: readonly [name: string, content: string][], fields: Record<string, string> = {}): FormData {
  const parts = new FormData();
  for (const [name, content] of files) parts.append('files', new Blob([content]), name);
  for (const [name, value] of Object.entries(fields)) parts.append(name, value);
  return parts;
}
const PATH = '/v1/ingest/docs/upload';
const LID: [string, string] = ['lid.md', '# Lid\n\nThe lid is sold apart, under number 88-L.'];

it('an upload with store returns the report of an ingest, and repeating it writes nothing', async () => {
  const { post } = await serveIn(folder());
  const send = () =>
    post(
      PATH,
      form([LID, ['rules.txt', 'The kitchen closes at eight.']], { store: 'Yes', collection: 'inbox', metadata: '{"shelf":"C1"}' }),
    );
  const first = await send();
  expect([first.status, first.json]).toMatchObject([200, { sources: 2, stored: 2, failed: 0, store_result: { collection: 'inbox' } }]);
  expect(first.json.source_results.docs.outputs).toEqual([
    { source: 'lid.md', status: 'new' },
    { source: 'rules.txt', status: 'new' },
  ]);
  expect((await send()).json).toMatchObject({ sources: 0, unchanged: 2, stored: 0 });
  const { items } = (await post('/v1/retrieve', { query: '88-L', collection: 'inbox', filter: { shelf: 'C1' } })).json;
  expect(items[0].metadata).toMatchObject({ source: 'lid.md', source_kind: 'bytes' });
});

it('files with the same name are both stored, and replaced together', async () => {
  const { post, get } = await serveIn(folder());
  const send = (...texts: string[]) =>
    post(
      PATH,
      form(
        texts.map((text) => ['note.md', text]),
        { store: '1' },
      ),
    );
  expect((await send('The pump hums.', 'The bell rings.')).json).toMatchObject({ sources: 2, stored: 2, failed: 0 });
  await send('The pump is new.', 'The bell rings.');
  const { json } = await get('/v1/collections/default/sources/note.md');
  expect(json.chunks.map(({ text }: { text: string }) => text).toSorted()).toEqual(['The bell rings.', 'The pump is new.']);
});

it('a broken file fails beside its neighbours, and invalid fields are a 400', async () => {
  const { post, get } = await serveIn(folder());
  const { json } = await post(PATH, form([['broken.pdf', 'nothing'], LID, ['photo.jpg', 'x']], { store: 'true' }));
  expect(json).toMatchObject({ sources: 1, failed: 2, errors: [{ source: 'photo.jpg', source_kind: 'bytes' }, { source: 'broken.pdf' }] });
  const wrong: Record<string, string>[] = [
    { store: 'perhaps' },
    { metadata: '{"a":' },
    { metadata: '{"a":{}}' },
    { metadata: '[]' },
    { collection: '../x' },
  ];
  for (const fields of wrong) {
    const answer = await post(PATH, form([LID], { store: 'true', ...fields }));
    expect([fields, answer.status, answer.json.error.type]).toEqual([fields, 400, 'ValueError']);
  }
  expect((await get('/v1/collections/default/sources')).json.total).toBe(1);
});

it('metadata of an upload without store is in its documents', async () => {
  const { post } = await serveIn(folder());
  const { json } = await post(PATH, form([LID], { metadata: '{"shelf":"C1"}' }));
  expect(json.outputs[0].metadata).toMatchObject({ shelf: 'C1', source_kind: 'bytes' });
});

it('files of one name in two folders are two documents, in one request or in two', async () => {
  const files = ['a', 'b'].map((name) => [`${name}/memo.md`, `The memo of hall ${name}.`] as [string, string]);
  for (const requests of [[files], files.map((file) => [file])]) {
    const { post, get } = await serveIn(folder());
    for (const request of requests) expect((await post(PATH, form(request, { store: 'true' }))).json).toMatchObject({ failed: 0 });
    const { sources } = (await get('/v1/collections/default/sources')).json;
    expect(sources.map(({ source }: { source: string }) => source)).toEqual(['a/memo.md', 'b/memo.md']);
  }
});

it('metadata may be a part of type application/json, with or without a file name', async () => {
  const { post } = await serveIn(folder());
  const body = (json: string, name: string) =>
    [
      '--b',
      'Content-Disposition: form-data; name="files"; filename="memo.md"',
      '',
      'The memo.',
      '--b',
      `Content-Disposition: form-data; name="metadata"${name}`,
      'Content-Type: application/json',
      '',
      json,
      '--b--',
      '',
    ].join('\r\n');
  const send = (json: string, name: string) =>
    post(PATH, body(json, name), { headers: { 'content-type': 'multipart/form-data; boundary=b' } });
  for (const name of ['', '; filename="blob"']) {
    expect((await send('{"shelf":"C1"}', name)).json.outputs).toMatchObject([{ source: 'memo.md', metadata: { shelf: 'C1' } }]);
    for (const wrong of ['{"shelf"', '[]', '{"location":"Hallin"}', JSON.stringify({ a: 'x'.repeat(70_000) })]) {
      const { status, json } = await send(wrong, name);
      expect([wrong.slice(0, 20), status, json.error?.message]).toEqual([
        wrong.slice(0, 20),
        wrong.length > 1000 ? expect.any(Number) : 400,
        expect.stringContaining('metadata'),
      ]);
    }
  }
});
