import { describe, expect, it } from 'vitest';
import { formatJson, makePrintable, createPrintableFilter } from '../../src/cli/screen.ts';

describe('printed text', () => {
  const cases: [string, string, string][] = [
    ['colours', '\u001b[31mred\u001b[0m', 'red'],
    ['movements of the cursor', 'a\u001b[2Jb\u001b[10;20Hc\u001b[?25l', 'abc'],
    ['a title of the window', '\u001b]0;owned\u0007after', 'after'],
    ['a link', '\u001b]8;;https://evil.example\u001b\\click\u001b]8;;\u001b\\', 'click'],
    ['a sequence in one byte', 'a\u009b31mb', 'ab'],
    ['an escape alone', 'a\u001bcb', 'acb'],
    ['a line that is written over', 'good\rbad', 'goodbad'],
    ['bells and backspaces', 'a\u0007\u0008b\u007f', 'ab'],
    ['marks of direction', 'file\u202egpj.exe\u2066x\u2069', 'filegpj.exex'],
  ];
  it.each(cases)('contains no %s', (_what, text, shown) => {
    expect(makePrintable(text)).toBe(shown);
  });

  it('keeps all ordinary text', () => {
    const text = 'Ein Täßchen\tfür 中文 – 👍🏽\nand a \\ ] [31m';
    expect(makePrintable(text)).toBe(text);
  });

  it('hides nothing behind an unfinished sequence', () => {
    expect(makePrintable('before \u001b]0;title and\nall the rest of the text')).toContain('all the rest of the text');
    expect(makePrintable('before \u001b[after')).toBe('before fter');
  });
});

describe('JSON', () => {
  const value = { 'na\u009bme': 'a\u001b[31m\u009b2J\u202e\u2066\u007f\tb\né' };

  it('on a terminal escapes characters that could control it, and means the same', () => {
    const text = formatJson({ isTTY: true }, value);
    // oxlint-disable-next-line no-control-regex -- it is what must not be there
    expect(text).not.toMatch(/[\u0000-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/);
    expect(text).toContain('é');
    expect(JSON.parse(text)).toEqual(value);
  });

  it('is unchanged elsewhere', () => {
    expect(formatJson({ isTTY: false }, value)).toBe(JSON.stringify(value));
  });
});

describe('text that is printed in pieces', () => {
  const inPieces = (text: string, size: number) => {
    const clean = createPrintableFilter();
    let out = '';
    for (let i = 0; i < text.length; i += size) out += clean(text.slice(i, i + size));
    return out + clean('', true);
  };

  it.each([1, 2, 3, 5])('loses control sequences that are cut in pieces of %d characters', (size) => {
    const text = 'a\u001b[31mred\u001b[0m \u001b]0;owned\u0007after \u009b2Jb\u001b]8;;https://evil.example\u001b\\click';
    expect(inPieces(text, size)).toBe('ared after bclick');
  });

  it('appears at once unless it may be a sequence, and at the end in any case', () => {
    const clean = createPrintableFilter();
    expect(clean('word ')).toBe('word ');
    expect(clean('\u001b[3')).toBe('');
    expect(clean('', true)).toBe('[3');
    expect(createPrintableFilter()(`\u001b]${'x'.repeat(300)}`)).toBe(`]${'x'.repeat(300)}`);
  });
});
