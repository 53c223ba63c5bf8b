import { describe, expect, it } from 'vitest';
import { readDialects } from '../../../../src/drivers/parsers/light-markup/markdown-dialects.ts';

const read = (lines: readonly string[], isMdx = false) => readDialects(lines.join('\n'), { line: 1, isMdx });
const shown = async (lines: readonly string[], isMdx = false) => (await read(lines, isMdx)).text.split('\n');

describe('dialects of Markdown', () => {
  it('leave plain Markdown as it is', async () => {
    const lines = ['# A', '', '> [!NOTE]', '> b', '', '| a |', '| --- |', '', '    code'];
    expect(await read(lines)).toEqual({ text: lines.join('\n'), marks: [{ at: 0, line: 1 }] });
  });

  it('have the notes and tabs of MkDocs as text under their title', async () => {
    expect(
      await shown(['!!! note "Before you start"', '    Wear gloves.', '', '    === "Linux"', '', '        Run it.', '', 'After.']),
    ).toEqual(['**Before you start:**', '', 'Wear gloves.', '', '**Linux**', '', '', 'Run it.', '', 'After.']);
    expect(await shown(['???+ warning', '    Hot.'])).toEqual(['**Warning:**', '', 'Hot.']);
    expect(await shown(['??? tip inline end "MFA lost?"', '    Call.'])).toEqual(['**MFA lost?**', '', 'Call.']);
    expect(await shown(['!!! note ""', '    Hot.'])).toEqual(['**Note:**', '', 'Hot.']);
  });

  it('have boxes by their name or title', async () => {
    expect(await shown([':::warning', 'Hot.', ':::', '', '::: tip Good to know', 'b', ':::', '', ':::columns', 'c', ':::'])).toEqual([
      '**Warning:**',
      'Hot.',
      '',
      '',
      '**Good to know:**',
      'b',
      '',
      '',
      '',
      'c',
      '',
    ]);
    expect(await shown(['{% hint style="info" %}', 'a', '{% endhint %}', '{% tab title="Linux" %}'])).toEqual(['', 'a', '', '**Linux**']);
    expect(await shown(['<details>', '<summary>How <b>long</b>?</summary>', '', 'Seven.', '</details>'])).toEqual([
      '',
      '**How long?**',
      '',
      'Seven.',
      '',
    ]);
  });

  it('have tables in HTML as tables, and know the lines behind them', async () => {
    const { text, marks } = await read([
      'a',
      '<table>',
      '<tr><th>Code</th><th>Meaning</th></tr>',
      '<tr><td>E24</td><td>Hot</td></tr>',
      '</table>',
      'b',
    ]);
    expect(text.split('\n')).toEqual(['a', '', '| Code | Meaning |', '| --- | --- |', '| E24 | Hot |', '', 'b']);
    expect(marks.at(-1)).toEqual({ at: text.indexOf('b'), line: 6 });
    expect(await shown(['<table>', 'open'])).toEqual(['<table>', 'open']);
  });

  it('have no imports and tags of components in MDX, but what they say', async () => {
    const lines = [
      "import A from 'a';",
      '',
      '# T',
      '',
      '<Card',
      '  title="Install"',
      '  href="/a"',
      '>',
      'Run <Badge>new</Badge> `<Code>`. {/* no */}',
      '</Card>',
    ];
    expect(await shown(lines, true)).toEqual(['', '# T', '', '**Install**', 'Run new `<Code>`. ', '']);
    expect((await read(lines, true)).marks.map(({ line }) => line)).toEqual([2, 9]);
    expect(await shown(['```js', "import A from 'a';", '<Card>', '```'], true)).toEqual(['```js', "import A from 'a';", '<Card>', '```']);
  });

  it('leave code of any number of lines', async () => {
    const code = ['```', ...Array.from({ length: 1_000_000 }, () => 'a'), '```'];
    expect((await shown([...code, ':::note', '!!! tip', ...code.map((line) => `    ${line}`)])).slice(1_000_002, 1_000_005)).toEqual([
      '**Note:**',
      '**Tip:**',
      '',
    ]);
  });

  it('leave code as it stands', async () => {
    expect(await shown([':::', '```', ':::note', '!!! a', '```'])).toEqual(['', '```', ':::note', '!!! a', '```']);
  });
});
