import { describe, expect, test } from 'vitest';
import type { HttpResponse } from '../../../../src/http/message.ts';
import { parseStructure } from '../../../../src/stages/extract/api/api-page.ts';
import { plainReader } from '../plain-reader.ts';

const read = (content_type: string, body: string | Uint8Array, charset?: string) =>
  parseStructure(
    { url: 'http://x/', status: 200, headers: {}, bytes: Buffer.from(body as string), content_type, charset } satisfies HttpResponse,
    'http://x/',
    { reader: plainReader() },
  );

describe('JSON', () => {
  test.each(['application/json', 'application/vnd.api+json', 'text/json', 'text/plain', 'text/html', 'text/javascript', ''])(
    'is read from a response of type %s',
    async (type) => {
      expect(await read(type, '{"a":[1]}')).toEqual({ file_type: 'json', value: { a: [1] } });
    },
  );

  test.each(['application/x-ndjson', 'application/jsonl', 'application/stream+json', 'application/json', 'text/plain'])(
    'is read line by line if it is JSON Lines, also with type %s',
    async (type) => {
      expect(await read(type, '{"a":1}\r\n{"a":2}\n\n')).toEqual({ file_type: 'json', value: [{ a: 1 }, { a: 2 }], broken: [] });
    },
  );

  test('keeps the valid lines among broken ones', async () => {
    const read2 = await read('application/x-ndjson', '{"a":1}\n{"a":\n\n{"a":3}\nnull');
    expect(read2?.value).toEqual([{ a: 1 }, { a: 3 }, null]);
    expect(read2?.broken).toEqual([
      { line: 2, error: expect.objectContaining({ code: 'invalid', message: expect.stringContaining('line 2') }) },
    ]);
    const many = await read('application/x-ndjson', `1\n${'x\n'.repeat(150)}2`);
    expect([many?.value, many?.broken?.length]).toEqual([[1, 2], 101]);
    expect(many?.broken?.at(-1)?.error.message).toContain('50 more lines after line 101');
    await expect(read('application/x-ndjson', 'x\ny')).rejects.toMatchObject({ message: expect.stringContaining('none is JSON') });
  });

  test('reads records of several lines from a JSON text sequence (RFC 7464)', async () => {
    expect((await read('application/json-seq', '\x1e{"a":\n1}\n\x1e{"a":2}\n'))?.value).toEqual([{ a: 1 }, { a: 2 }]);
  });

  test('does not read truncated JSON as JSON Lines', async () => {
    await expect(read('application/json', '[\n{"a":1},\n{"a":2')).rejects.toMatchObject({ code: 'invalid' });
  });

  test('keeps long and decimal numbers as written', async () => {
    expect((await read('application/json', '{"id":12345678901234567890,"price":49.90,"n":5}'))?.value).toEqual({
      id: '12345678901234567890',
      price: '49.90',
      n: 5,
    });
  });

  test('names the address of broken JSON in the error', async () => {
    await expect(read('application/json', '<html>')).rejects.toMatchObject({
      code: 'invalid',
      message: expect.stringContaining('http://x/'),
    });
  });

  test('gives no record for an empty response', async () => {
    expect((await read('application/json', ''))?.value).toEqual([]);
  });

  test('does not take a text for JSON that only begins like it', async () => {
    expect(await read('text/plain', '[1] See the notes.')).toBeUndefined();
  });
});

describe('XML', () => {
  test('converts attributes, elements and repeated elements to fields', async () => {
    const xml = `<?xml version="1.0"?><catalog xmlns:m="u" year="2026"><part no="P-1"><label>Pump &amp; seal</label></part><part no="H-2"><label><![CDATA[a < b]]></label></part><note>Say <b>no</b> more</note><empty/></catalog>`;
    expect((await read('application/xml', xml))?.value).toEqual({
      year: '2026',
      part: [
        { no: 'P-1', label: 'Pump & seal' },
        { no: 'H-2', label: 'a < b' },
      ],
      note: 'Say no more',
      empty: '',
    });
  });

  test('keeps prefixes of names, markup in prose, and the content of CDATA', async () => {
    const xml = `<rss xmlns:dc="u"><item dc:lang="en"><dc:creator>Ann</dc:creator><p>Say <b>no</b> more &#8211; ever</p><d><![CDATA[<p>a &amp; b</p>]]></d></item></rss>`;
    expect((await read('application/rss+xml', xml))?.value).toEqual({
      item: { 'dc:lang': 'en', 'dc:creator': 'Ann', p: 'Say no more \u2013 ever', d: '<p>a &amp; b</p>' },
    });
  });

  test('reads a document from top to bottom', async () => {
    const xml =
      '<article lang="en"><title>Install</title><para>First stop the <b>pump</b>.</para><screen>\n  aqua stop\n  aqua wait\n</screen><para>Then open the valve.</para>' +
      '<itemizedlist><listitem><para>Left.</para></listitem><listitem><para>Right.</para><para>Or middle.</para></listitem></itemizedlist>' +
      '<note><title>Mind</title><para>It is hot.</para></note><para>Start again.</para><screen/></article>';
    expect((await read('application/xml', xml))?.value).toEqual({
      lang: 'en',
      title: 'Install',
      text: 'First stop the pump.\n\n```\n  aqua stop\n  aqua wait\n```\n\nThen open the valve.\n\n- Left.\n- Right.\n\n  Or middle.\n\n## Mind\n\nIt is hot.\n\nStart again.',
    });
  });

  test('reads records as records, however their elements are mixed', async () => {
    const xml =
      '<channel><item><category>Pump news</category><pubDate>2026</pubDate><category>Valves</category><title>One.</title></item><ad>Say no more.</ad><item><title>Two words.</title></item><ad>Buy soon.</ad></channel>';
    expect((await read('application/xml', xml))?.value).toEqual({
      item: [{ category: ['Pump news', 'Valves'], pubDate: '2026', title: 'One.' }, { title: 'Two words.' }],
      ad: ['Say no more.', 'Buy soon.'],
    });
  });

  test('is decoded by the character set of the header, else of the XML declaration', async () => {
    const xml = Buffer.from('<?xml version="1.0" encoding="ISO-8859-1"?><a><b>Dürer</b></a>', 'latin1');
    expect((await read('application/xml', xml))?.value).toEqual({ b: 'Dürer' });
    expect(
      (await read('application/xml', Buffer.from('<?xml version="1.0" encoding="ISO-8859-1"?><a><b>Dürer</b></a>'), 'utf-8'))?.value,
    ).toEqual({
      b: 'Dürer',
    });
  });

  test('is recognised by its XML declaration alone', async () => {
    expect(await read('', '<?xml version="1.0"?><a><b>1</b></a>')).toEqual({ file_type: 'xml', value: { b: '1' } });
  });

  test('is read to a limited depth', async () => {
    const nested = (depth: number) => `${'<a>'.repeat(depth)}deep${'</a>'.repeat(depth)}`;
    expect(JSON.stringify(await read('text/xml', nested(200)))).toContain('deep');
    await expect(read('text/xml', nested(5000))).rejects.toMatchObject({ code: 'invalid', message: expect.stringContaining('nested') });
  });

  test.each([
    ['by others', '<!DOCTYPE x [<!ENTITY a "lollollol"><!ENTITY b "&a;&a;&a;">]><x>&b;</x>'],
    ['by a file', '<!DOCTYPE x [<!ENTITY a SYSTEM "file:///etc/hostname">]><x>&a;</x>'],
    ['without end', `<!DOCTYPE x [<!ENTITY a "${'lol'.repeat(1000)}">]><x>${'&a;'.repeat(100_000)}</x>`],
  ])('does not expand entities that are defined %s', async (_how, bomb) => {
    const text = await read('application/xml', bomb).then(JSON.stringify, ({ message }: Error) => message);
    expect(text).not.toContain('lollollollollol');
    expect(text!.length).toBeLessThan(1000);
  });

  test.each([
    ['<a><b></a>', 'line 1'],
    ['<a>\n<b>cut off', 'line'],
    ['<a>x</a><a>y</a>', 'line 1'],
    ['<a><__proto__>x</__proto__></a>', 'cannot be read'],
  ])('names the position of an error: %j', async (xml, where) => {
    await expect(read('application/xml', xml)).rejects.toMatchObject({ code: 'invalid', message: expect.stringContaining(where) });
  });

  test('is rejected if it has too many fields', async () => {
    await expect(read('application/xml', `<r>${'<a/>'.repeat(1_000_001)}</r>`)).rejects.toMatchObject({
      code: 'too_large',
      message: 'http://x/ answered with XML of more than 1000000 fields and values.',
    });
  });

  test('is rejected without an element', async () => {
    await expect(read('application/rss+xml', 'hello')).rejects.toMatchObject({ code: 'invalid' });
  });
});

describe('a large response', () => {
  const lines = '{"id":1}\n'.repeat(400_001);

  test.each([
    ['application/json', `[${'1,'.repeat(200_000)}1]`, 'at most 200,000 entries in one list'],
    ['text/plain', `${'['.repeat(300)}${']'.repeat(300)}`, 'at most 200 levels of lists and objects'],
    [
      'application/json',
      JSON.stringify(Object.fromEntries(Array.from({ length: 50_001 }, (_, i) => [i, 1]))),
      'at most 50,000 keys in one object',
    ],
    ['text/plain', `[${'1,'.repeat(200_000)}1]\n{"a":1}\n`, 'at most 200,000 entries in one list'],
    ['application/json', `[${'1,'.repeat(200_000)}1]\n{"a":1}\n`, 'at most 200,000 entries in one list'],
  ])('is refused before it is parsed: %s', async (type, text, excess) => {
    const message = `http://x/ has too much at once: ${excess} can be read.`;
    await expect(read(type, text)).rejects.toMatchObject({ code: 'too_large', message });
  });

  test('has the same bounds in each line of JSON Lines', async () => {
    const structure = await read('application/x-ndjson', `[${'1,'.repeat(200_000)}1]\n{"a":1}\n`);
    expect([structure!.value, structure!.broken]).toEqual([
      [{ a: 1 }],
      [
        {
          line: 1,
          error: expect.objectContaining({ message: expect.stringContaining('has too much at once: at most 200,000 entries in one list') }),
        },
      ],
    ]);
  });

  test.each(['application/x-ndjson', 'application/json', 'text/plain'])('of JSON Lines is read: %s', async (type) => {
    expect((await read(type, lines))!.value).toHaveLength(400_001);
  });
});

test.each(['text/csv', 'application/pdf', 'application/xhtml+xml'])('a response of type %s has no structure', async (type) => {
  expect(await read(type, '{"a":1}')).toBeUndefined();
});

test('a web page has no structure, whatever it begins with', async () => {
  for (const page of ['<!doctype html><p>{"a":1}', '{{ template }} <p>x</p>', '<?xml version="1.0"?><html><p>x</p></html>'])
    expect(await read('text/html', page)).toBeUndefined();
});

test('decodes JSON by its bytes if they contradict the declared or required encoding', async () => {
  const text = '{"a":"Zürich, Köln"}';
  for (const charset of [undefined, 'utf-8', 'iso-8859-1'])
    expect((await read('application/json', Buffer.from(text, 'latin1'), charset))?.value).toEqual({ a: 'Zürich, Köln' });
  const broken = Buffer.concat([Buffer.from(text.slice(0, -2)), Buffer.from([0xff]), Buffer.from('"}')]);
  expect((await read('application/json', broken))?.value, 'one byte is no other encoding').toEqual({ a: 'Zürich, Köln\ufffd' });
  expect((await read('application/json', Buffer.from(text), 'klingon'))?.value).toEqual({ a: 'Zürich, Köln' });
});

test('decodes XML by its byte order mark, its header or its declaration, whatever its media type', async () => {
  const text = '<?xml version="1.0" encoding="iso-8859-1"?><a>Café</a>';
  const latin = Buffer.from(text, 'latin1');
  for (const type of ['application/xml', 'text/plain', 'application/octet-stream', ''])
    expect((await read(type, latin))?.value).toBe('Café');
  const marked = Buffer.concat([Buffer.from([0xff, 0xfe]), Buffer.from(text, 'utf16le')]);
  expect((await read('application/xml', marked))?.value).toBe('Café');
});

test('separates the words of elements in mixed text', async () => {
  const { value } = (await read('application/xml', '<a>Intro <p>One.</p><p>Two.</p> H<sub>2</sub>O</a>'))!;
  expect(value).toBe('Intro One. Two. H2O');
});
