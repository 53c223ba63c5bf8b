import { describe, expect, it } from 'vitest';
import { placeOf, read, readPage } from '../read.ts';

const textOf = async (html: string): Promise<string> => (await read('html', `<html><body><main>${html}</main></body></html>`)).text;

describe('elements that stand for others', () => {
  it('by their role are a table', async () => {
    const row = (role: string, ...cells: string[]) =>
      `<div role="row">${cells.map((cell) => `<div role="${role}">${cell}</div>`).join('')}</div>`;
    const table = `<div role="table"><div role="rowgroup">${row('columnheader', 'Param', 'Type')}</div><div role="rowgroup">${row('cell', 'id', 'string')}</div></div>`;
    const expected = '| Param | Type |\n| --- | --- |\n| id | string |';
    expect(await textOf(table)).toBe(expected);
    expect(await textOf(`<section role='grid'>${row('columnheader', 'Param', 'Type')}${row('gridcell', 'id', 'string')}</section>`)).toBe(
      expected,
    );
    expect(
      await textOf(
        '<table role="table"><tr role="row"><th role="columnheader">Param</th><th>Type</th></tr><tr role="row"><td role="cell">id</td><td>string</td></tr></table>',
      ),
    ).toBe(expected);
  });

  it('by their role are a heading', async () => {
    const page = await read(
      'html',
      '<html><body><main><div role="heading" aria-level="3" id="fees">Fees</div><p>None.</p><div role="heading">More</div><p>Words.</p></main></body></html>',
    );
    expect(page.text).toBe('### Fees\n\nNone.\n\n## More\n\nWords.');
    expect(placeOf(page, 'None.')?.anchor).toBe('fees');
  });

  it('hold the content of a component that a server drew', async () => {
    const component =
      '<my-card><template shadowrootmode="open"><style>p { top: 0 }</style><p>Drawn <a href="/a">here</a>.</p></template><p>Slotted.</p></my-card>';
    const page = `<html><body><main>${component}<template><p>TEMPLATEWORD</p></template></main></body></html>`;
    expect((await readPage('https://x.example/', page)).text).toBe('Drawn [here](https://x.example/a).\n\nSlotted.');
  });

  it('show code line by line', async () => {
    const crayon =
      '<div class="crayon-syntax"><table><tr><td class="crayon-nums"><div class="crayon-num">1</div></td><td><div class="crayon-line">if a:</div><div class="crayon-line">&nbsp;&nbsp;b()</div></td></tr></table></div>';
    const mirror =
      '<div class="CodeMirror"><div class="CodeMirror-code"><pre class="CodeMirror-line">if a:</pre><pre class="CodeMirror-line">&#8203;</pre><pre class="CodeMirror-line">  b()</pre></div></div>';
    expect(await textOf(crayon)).toBe('```\nif a:\n  b()\n```');
    expect(await textOf(mirror)).toBe('```\nif a:\n\n  b()\n```');
    expect(await textOf('<div class="cm-editor"><div class="cm-line">x = 1</div></div>')).toBe('```\nx = 1\n```');
  });
});
