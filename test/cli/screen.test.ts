import { describe, expect, it } from 'vitest';
import { printable } from '../../src/cli/screen.ts';

describe('text that is printed', () => {
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
  it.each(cases)('is without %s', (_what, text, shown) => {
    expect(printable(text)).toBe(shown);
  });

  it('keeps all that a person wrote', () => {
    const text = 'Ein Täßchen\tfür 中文 – 👍🏽\nand a \\ ] [31m';
    expect(printable(text)).toBe(text);
  });

  it('hides nothing behind a sequence that does not end', () => {
    expect(printable('before \u001b]0;title and\nall the rest of the text')).toContain('all the rest of the text');
    expect(printable('before \u001b[after')).toBe('before fter');
  });
});
