/** Tags of HTML: a document that writes them is quoted without them. */
const TAG =
  /<!--(?:(?!<!--)[^])*?-->|(?<!\\)<\/?(?:a|abbr|audio|b|base|blockquote|body|br|button|center|code|dd|del|details|div|dl|dt|em|embed|font|footer|form|frame|frameset|h[1-6]|head|header|hr|html|i|iframe|img|input|ins|kbd|label|li|link|main|map|mark|meta|nav|object|ol|p|param|picture|pre|q|s|samp|script|section|select|small|source|span|strike|strong|style|sub|summary|sup|svg|table|tbody|td|textarea|tfoot|th|thead|title|tr|track|tt|u|ul|var|video|wbr)\b[^<>]*>/gi;

// Every pattern stops where the next of its kind begins, or soon: a page may be made to be read slowly.
const withoutMarkup = (text: string): string =>
  text
    .replace(/!\[([^[\]]*)\]\([^()]*(?:\([^()]*\)[^()]*)*\)/g, '')
    .replace(/(?<!\\)\[([^[\]]*)\]\([^()]*(?:\([^()]*\)[^()]*)*\)/g, '$1')
    .replace(/!\[([^[\]]*)\]\[[^[\]]*\]/g, '')
    .replace(/(?<![\\\w\])])\[([^[\]]*)\]\[[^[\]]*\]/g, '$1')
    .replace(/<(?:https?:\/\/|mailto:)[^<>\s]{1,500}>/g, (link) => link.slice(1, -1))
    .replace(TAG, ' ')
    // Numbers in brackets would pass for citations of ours: Markdown shows them as they are where they are escaped.
    .replace(/(?<!\\)\[(\d{1,6}(?:\s*[,;–-]\s*\d{1,6})*)\]/g, '\\[$1\\]');

/** A line that opens a block of code, or closes one where nothing stands behind its marks. */
const FENCE = /^[ \t]*(`{3,}|~{3,})([^\n]*)$/gm;

/** Where the closed blocks of code begin and end, in their order. */
function fencedIn(markdown: string): { start: number; end: number }[] {
  const lines = Array.from(markdown.matchAll(FENCE), ({ 0: line, 1: marks, 2: behind, index }) => ({
    marks: marks!,
    isBare: behind!.trim() === '',
    start: index,
    end: index + line.length,
  }));
  const closing = new Map<string, number>();
  const ends = lines
    .toReversed()
    .map(({ marks, isBare, end }) => {
      const closed = closing.get(marks);
      if (isBare) closing.set(marks, end);
      return closed;
    })
    .toReversed();
  const found: { start: number; end: number }[] = [];
  for (const [i, { start }] of lines.entries()) {
    const end = ends[i];
    if (end !== undefined && start >= (found.at(-1)?.end ?? 0)) found.push({ start, end });
  }
  return found;
}

/** Inline code, and what stands for it while marks are taken away: the text of a link may be code. */
const CODE = /(?<!`)`+[^`]+`+/g;
const MASK = /\ue000(\d+)\ue001/g;

function proseOf(markdown: string): string {
  const codes: string[] = [];
  const masked = markdown.replace(CODE, (code) => `\ue000${codes.push(code) - 1}\ue001`);
  return withoutMarkup(masked)
    .replace(MASK, (mask, at: string) => codes[Number(at)] ?? mask)
    .replace(/(?<![ \t])[ \t]+$/gm, '')
    .replace(/(?<=\S)[ \t]{2,}(?=\S)/g, ' ')
    .replace(/\n{3,}/g, '\n\n')
    .replace(/^\s*\n/, '')
    .trimEnd();
}

/** Markdown as it may be quoted: links are what they say, images and tags are left out; code stays as it is, and so do the lines. */
export function plainText(markdown: string): string {
  const parts: string[] = [];
  let at = 0;
  for (const { start, end } of fencedIn(markdown)) {
    parts.push(proseOf(markdown.slice(at, start)), markdown.slice(start, end).trimEnd());
    at = end;
  }
  parts.push(proseOf(markdown.slice(at)));
  return parts.filter((part) => part !== '').join('\n\n').trimStart(); // prettier-ignore
}
