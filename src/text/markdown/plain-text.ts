const ATTRIBUTE = String.raw`\s+[\w:@.-]+(?:\s*=\s*(?:"[^"]*"|'[^']*'|[^\s"'<>]+))?`;
const HIDDEN_STYLE = String.raw`(?:display\s*:\s*none|visibility\s*:\s*hidden)`;
const HIDING = String.raw`\s+(?:hidden(?=[\s/>=])|style\s*=\s*(?:"[^"]*${HIDDEN_STYLE}[^"]*"|'[^']*${HIDDEN_STYLE}[^']*'))`;

/** Not after an escaping backslash. */
const UNESCAPED = String.raw`(?<!(?<!\\)\\(?:\\\\)*)`;

/** The title of a link, with leading white space. */
const TITLE = String.raw`(?:[ \t]*\n[ \t]*|[ \t]+)(?:"[^"]*"|'[^']*'|\([^()]*\))`;
/** The beginning of an address, which `9-17`, `Hello` and `12/24` do not match. */
const ADDRESS = String.raw`(?:<|[a-z][a-z0-9+.-]*:|\S*(?:#|\.[a-z]|/(?!\d)|(?<!\d)/))`;

/** Constructs that hide text in Markdown, and code, which hides nothing; the first match counts. Each is bounded or read once. */
const HIDING_CONSTRUCTS = new RegExp(
  [
    // a fence up to its end or the end of the text, and inline code
    String.raw`^[ \t>]*(?<fence>\`{3,}(?!\`)|~{3,}(?!~))[^\n]*\n(?:[^]*?^[ \t>]*\k<fence>[\`~]*[ \t]*$|[^]*)`,
    String.raw`(?<!\`)(?<marks>\`+)(?!\`)(?:(?!\n[ \t]*\n)[^]){1,500}?(?<!\`)\k<marks>(?!\`)`,
    // a comment; without an end, one at the beginning of a line extends to the end of the text
    String.raw`(?<comment><!--(?:(?!<!--)[^])*?-->|^[ \t]*<!--[^]*)`,
    String.raw`${UNESCAPED}<(?<element>script|style|template)\b[^<>]*>`,
    String.raw`${UNESCAPED}<(?<concealed>[a-z][a-z0-9-]*)(?:${ATTRIBUTE})*?${HIDING}[^<>]*>`,
    // a link reference definition (CommonMark 4.7), but no footnote and no `[name]: word`
    String.raw`^ {0,3}\[(?!\^)(?<label>[^[\]\n]{1,999})\]:[ \t]*(?:\n[ \t]*)?(?=${ADDRESS}|\S+${TITLE}[ \t]*$)(?:<[^<>\n]*>|[^\s<]\S*)(?<title>${TITLE})?[ \t]*$`,
  ].join('|'),
  'gim',
);

const VOID = /^(?:area|base|br|col|embed|hr|img|input|link|meta|param|source|track|wbr)$/i;

/** Elements that may end without a closing tag (HTML 13.1.2.4). */
const OPTIONAL_END = /^(?:p|li|dt|dd|option|tr|td|th)$/i;

/** Maximum nesting within which a closing tag is searched for, so that texts of opening tags take linear time. */
const MAX_NESTING = 100;

/** Elements that prose may mention: without a closing tag, only the tag is removed. */
const MENTIONED = /^(?:script|style|template)$/i;

/**
 * The end of an element: after its closing tag. Without one, an element on a line of its own extends to the end of the text, any other to the end of
 * its paragraph.
 */
function elementEnd(text: string, { index, from, name }: { index: number; from: number; name: string }): number {
  if (VOID.test(name)) return from;
  const tags = new RegExp(String.raw`<(/?)${name}\b[^<>]*>`, 'gi');
  tags.lastIndex = from;
  let depth = 1;
  for (let tag = tags.exec(text); tag && depth < MAX_NESTING; tag = tags.exec(text)) {
    depth += tag[1] ? -1 : 1;
    if (depth === 0) return tags.lastIndex;
  }
  if (MENTIONED.test(name)) return from;
  if (!OPTIONAL_END.test(name) && /^[ \t]*$/.test(text.slice(text.lastIndexOf('\n', index - 1) + 1, index))) return text.length;
  const blank = text.slice(from).search(/\n[ \t]*\n/);
  return blank < 0 ? text.length : from + blank;
}

const keepNewlines = (text: string): string => text.replace(/[^\n]+/g, '');

/** The labels that a text refers to: `[label]` or `[words][label]`. */
const labelsIn = (text: string): Set<string> =>
  new Set(Array.from(text.matchAll(/\[([^[\]\n]{1,999})\](?!:)/g), ([, label]) => label!.toLowerCase()));

/**
 * Removes what is invisible in rendered Markdown: comments, hidden elements, scripts, and definitions of links with their titles. Code and line
 * breaks stay, so that line numbers do not change.
 */
export function withoutHidden(text: string): string {
  let shown = '';
  let from = 0;
  const labels = labelsIn(text);
  HIDING_CONSTRUCTS.lastIndex = 0;
  for (let part = HIDING_CONSTRUCTS.exec(text); part; part = HIDING_CONSTRUCTS.exec(text)) {
    const { comment, element, concealed = element, label, title = '' } = part.groups!;
    if (comment === undefined && concealed === undefined && label === undefined) continue;
    const end =
      concealed === undefined
        ? part.index + part[0].length
        : elementEnd(text, { index: part.index, from: HIDING_CONSTRUCTS.lastIndex, name: concealed });
    const kept = label !== undefined && labels.has(label.toLowerCase()) ? part[0].replace(title, () => keepNewlines(title)) : undefined;
    shown += text.slice(from, part.index) + (kept ?? keepNewlines(text.slice(part.index, end)));
    from = end;
    HIDING_CONSTRUCTS.lastIndex = end;
  }
  return shown + text.slice(from);
}

/** HTML tags and comments, which quotations omit. */
const TAG =
  /<!--(?:(?!<!--)[^])*?-->|(?<!\\)<\/?(?:a|abbr|audio|b|base|blockquote|body|br|button|center|code|dd|del|details|div|dl|dt|em|embed|font|footer|form|frame|frameset|h[1-6]|head|header|hr|html|i|iframe|img|input|ins|kbd|label|li|link|main|map|mark|meta|nav|object|ol|p|param|picture|pre|q|s|samp|script|section|select|small|source|span|strike|strong|style|sub|summary|sup|svg|table|tbody|td|textarea|tfoot|th|thead|title|tr|track|tt|u|ul|var|video|wbr)\b[^<>]*>/gi;

// Every pattern ends at the next construct of its kind or is short: a page may be built to make matching slow.
const withoutMarkup = (text: string): string =>
  text
    .replace(/!\[([^[\]]*)\]\([^()]*(?:\([^()]*\)[^()]*)*\)/g, '')
    .replace(/(?<!\\)\[([^[\]]*)\]\([^()]*(?:\([^()]*\)[^()]*)*\)/g, '$1')
    .replace(/!\[([^[\]]*)\]\[[^[\]]*\]/g, '')
    .replace(/(?<![\\\w\])])\[([^[\]]*)\]\[[^[\]]*\]/g, '$1')
    .replace(/<(?:https?:\/\/|mailto:)[^<>\s]{1,500}>/g, (link) => link.slice(1, -1))
    .replace(TAG, ' ')
    // Numbers in brackets would pass for citations of the answer: escaped, Markdown shows them unchanged.
    .replace(/(?<!\\)\[(\d{1,6}(?:\s*[,;–-]\s*\d{1,6})*)\]/g, '\\[$1\\]');

/** A line that opens a fence, or closes one if nothing follows its marks. */
const FENCE = /^[ \t]*(`{3,}|~{3,})([^\n]*)$/gm;

/** Finds the offsets of the fences that are closed, in order. */
function fencedBlocks(markdown: string): { start: number; end: number }[] {
  const lines = Array.from(markdown.matchAll(FENCE), ({ 0: line, 1: marks, 2: behind, index }) => ({
    marks: marks!,
    mayClose: behind!.trim() === '',
    start: index,
    end: index + line.length,
  }));
  const closing = new Map<string, number>();
  const ends = lines
    .toReversed()
    .map(({ marks, mayClose, end }) => {
      const closed = closing.get(marks);
      if (mayClose) closing.set(marks, end);
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

/** Inline code, and its placeholder while markup is removed: the text of a link may be code. */
const CODE = /(?<!`)`+[^`]+`+/g;
const MASK = /\ue000(\d+)\ue001/g;

function plainProse(markdown: string): string {
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

/** Converts Markdown for quoting: links become their text, images and tags are removed; code and lines stay. */
export function plainText(markdown: string): string {
  const parts: string[] = [];
  let at = 0;
  for (const { start, end } of fencedBlocks(markdown)) {
    parts.push(plainProse(markdown.slice(at, start)), markdown.slice(start, end).trimEnd());
    at = end;
  }
  parts.push(plainProse(markdown.slice(at)));
  return parts.filter((part) => part !== '').join('\n\n').trimStart(); // prettier-ignore
}

/** Matches text with any markup; most prose has none and is returned unchanged. */
const MARKS = /[|`#[>~\t]|\*\*|\n\n\n| {2}|(?:^|\n)[ \t]*[-*+][ \t]|([-=_*+.])\1{3}/;
const SEPARATOR_ROW = /^[ \t]*[|:+-][|:+ \t-]*$\n?/gm;
const FENCE_LINE = /^[ \t]*(?:`{3,}|~{3,})[^`\n]*$\n?/gm;
const LINE_MARKS = /^[ \t]*(?:>[> \t]*)?(?:#{1,6}[ \t]+|[-*+][ \t]+)?/gm;
const LINK = /!?\[([^[\]\n]{0,500})\]\([^()\s]{0,2000}(?:[ \t]+"[^"\n]{0,500}")?\)/g;
const ROW = /^[ \t]*\|(.*)$/gm;
/** Rules, dot leaders, drawn boxes. */
const RUN = /([-=_*#~|+.])\1{3,}/g;

/** Removes separator rows, fences, marks at the beginning of lines, link addresses, emphasis, rules and repeated spaces. */
export function withoutMarks(markdown: string): string {
  if (!MARKS.test(markdown)) return markdown.trim();
  let text = markdown;
  if (text.includes('|')) text = text.replace(SEPARATOR_ROW, '').replace(ROW, rowCells);
  if (text.includes('```') || text.includes('~~~')) text = text.replace(FENCE_LINE, '');
  if (text.includes('](')) text = text.replace(LINK, '$1');
  return text
    .replace(LINE_MARKS, '')
    .replace(/\*\*|`/g, '')
    .replace(RUN, ' ')
    .replace(/[ \t]{2,}|\t/g, ' ')
    .replace(/\n\s*\n/g, '\n\n')
    .trim();
}

/** The non-empty cells of a table row, separated by commas. */
function rowCells(_row: string, cells: string): string {
  const parts = cells.includes('\\|') ? cells.split(/(?<!\\)\|/) : cells.split('|');
  const filled = parts.map((cell) => cell.trim().replaceAll('\\|', '|')).filter((cell) => cell !== '');
  return filled.join(', ');
}
