const ATTRIBUTE = String.raw`\s+[\w:@.-]+(?:\s*=\s*(?:"[^"]*"|'[^']*'|[^\s"'<>]+))?`;
const UNSEEN = String.raw`(?:display\s*:\s*none|visibility\s*:\s*hidden)`;
const HIDING = String.raw`\s+(?:hidden(?=[\s/>=])|style\s*=\s*(?:"[^"]*${UNSEEN}[^"]*"|'[^']*${UNSEEN}[^']*'))`;

/** What hides words in Markdown, and code, in which nothing does: the first that begins counts. Every part ends soon, or is read once. */
const PARTS = new RegExp(
  [
    // code in a fence, to its end or that of the text, and within a line
    String.raw`^[ \t>]*(?<fence>\`{3,}(?!\`)|~{3,}(?!~))[^\n]*\n(?:[^]*?^[ \t>]*\k<fence>[\`~]*[ \t]*$|[^]*)`,
    String.raw`(?<!\`)(?<marks>\`+)(?!\`)(?:(?!\n[ \t]*\n)[^]){1,500}?(?<!\`)\k<marks>(?!\`)`,
    // a comment; one that a line begins with goes to the end
    String.raw`(?<comment><!--(?:(?!<!--)[^])*?-->|^[ \t]*<!--[^]*)`,
    String.raw`<(?<element>script|style|template)\b[^<>]*>`,
    String.raw`<(?<concealed>[a-z][a-z0-9-]*)(?:${ATTRIBUTE})*?${HIDING}[^<>]*>`,
    // the address of a link by its label (CommonMark 4.7), but no footnote
    String.raw`^ {0,3}\[(?!\^)(?<label>[^[\]\n]{1,999})\]:[ \t]*\n?[ \t]*(?:<[^<>\n]*>|[^\s<]\S*)(?<title>(?:[ \t]*\n[ \t]*|[ \t]+)(?:"[^"]*"|'[^']*'|\([^()]*\)))?[ \t]*$`,
  ].join('|'),
  'gim',
);

/** Elements that have no end of their own. */
const VOID = /^(?:area|base|br|col|embed|hr|img|input|link|meta|param|source|track|wbr)$/i;

/** Where an element ends whose opening tag ends at `from`: behind its closing tag, those of its kind in it aside; at the end of the text where it has none. */
function endOf(text: string, from: number, name: string): number {
  if (VOID.test(name)) return from;
  const tags = new RegExp(String.raw`<(/?)${name}\b[^<>]*>`, 'gi');
  tags.lastIndex = from;
  let depth = 1;
  for (let tag = tags.exec(text); tag; tag = tags.exec(text)) {
    depth += tag[1] ? -1 : 1;
    if (depth === 0) return tags.lastIndex;
  }
  return text.length;
}

const newlinesOf = (text: string): string => text.replace(/[^\n]+/g, '');

/** What a text leads somewhere by: `[label]`, or `[words][label]`. */
const labelsIn = (text: string): Set<string> =>
  new Set(Array.from(text.matchAll(/\[([^[\]\n]{1,999})\](?!:)/g), ([, label]) => label!.toLowerCase()));

/**
 * A text in Markdown without what nobody sees who reads it rendered: comments, hidden elements, scripts, and addresses of links with their titles. What is
 * in code stays, and so do all the line ends: a line is where it was.
 */
export function withoutHidden(text: string): string {
  let shown = '';
  let from = 0;
  const labels = labelsIn(text);
  PARTS.lastIndex = 0;
  for (let part = PARTS.exec(text); part; part = PARTS.exec(text)) {
    const { comment, element, concealed = element, label, title = '' } = part.groups!;
    if (comment === undefined && concealed === undefined && label === undefined) continue;
    const end = concealed === undefined ? part.index + part[0].length : endOf(text, PARTS.lastIndex, concealed);
    const kept = label !== undefined && labels.has(label.toLowerCase()) ? part[0].replace(title, () => newlinesOf(title)) : undefined;
    shown += text.slice(from, part.index) + (kept ?? newlinesOf(text.slice(part.index, end)));
    from = end;
    PARTS.lastIndex = end;
  }
  return shown + text.slice(from);
}
