/** The line that names a box: its title as it is written. */
export const boxTitle = (title: string): string => `**${title}${/[.:?!]$/.test(title) ? '' : ':'}**`;

/** A paragraph of an admonition («note», «warning») in Markdown: its name, then what stands in its first line. */
export const admonition = (name: string, text: string): string =>
  `**${name.charAt(0).toUpperCase()}${name.slice(1).toLowerCase()}:**${text === '' ? '' : ` ${text}`}`;

/** Where a line begins: its indentation in columns, a tab counted as one. */
export const indentOf = (line: string): number => line.length - line.trimStart().length;

/**
 * Code that stands in the lines from `from` to before `end`, without its indentation and in a fence. As many entries as lines: the fence takes the place of
 * the blank lines around the code, of that behind `end` too, and shares an entry with the code where there is none.
 */
export function fencedCode(lines: readonly string[], { from, end, language }: { from: number; end: number; language: string }): string[] {
  const isClosed = lines[end]?.trim() === '';
  const block = lines.slice(from, end);
  const start = block.findIndex((line) => line.trim() !== '');
  if (start < 0) return lines.slice(from, isClosed ? end + 1 : end).map(() => '');
  const code = block.slice(start);
  const indent = code.reduce((least, line) => (line.trim() === '' ? least : Math.min(least, indentOf(line))), Infinity);
  const inner = code.map((line) => line.slice(indent));
  const fence = '`'.repeat(1 + inner.reduce((longest, line) => Math.max(longest, /^\s*(`*)/.exec(line)![1]!.length), 2));
  const opened =
    start > 0
      ? [...Array<string>(start - 1).fill(''), `${fence}${language}`, ...inner]
      : [`${fence}${language}\n${inner[0]!}`, ...inner.slice(1)];
  return isClosed ? [...opened, fence] : [...opened.slice(0, -1), `${opened.at(-1)!}\n${fence}`];
}

/** The line without so much of its indentation that Markdown would take it for code; items of lists keep theirs. */
export const asProse = (line: string): string =>
  indentOf(line) > 3 && !/^\s*(?:[-*+]|\d+[.)])\s/.test(line) ? `   ${line.trimStart()}` : line;
