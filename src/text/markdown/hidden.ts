const ATTRIBUTE = String.raw`\s+[\w:@.-]+(?:\s*=\s*(?:"[^"]*"|'[^']*'|[^\s"'<>]+))?`;
const UNSEEN = String.raw`(?:display\s*:\s*none|visibility\s*:\s*hidden)`;
const HIDING = String.raw`\s+(?:hidden(?=[\s/>=])|style\s*=\s*(?:"[^"]*${UNSEEN}[^"]*"|'[^']*${UNSEEN}[^']*'))`;

/** Not after an escaping backslash. */
const UNESCAPED = String.raw`(?<!(?<!\\)\\(?:\\\\)*)`;

/** The title of a link, with leading white space. */
const TITLE = String.raw`(?:[ \t]*\n[ \t]*|[ \t]+)(?:"[^"]*"|'[^']*'|\([^()]*\))`;
/** The form of an address, unlike `9-17`, `Hello` and `12/24`. */
const ADDRESS = String.raw`(?:<|[a-z][a-z0-9+.-]*:|\S*(?:#|\.[a-z]|/(?!\d)|(?<!\d)/))`;

/** Constructs that hide text in Markdown, and code, which hides none: the first match counts. Each is bounded or read once. */
const PARTS = new RegExp(
  [
    // code in a fence, to its end or that of the text, and within a line
    String.raw`^[ \t>]*(?<fence>\`{3,}(?!\`)|~{3,}(?!~))[^\n]*\n(?:[^]*?^[ \t>]*\k<fence>[\`~]*[ \t]*$|[^]*)`,
    String.raw`(?<!\`)(?<marks>\`+)(?!\`)(?:(?!\n[ \t]*\n)[^]){1,500}?(?<!\`)\k<marks>(?!\`)`,
    // a comment; one that a line begins with goes to the end
    String.raw`(?<comment><!--(?:(?!<!--)[^])*?-->|^[ \t]*<!--[^]*)`,
    String.raw`${UNESCAPED}<(?<element>script|style|template)\b[^<>]*>`,
    String.raw`${UNESCAPED}<(?<concealed>[a-z][a-z0-9-]*)(?:${ATTRIBUTE})*?${HIDING}[^<>]*>`,
    // the address of a link by its label (CommonMark 4.7): no footnote, and no word behind a name in brackets
    String.raw`^ {0,3}\[(?!\^)(?<label>[^[\]\n]{1,999})\]:[ \t]*(?:\n[ \t]*)?(?=${ADDRESS}|\S+${TITLE}[ \t]*$)(?:<[^<>\n]*>|[^\s<]\S*)(?<title>${TITLE})?[ \t]*$`,
  ].join('|'),
  'gim',
);

const VOID = /^(?:area|base|br|col|embed|hr|img|input|link|meta|param|source|track|wbr)$/i;

/** Elements that may end without a closing tag (HTML 13.1.2.4). */
const LEFT_OPEN = /^(?:p|li|dt|dd|option|tr|td|th)$/i;

/** Maximum nesting within which a closing tag is searched for, so that texts of opening tags take linear time. */
const DEEPEST = 100;

/** Elements that prose mentions: without a closing tag, only the tag is removed. */
const NAMED = /^(?:script|style|template)$/i;

/**
 * The end of an element: after its closing tag. Without one, an element on a line of its own extends to the end of the text, any other to the end of
 * its paragraph.
 */
function endOf(text: string, { index, from, name }: { index: number; from: number; name: string }): number {
  if (VOID.test(name)) return from;
  const tags = new RegExp(String.raw`<(/?)${name}\b[^<>]*>`, 'gi');
  tags.lastIndex = from;
  let depth = 1;
  for (let tag = tags.exec(text); tag && depth < DEEPEST; tag = tags.exec(text)) {
    depth += tag[1] ? -1 : 1;
    if (depth === 0) return tags.lastIndex;
  }
  if (NAMED.test(name)) return from;
  if (!LEFT_OPEN.test(name) && /^[ \t]*$/.test(text.slice(text.lastIndexOf('\n', index - 1) + 1, index))) return text.length;
  const blank = text.slice(from).search(/\n[ \t]*\n/);
  return blank < 0 ? text.length : from + blank;
}

const newlinesOf = (text: string): string => text.replace(/[^\n]+/g, '');

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
  PARTS.lastIndex = 0;
  for (let part = PARTS.exec(text); part; part = PARTS.exec(text)) {
    const { comment, element, concealed = element, label, title = '' } = part.groups!;
    if (comment === undefined && concealed === undefined && label === undefined) continue;
    const end =
      concealed === undefined ? part.index + part[0].length : endOf(text, { index: part.index, from: PARTS.lastIndex, name: concealed });
    const kept = label !== undefined && labels.has(label.toLowerCase()) ? part[0].replace(title, () => newlinesOf(title)) : undefined;
    shown += text.slice(from, part.index) + (kept ?? newlinesOf(text.slice(part.index, end)));
    from = end;
    PARTS.lastIndex = end;
  }
  return shown + text.slice(from);
}
