import { Chalk } from 'chalk';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { MarkdownStream } from '../../../src/cli/markdown/stream.ts';

interface View {
  columns?: number;
  level?: 0 | 1;
  /** Characters of a piece. */
  size?: number;
}

function drawn(text: string, { columns = 40, level = 0, size = text.length || 1 }: View = {}): string {
  let out = '';
  const stream = new MarkdownStream({ columns, color: new Chalk({ level }), write: (piece) => (out += piece) });
  for (let i = 0; i < text.length; i += size) stream.push(text.slice(i, i + size));
  stream.end();
  return out;
}

const ALL = `# Title of *it*

Some **bold and _italic_** text with \`inline code\`, [1], [2, 3] and snake_case_name, 2 * 3 * 4, **unclosed and *.md.
A [link](https://example.com/a_(b)), <https://example.com>, [https://x.example](https://x.example), ~~no~~, 1\\. no list.

- first item that is long enough to be broken at the end
  - nested
10) tenth
> quoted text that is long enough to be broken at the end

\`\`\`js
const a = '**no**';

  // indented
\`\`\`

| Name | Value |
|:-----|------:|
| a \`x\` | 中文 |
| b \\| c | |

---
last line, ***both***.`;

describe('Markdown on a terminal', () => {
  it('is drawn in lines that fit, without its marks', () => {
    expect(drawn(ALL)).toBe(`# Title of it

Some bold and italic text with \`inline
code\`, [1], [2, 3] and snake_case_name,
2 * 3 * 4, **unclosed and *.md.
A link (https://example.com/a_(b)),
https://example.com, https://x.example,
~~no~~, 1. no list.

• first item that is long enough to be
  broken at the end
  • nested
10) tenth
│ quoted text that is long enough to be
│ broken at the end

  const a = '**no**';

    // indented

Name   Value
─────  ─────
a \`x\`   中文
b | c

────────────────────────────────────────
last line, both.
`);
  });

  it('uses colours in place of marks', () => {
    expect(drawn('# Title', { level: 1 })).toBe('\u001b[1mTitle\u001b[22m\n');
    expect(drawn('a **b** `c` [1] ~~d~~', { level: 1 })).toBe(
      'a \u001b[1mb\u001b[22m \u001b[36mc\u001b[39m \u001b[36m[1]\u001b[39m \u001b[9md\u001b[29m\n',
    );
    expect(drawn('**a _b_**', { level: 1 })).toBe('\u001b[1ma\u001b[22m \u001b[1m\u001b[3mb\u001b[23m\u001b[22m\n');
  });

  it.each([1, 3, 100])('continues a span in the next line of its paragraph, but no further, in pieces of %d characters', (size) => {
    const bold = (text: string) => `\u001b[1m${text}\u001b[22m`;
    expect(drawn('It **is\nso** then.\n', { level: 1, size })).toBe(`It ${bold('is')}\n${bold('so')} then.\n`);
    expect(drawn('- an **item\n  of two** lines', { level: 1, size })).toBe(`• an ${bold('item')}\n  ${bold('of')} ${bold('two')} lines\n`);
    expect(drawn('It `is\nso` then.', { size })).toBe('It `is\nso` then.\n');
    expect(drawn('It **is\n\nso** then.', { level: 1, size })).toBe('It **is\n\nso** then.\n');
    expect(drawn('It **is\n- so** then.', { level: 1, size })).toBe('It **is\n• so** then.\n');
    expect(drawn('It **is\nstill open', { level: 1, size })).toBe('It **is\nstill open\n');
    expect(drawn('It **is\n', { level: 1, size })).toBe('It **is\n');
  });

  it.each([1, 2, 3, 7, 50])('is the same in pieces of %d characters', (size) => {
    expect(drawn(ALL, { size })).toBe(drawn(ALL));
    expect(drawn(ALL, { size, level: 1 })).toBe(drawn(ALL, { level: 1 }));
  });

  it('waits until a list item differs from a table delimiter', () => {
    expect(drawn('- |*', { size: 1, level: 1 })).toBe(drawn('- |*', { level: 1 }));
  });

  it('is the same however it is cut, for random text', () => {
    const marks = fc.constantFrom(
      '*',
      '**',
      '_',
      '`',
      '```',
      '[1]',
      '[a](b)',
      '|',
      '\n',
      '# ',
      '- ',
      '1. ',
      '> ',
      '\\',
      '<http://x>',
      '~~',
      ' ',
      'word',
      '中',
    );
    fc.assert(
      fc.property(fc.array(marks, { maxLength: 40 }), fc.integer({ min: 1, max: 9 }), (parts, size) => {
        const text = parts.join('');
        expect(drawn(text, { size, level: 1 })).toBe(drawn(text, { level: 1 }));
      }),
    );
  });

  it('loses no character', () => {
    const letters = (text: string) => text.replace(/[^\p{L}\p{N}]/gu, '');
    fc.assert(
      fc.property(
        fc.array(fc.constantFrom('*', '_', '`', '[', ']', '(', ')', '|', '\n', '#', '-', '<', '!', '~', ' ', 'x', 'é', '9'), {
          maxLength: 60,
        }),
        (parts) => {
          const text = parts.join('').replaceAll('```', '``').replaceAll('~~~', '~~');
          expect(letters(drawn(text)).length).toBeGreaterThanOrEqual(letters(text).length);
        },
      ),
    );
  });

  it('appears while it is written: each complete word, also in a list, but no open span', () => {
    let out = '';
    const stream = new MarkdownStream({ columns: 40, color: new Chalk({ level: 0 }), write: (piece) => (out += piece) });
    const after = (piece: string) => {
      stream.push(piece);
      return out;
    };
    expect(after('one two ')).toBe('one two');
    expect(after('**three ')).toBe('one two');
    expect(after('four** five\n- ')).toBe('one two three four five\n');
    expect(stream.isAtLineStart).toBe(true);
    expect(after('item one ')).toBe('one two three four five\n• item one');
    expect(stream.isAtLineStart).toBe(false);
  });

  it('draws a mark as text if it is not closed within the limit', () => {
    let out = '';
    const stream = new MarkdownStream({ columns: 1000, color: new Chalk({ level: 0 }), write: (piece) => (out += piece) });
    stream.push(`*${'word '.repeat(100)}`);
    expect(out).toMatch(/^\*word word/);
  });

  it('shows a table that does not fit as one record per row, and lines with bars that are no table unchanged', () => {
    const table = '| Name | What it is for |\n|---|---|\n| filter | keeps the dust out of the pump |\n| pump | moves water |';
    expect(drawn(table, { columns: 24 })).toBe(
      'Name: filter\nWhat it is for: keeps\n  the dust out of the\n  pump\n\nName: pump\nWhat it is for: moves\n  water\n',
    );
    expect(drawn('|x| is never negative')).toBe('|x| is never negative\n');
  });

  it('aligns cells as the delimiter row says', () => {
    const table = '| Part | Months | Note |\n|:---|---:|:-:|\n| pump | 6 | a |\n| seal | 24 | spare |';
    expect(drawn(table)).toBe('Part  Months  Note\n────  ──────  ─────\npump       6    a\nseal      24  spare\n');
  });

  // each would take minutes if what one blank may be were tried again for every other
  it.each([
    ['before a word', (blanks: string) => `A line.\n${blanks}x\n`],
    ['in what may be a table', (blanks: string) => `| a | b |\n${blanks}|x|\n`],
    ['behind bars', (blanks: string) => `| a | b |\n|---|${blanks}x\n`],
  ])('draws a line of very many blanks %s', (_where, text) => {
    expect(drawn(text(' '.repeat(400_000))).replace(/\s+/g, ' ')).toBe(drawn(text(' ')).replace(/\s+/g, ' '));
  });

  it('draws unclosed code, and nothing for empty parts', () => {
    expect(drawn('```\nlet x;')).toBe('  let x;\n');
    expect(drawn('\n\n')).toBe('');
    expect(drawn('\n\na\n\n\n\nb\n\n')).toBe('a\n\nb\n');
  });
});
