import { describe, expect, test } from 'vitest';
import type { HttpAnswer } from '../../../src/base/http-message.ts';
import { structureOf } from '../../../src/stages/extract/structure.ts';

const read = (content_type: string, body: string | Uint8Array, charset?: string) =>
  structureOf(
    { url: 'http://x/', status: 200, headers: {}, bytes: Buffer.from(body as string), content_type, charset } satisfies HttpAnswer,
    'http://x/',
  );

describe('JSON', () => {
  test.each(['application/json', 'application/vnd.api+json', 'text/json', 'text/plain', ''])('is read from %s', async (type) => {
    expect(await read(type, '{"a":[1]}')).toEqual({ file_type: 'json', value: { a: [1] } });
  });

  test('is read line by line where it is JSON Lines', async () => {
    expect(await read('application/x-ndjson', '{"a":1}\n\n{"a":2}\n')).toEqual({ file_type: 'json', value: [{ a: 1 }, { a: 2 }] });
  });

  test('keeps long and decimal numbers as they were written', async () => {
    expect((await read('application/json', '{"id":12345678901234567890,"price":49.90,"n":5}'))?.value).toEqual({
      id: '12345678901234567890',
      price: '49.90',
      n: 5,
    });
  });

  test('that is broken is an error that names the address', async () => {
    await expect(read('application/json', '<html>')).rejects.toMatchObject({
      code: 'invalid',
      message: expect.stringContaining('http://x/'),
    });
  });

  test('that is not there is no record', async () => {
    expect((await read('application/json', ''))?.value).toEqual([]);
  });

  test('is not what a text is that only begins like it', async () => {
    expect(await read('text/plain', '[1] See the notes.')).toBeUndefined();
  });
});

describe('XML', () => {
  test('becomes fields: attributes, elements, lists of elements of one name', async () => {
    const xml = `<?xml version="1.0"?><catalog xmlns:m="u" year="2026"><part no="P-1"><label>Pump &amp; seal</label></part><part no="H-2"><label><![CDATA[a < b]]></label></part><note>Say <b>no</b> more</note><empty/></catalog>`;
    expect((await read('application/xml', xml))?.value).toEqual({
      year: '2026',
      part: [
        { no: 'P-1', label: 'Pump & seal' },
        { no: 'H-2', label: 'a < b' },
      ],
      note: { text: 'Say no more' },
      empty: '',
    });
  });

  test('is read also where it is nested without end, and expands no entities', async () => {
    expect(JSON.stringify(await read('text/xml', `${'<a>'.repeat(5000)}deep${'</a>'.repeat(5000)}`))).toContain('deep');
    const bomb = '<!DOCTYPE x [<!ENTITY a "lollollol"><!ENTITY b "&a;&a;&a;">]><x>&b;</x>';
    expect(JSON.stringify(await read('application/xml', bomb))).not.toContain('lollollollollol');
  });

  test('without an element is an error', async () => {
    await expect(read('application/rss+xml', 'hello')).rejects.toMatchObject({ code: 'invalid' });
  });
});

test.each(['text/html', 'text/csv', 'application/pdf', 'application/xhtml+xml'])('%s has no fields', async (type) => {
  expect(await read(type, '{"a":1}')).toBeUndefined();
});
