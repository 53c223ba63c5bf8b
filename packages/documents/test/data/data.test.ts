import { describe, expect, it } from 'vitest';
import { parseDocument } from '../../src/parse.ts';
import { expectEveryWord } from '../support/every-word.ts';
import { placeOf, read } from '../support/read.ts';

describe('the JSON parser', () => {
  it('keeps names without a value', async () => {
    const { text } = await expectEveryWord('json', Buffer.from('{"types": {"Vault": {}, "Stack": []}, "owner": null, "sizes": [1, null]}'));
    expect(text).toBe('- types.Vault: {}\n- types.Stack: []\n- owner: null\n- sizes: 1, null');
  });

  it('writes values with their paths, and records under headings, with their lines', async () => {
    const parsed = await read(
      'json',
      '[\n  {"name": "Pump", "size": {"w": 10, "h": 2.5e3}, "tags": ["a", "b"], "none": null},\n  // a comment\n  {"id": 7,\n   "parts": [{"code": "X-1"},\n             {"code": "X-2"}],},\n]',
    );
    expect(parsed.text).toBe(
      '## Record 1: Pump\n\n- name: Pump\n- size.w: 10\n- size.h: 2.5e3\n- tags: a, b\n- none: null\n\n## Record 2: 7\n\n- id: 7\n- parts[1].code: X-1\n- parts[2].code: X-2',
    );
    expect(parsed.metadata).toEqual({ records: 2 });
    expect(placeOf(parsed, '- tags')).toMatchObject({ line: 2 });
    expect(placeOf(parsed, '- parts[2]')).toMatchObject({ line: 4 });
  });

  it.each([
    ['{"a": "one\\ntwo \\u00e9"}', '- a: one two é'],
    ['["x", "y"]', 'x\ny'],
    ['{"servers": [{"url": "a"}, {"url": "b"}], "ports": [1, 2]}', '- servers[1].url: a\n- servers[2].url: b\n- ports: 1, 2'],
    ['"just words"', 'just words'],
  ])('%s is %s', async (source, text) => {
    expect((await read('json', source)).text).toBe(text);
  });

  it('reads each line of JSON Lines as a record', async () => {
    const parsed = await read('jsonl', '{"question":"Why?","a":1}\n\n{"question":"How?","a":2}\n');
    expect(parsed.text).toContain('## Record 2: How?');
    expect(['- question: Why', '- question: How'].map((words) => placeOf(parsed, words)?.line)).toEqual([1, 3]);
  });

  it.each([
    ['{"a": 1', /line 1: it ends too early/],
    ['{\n"a": oops}', /line 2: "o" is not expected/],
    ['['.repeat(100_000), /nested too deeply/],
    ['{"a":1} x', /line 1/],
  ])('is refused when it is broken (%#)', async (source, message) => {
    await expect(read('json', source)).rejects.toThrow(message);
  });
});

describe('the notebook parser', () => {
  const notebook = (cells: unknown[]) => JSON.stringify({ cells, metadata: { language_info: { name: 'python' } }, nbformat: 4 });

  it('writes texts, code and text outputs', async () => {
    const { text, title } = await read(
      'ipynb',
      notebook([
        { cell_type: 'markdown', source: ['# Flow\n', 'Text.'] },
        {
          cell_type: 'code',
          source: 'print(1)',
          outputs: [{ text: ['\u001b[31m1\u001b[0m\n'] }, { data: { 'image/png': 'AAAA', 'text/plain': '<Figure>' } }],
        },
        { cell_type: 'code', source: '', outputs: [{ ename: 'ValueError', evalue: 'no' }, { text: 'x'.repeat(10_000) }] },
      ]),
    );
    expect(title).toBe('Flow');
    expect(text).toContain(
      '# Flow\nText.\n\n```python\nprint(1)\n```\n\n```output\n1\n```\n\n```output\n<Figure>\n```\n\n```output\nValueError: no\n```',
    );
    expect(text.length).toBeLessThan(4_300);
  });

  it('keeps the other cells if some are damaged', async () => {
    const cells = [
      null,
      7,
      { cell_type: 'code', source: 'x = 1', outputs: [null, 'a', { text: '1' }] },
      { source: {} },
      { source: 'The end.' },
    ];
    const { text } = await read('ipynb', JSON.stringify({ cells, metadata: null }));
    expect(text).toBe('```\nx = 1\n```\n\n```output\n1\n```\n\nThe end.');
  });

  it.each([
    ['{"cells": [{"source": "a"', /it is not JSON: it ends too early/],
    ['{"cells": [],, }', /it is not JSON at character 14/],
    ['null', /it has no cells/],
  ])('says in words what is wrong with %s', async (source, message) => {
    await expect(read('ipynb', source)).rejects.toThrow(message);
  });

  it.each([['{}'], ['{"cells": 5}'], ['{"cells": [']])('refuses a notebook without cells (%s)', async (source) => {
    await expect(read('ipynb', source)).rejects.toThrow(/cannot be read as a Jupyter notebook/);
  });
});

describe('the subtitle parser', () => {
  it('writes paragraphs with their time as the location', async () => {
    const parsed = await read(
      'subtitles',
      'WEBVTT\n\nNOTE made by hand\n\n1\n00:01.000 --> 00:03.500 align:start\n<v Ada>Open the <b>valve</b>\n\n00:04.000 --> 00:06.000\n<v Ada>and wait.\n\n01:00:10.000 --> 01:00:12.000\n<v Bo>It leaks &amp; hisses.\n',
    );
    expect(parsed.text).toBe('Ada: Open the valve and wait.\n\nBo: It leaks & hisses.');
    expect(placeOf(parsed, 'and wait')).toMatchObject({ time: '00:00:04', time_end: '00:00:06' });
  });

  it('reads SubRip, without repeated lines', async () => {
    const { text } = await read(
      'subtitles',
      '1\r\n00:00:01,000 --> 00:00:02,000\r\n{\\an8}<i>one</i>\r\n\r\n2\r\n00:00:02,000 --> 00:00:03,000\r\none\r\ntwo\r\n',
    );
    expect(text).toBe('one two');
  });

  it('refuses subtitles without times', async () => {
    await expect(read('subtitles', 'Just words.')).rejects.toThrow(/no line says when/);
  });
});

describe('the XML parser', () => {
  it('writes prose under its titles', async () => {
    const parsed = await read(
      'xml',
      '<?xml version="1.0"?>\n<article><title>Pumps</title>\n<section id="s"><title>Care</title><para>Oil <b>it</b>.</para>\n<itemizedlist><listitem><para>daily</para></listitem></itemizedlist><screen>  run\n  stop</screen></section></article>',
    );
    expect(parsed.text).toBe('# Pumps\n\n## Care\n\nOil it.\n\n- daily\n\n```\n  run\n  stop\n```');
    expect(parsed.title).toBe('Pumps');
    expect(placeOf(parsed, 'Oil')).toMatchObject({ line: 3 });
  });

  it('writes records with their fields', async () => {
    const { text } = await read('xml', '<list><part id="7"><name>Seal</name><price cur="EUR">3</price></part></list>');
    expect(text).toBe('- part: id=7\n- name: Seal\n- price: 3; cur=EUR');
  });

  it('reads an RSS feed', async () => {
    const parsed = await read(
      'feed',
      '<rss version="2.0"><channel><title>News</title><description>All of it</description>\n<item><title>One</title><link>https://x/1</link><pubDate>Mon, 01 Jan 2024 00:00:00 GMT</pubDate><description>&lt;p&gt;Text &lt;b&gt;bold&lt;/b&gt;.&lt;/p&gt;</description></item></channel></rss>',
    );
    expect(parsed.text).toBe(
      '# News\n\nAll of it\n\n## One\n\n- Date: Mon, 01 Jan 2024 00:00:00 GMT\n- Link: https://x/1\n\nText **bold**.',
    );
    expect(placeOf(parsed, '## One')).toMatchObject({ line: 2 });
  });

  it('reads an Atom feed', async () => {
    const { text } = await read(
      'xml',
      '<feed xmlns="http://www.w3.org/2005/Atom"><title>Log</title><entry><title>Two</title><link href="https://x/2"/><updated>2024-01-02</updated><content type="xhtml"><div><p>Inner 1 &lt; 2.</p></div></content></entry></feed>',
    );
    expect(text).toBe('# Log\n\n## Two\n\n- Date: 2024-01-02\n- Link: https://x/2\n\nInner 1 \\< 2.'.replace('\\<', '<'));
  });

  it('keeps cells of tables that span rows and columns in place', async () => {
    const cells = (...texts: string[]) => texts.map((text) => `<entry>${text}</entry>`).join('');
    const rows = `<row><entry morerows="1">Pump</entry>${cells('heater', '48 W')}</row><row>${cells('seal', '2 g')}</row>`;
    const header = '<thead><row><entry>Model</entry><entry colspan="2">Part</entry></row></thead>';
    const { text } = await read('xml', `<article><para>Parts:</para><tgroup>${header}<tbody>${rows}</tbody></tgroup></article>`);
    expect(text).toBe('Parts:\n\n| Model | Part |  |\n| --- | --- | --- |\n| Pump | heater | 48 W |\n| Pump | seal | 2 g |');
  });

  it('does not expand nested or external entities', async () => {
    const laughs = `<!DOCTYPE l [<!ENTITY a "ha">${Array.from({ length: 30 }, (_, i) => `<!ENTITY e${i} "${(i ? `&e${i - 1};` : '&a;').repeat(10)}">`).join('')}<!ENTITY x SYSTEM "file:///etc/passwd">]><l><p>&e29; &x;</p></l>`;
    const outcome = await read('xml', laughs).then(
      ({ text }) => text,
      (error: Error) => error.message,
    );
    expect(outcome.length).toBeLessThan(1_000);
    expect(outcome).not.toContain('root:');
  });

  it.each([
    ['<a><b></a>', /line 1/],
    ['<a>'.repeat(5_000) + '</a>'.repeat(5_000), /cannot be read as an XML file/],
  ])('is refused when it is broken (%#)', async (source, message) => {
    await expect(read('xml', source)).rejects.toThrow(message);
  });
});

describe('the source code parser', () => {
  const code = (name: string, source: string) => parseDocument({ bytes: Buffer.from(source), source: name, file_type: 'code' });

  it('writes each function and class with its comments and lines', async () => {
    const parsed = await code(
      'pump.ts',
      "import { x } from './x.ts';\n\n/** Starts it. */\nexport function start(a: number): void {\n  if (a) {\n    run(a);\n  }\n}\n\nexport class Pump {\n  #on = false;\n\n  /** Stops it. */\n  stop(): void {\n    halt();\n  }\n}\n\nexport const wait = async (ms: number) => {\n  sleep(ms);\n};\n",
    );
    expect(parsed.metadata).toEqual({ language: 'ts' });
    expect(parsed.text.match(/^#+ .*$/gm)).toEqual(['## start', '## class Pump', '### stop()', '## wait']);
    expect(parsed.text).toContain('## start\n\n```ts\n/** Starts it. */\nexport function start');
    expect(['Starts', 'halt', 'sleep'].map((words) => placeOf(parsed, words)?.line)).toEqual([3, 13, 19]);
  });

  it.each([
    [
      'a.py',
      '# about\nimport os\n\n@cached\ndef run(a):\n    return a\n\nclass Pump(Base):\n    """Doc."""\n\n    async def stop(self):\n        pass\n\nx = 1\n',
      ['## run', '## class Pump', '### stop()'],
    ],
    [
      'A.java',
      'package a;\n\n/** Doc. */\npublic final class Pump extends Base {\n    private int a;\n\n    @Override\n    public void stop(int b) throws E {\n        if (b > 0) {\n        }\n    }\n}\n',
      ['## class Pump', '### stop()'],
    ],
    [
      'a.go',
      'package a\n\n// Run runs.\nfunc (p *Pump) Run(a int) error {\n\treturn nil\n}\n\ntype Pump struct {\n\tA int\n}\n',
      ['## Run', '## Pump'],
    ],
    [
      'a.rs',
      'use x;\n\n/// Doc\npub struct Pump<T> {\n    a: T,\n}\n\nimpl<T> Pump<T> {\n    pub fn stop(&self) {}\n}\n\nfn main() {}\n',
      ['## struct Pump<T>', '## impl Pump<T>', '### stop()', '## main'],
    ],
    [
      'a.c',
      '#include <a.h>\n\n/* Doc. */\nstatic int run(int a) {\n    return 1;\n}\n\nstruct pump {\n    int a;\n};\n',
      ['## run', '## struct pump'],
    ],
    [
      'a.cs',
      'namespace A;\n\npublic class Pump {\n    public async Task Stop(int a) {\n    }\n}\n',
      ['## namespace A', '## class Pump', '### Stop()'],
    ],
    ['a.rb', 'class Pump < Base\n  def stop(a)\n    1\n  end\nend\n\ndef run\nend\n', ['## class Pump < Base', '### stop()', '## run']],
    [
      'a.php',
      '<?php\nfunction run($a) {\n}\nclass Pump {\n    public function stop() {\n    }\n}\n',
      ['## run', '## class Pump', '### stop()'],
    ],
    ['a.sh', '#!/bin/sh\n# Doc\nrun() {\n  echo 1\n}\n\nrun\n', ['## run']],
    [
      'a.sql',
      '-- Doc\nCREATE TABLE IF NOT EXISTS pumps (\n  id int\n);\n\ncreate or replace function f() returns int;\n',
      ['## table pumps', '## function f'],
    ],
  ])('writes the parts of %s under their names', async (name, source, headings) => {
    const { text } = await code(name, source);
    expect(text.match(/^#{2,3} .*$/gm)?.filter((line) => !/about|Doc|bin|include/.test(line))).toEqual(headings);
    const kept = text.replace(/^(?:```.*|#{2,3} (?!Doc).*)$/gm, '').replace(/\s/g, '');
    for (const line of source.split('\n').filter((one) => !one.startsWith('#'))) expect(kept).toContain(line.replace(/\s/g, ''));
  });

  it('reads a line of several megabytes', async () => {
    const { text } = await code('min.js', `function a(){${'x(1);'.repeat(500_000)}}`);
    expect(text.length).toBeGreaterThan(2_500_000);
  });

  it('keeps code fences within code', async () => {
    expect((await code('a.py', 's = """\n```\nx\n```\n"""')).text).toContain('````python\n');
  });
});

it.each([
  ['json', `{"a":"${'x'.repeat(10 * 2 ** 20)}"}`, 10_000_000],
  ['xml', `<a>${'<b c="1">x</b>'.repeat(30_000)}</a>`, 100_000],
  ['subtitles', `00:00:01.000 --> 00:00:02.000\n${'<v '.repeat(300_000)}`, 100_000],
])('reads a long repetition (%s)', async (kind, source, length) => {
  expect((await read(kind, source)).text.length).toBeGreaterThan(length);
});
