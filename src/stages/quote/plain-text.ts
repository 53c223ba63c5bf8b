/** Tags of HTML: a document that writes them is quoted without them. */
const TAG =
  /<!--(?:(?!<!--)[^])*?-->|<\/?(?:a|abbr|audio|b|base|blockquote|body|br|button|center|code|dd|del|details|div|dl|dt|em|embed|font|footer|form|frame|frameset|h[1-6]|head|header|hr|html|i|iframe|img|input|ins|kbd|label|li|link|main|map|mark|meta|nav|object|ol|p|param|picture|pre|q|s|samp|script|section|select|small|source|span|strike|strong|style|sub|summary|sup|svg|table|tbody|td|textarea|tfoot|th|thead|title|tr|track|tt|u|ul|var|video|wbr)\b[^<>]*>/gi;

// Every pattern stops where the next of its kind begins, or soon: a page may be made to be read slowly.
const withoutMarkup = (text: string): string =>
  text
    .replace(/!\[([^[\]]*)\]\([^()]*(?:\([^()]*\)[^()]*)*\)/g, '')
    .replace(/(?<!\\)\[([^[\]]*)\]\([^()]*(?:\([^()]*\)[^()]*)*\)/g, '$1')
    .replace(/<(?:https?:\/\/|mailto:)[^<>\s]{1,500}>/g, (link) => link.slice(1, -1))
    .replace(TAG, ' ')
    // Numbers in brackets would pass for citations of ours: Markdown shows them as they are where they are escaped.
    .replace(/(?<!\\)\[(\d{1,6}(?:\s*[,;–-]\s*\d{1,6})*)\]/g, '\\[$1\\]');

const FENCED = /^\s*(`{3,}|~{3,})[^]*?^\s*\1\s*$/m;

/** Markdown as it may be quoted: links are what they say, images and tags are left out; code stays as it is, and so do the lines. */
export function plainText(markdown: string): string {
  const fence = FENCED.exec(markdown);
  if (fence) {
    const [before, after] = [markdown.slice(0, fence.index), markdown.slice(fence.index + fence[0].length)];
    return `${before.trim() === '' ? '' : `${plainText(before)}\n\n`}${fence[0].trim()}${after.trim() === '' ? '' : `\n\n${plainText(after)}`}`;
  }
  return markdown
    .split(/((?<!`)`+[^`]+`+)/)
    .map((part, i) => (i % 2 === 1 ? part : withoutMarkup(part)))
    .join('')
    .replace(/^>[ \t]?/gm, '')
    .replace(/[ \t]+$/gm, '')
    .replace(/(?<=\S)[ \t]{2,}(?=\S)/g, ' ')
    .replace(/\n{3,}/g, '\n\n')
    .trim();
}
