import { describe, expect, it } from 'vitest';
import { placeOf, read } from './read.ts';

describe('Markdown', () => {
  it('is kept as it is', async () => {
    const body =
      '# Pumps\n\nSome *emphasis*, `a | b` and a [link](https://pump.example/?a=1).\n\n```js\n# no heading\n```\n\n- [ ] open\n  1. nested\n';
    const { text, title, marks } = await read('markdown', body);
    expect(text).toBe(body);
    expect(title).toBe('Pumps');
    expect(marks).toEqual([{ at: 0, line: 1 }]);
  });

  it('gives its front matter to the metadata, and the lines of the body are those of the file', async () => {
    const source =
      '---\ntitle: Field guide\nauthor: Ida Berg\nissued: 2024-03-05\nread: 2024-03-05T10:15:00Z\ntags: [pumps, seals]\nedition: 3\n---\n\n\n# Pumps\n\nText.\n';
    const parsed = await read('markdown', source);
    expect(parsed.title).toBe('Field guide');
    expect(parsed.metadata).toEqual({
      author: 'Ida Berg',
      issued: '2024-03-05',
      read: '2024-03-05T10:15:00.000Z',
      tags: ['pumps', 'seals'],
      edition: 3,
    });
    expect(parsed.text).toBe('# Pumps\n\nText.\n');
    const line = source.split('\n').indexOf('# Pumps') + 1;
    expect(placeOf(parsed, '# Pumps')).toEqual({ at: 0, line });
  });

  it.each(['js', 'javascript', 'coffee', 'json', 'toml', 'constructor', 'toString', '__proto__', ' constructor'])(
    'does not run or read front matter in %s',
    async (language) => {
      const source = `---${language}\nmodule.exports = { ran: (globalThis.kbRan = true) }\n---\n# Body\n`;
      const { text, metadata } = await read('markdown', source);
      expect(text).toBe(source);
      expect(metadata).toEqual({});
      expect(globalThis).not.toHaveProperty('kbRan');
    },
  );

  it.each([
    ['broken YAML', '---\ntitle: [unclosed\n---\n# Body\n'],
    ['a sentence between two rules', '---\nJust a sentence.\n---\n# Body\n'],
    ['a rule that nothing closes', '---\n# Body\n\nText.\n'],
    [
      'aliases that grow without end',
      `---\na: &a [${'x,'.repeat(30)}]\nb: &b [${'*a,'.repeat(30)}]\nc: [${'*b,'.repeat(30)}]\n---\n# Body\n`,
    ],
    ['aliases of a long text', `---\na: &a ${'x'.repeat(1000)}\nb: [${'*a,'.repeat(500)}]\n---\n# Body\n`],
    ['values that nest without end', `---\na: ${'['.repeat(2000)}${']'.repeat(2000)}\n---\n# Body\n`],
  ])('takes %s at its beginning for text', async (_name, source) => {
    expect(await read('markdown', source)).toMatchObject({ text: source, metadata: {}, marks: [{ at: 0, line: 1 }] });
  });

  it('reads front matter with Windows line ends and a byte order mark', async () => {
    const { title, text, marks } = await read('markdown', '\ufeff---\r\ntitle: T\r\n---\r\nOne.\r\nTwo.\r\n');
    expect({ title, text, marks }).toEqual({ title: 'T', text: 'One.\nTwo.\n', marks: [{ at: 0, line: 4 }] });
  });

  it('is named by its first heading, in whatever way it is written', async () => {
    const titles = [
      '```\n# code\n```\n\n## The `pump` of **[Helios](https://h.example)** ##\n',
      'Pump seals\n==========\n\ntext\n',
      'no heading here\n',
    ].map(async (source) => (await read('markdown', source)).title);
    expect(await Promise.all(titles)).toEqual(['The pump of Helios', 'Pump seals', undefined]);
  });
});
