import { describe, expect, it } from 'vitest';
import { isShortText } from '../src/process/parse-pool.ts';

const isShort = (content: string | Uint8Array, file_type = 'markdown'): boolean =>
  isShortText({ bytes: typeof content === 'string' ? Buffer.from(content) : content, source: 'a.md', file_type });

describe('a text that is parsed in this process', () => {
  it.each([
    ['Markdown', '# Pumps\n\nGrüße, 泵\n'],
    ['front matter', '---\ntitle: Pumps\n---\n# Pumps\n'],
    ['front matter after a byte order mark', '\ufeff---\r\ntitle: Pumps\r\n---\r\n# Pumps\r\n'],
    ['a rule in the middle', `# Pumps\n\n${'Text. '.repeat(2000)}\n\n---\n`],
    ['a hundred kilobytes', 'Text.\n'.repeat(20_000)],
  ])('is %s', (_what, content) => {
    expect(isShort(content)).toBe(true);
    expect(isShort(content, 'text')).toBe(true);
  });

  it.each([
    ['much front matter', `---\na: ${'x'.repeat(5000)}\n---\n# Pumps\n`],
    ['front matter that does not end', `\ufeff---\n${'a: b\n'.repeat(5000)}`],
    ['an encoding that is guessed', Buffer.from('Gr\xfc\xdfe', 'latin1')],
    ['UTF-16 without a mark', Buffer.from('# Pumps', 'utf16le')],
    ['a PDF', '%PDF-1.7\n'],
    ['an archive', 'PK\u0003\u0004 and letters'],
    ['control characters', '\u0001\u0002\u0003\u0004'],
    ['a dialect of Markdown', '# Pumps\n\n!!! note\n    Hot.\n'],
    ['a table in HTML', '# Pumps\n\n<table>\n<tr><td colspan="900">Hot</td></tr>\n</table>\n'],
    ['megabytes', 'Text.\n'.repeat(200_000)],
  ])('is not %s', (_what, content) => {
    expect(isShort(content)).toBe(false);
  });

  it('does not include types whose parser needs much memory', () => {
    expect(['html', 'html-fragment', 'csv', 'pdf', 'docx', 'xml'].filter((kind) => isShort('<p>a</p>', kind))).toEqual([]);
  });
});
