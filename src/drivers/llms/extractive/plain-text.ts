/** Tags of HTML: a document that writes them is quoted without them. */
const TAG =
  /<!--(?:(?!<!--)[^])*?-->|<\/?(?:a|abbr|audio|b|base|blockquote|body|br|button|center|code|dd|del|details|div|dl|dt|em|embed|font|footer|form|frame|frameset|h[1-6]|head|header|hr|html|i|iframe|img|input|ins|kbd|label|li|link|main|map|mark|meta|nav|object|ol|p|param|picture|pre|q|s|samp|script|section|select|small|source|span|strike|strong|style|sub|summary|sup|svg|table|tbody|td|textarea|tfoot|th|thead|title|tr|track|tt|u|ul|var|video|wbr)\b[^<>]*>/gi;

// Every pattern stops where the next of its kind begins, or soon: a page may be made to be read slowly.
const withoutMarkup = (text: string): string =>
  text
    .replace(/!\[([^[\]]*)\]\([^()]*(?:\([^()]*\)[^()]*)*\)/g, '')
    .replace(/(?<!\\)\[([^[\]]*)\]\([^()]*(?:\([^()]*\)[^()]*)*\)/g, '$1')
    .replace(TAG, ' ')
    .replace(/(?<!\\)(\*\*|__)(?=\S)([^]{0,500}?[^\s\\])\1/g, '$2')
    .replace(/(?<![\p{L}\p{N}*\\])\*(?=\S)([^*]*?[^\s\\])\*(?![\p{L}\p{N}*])/gu, '$1')
    .replace(/\\([\\`*_{}[\]()#+\-.!|>~<$&])/g, '$1')
    // Numbers in brackets would pass for citations of ours: Markdown shows them as they are where they are escaped.
    .replace(/\[(\d{1,6}(?:\s*[,;–-]\s*\d{1,6})*)\]/g, '\\[$1\\]');

/** Markdown in a line as words: no emphasis, links, images and tags. Code between backticks stays as it is. */
export const plainText = (markdown: string): string =>
  markdown
    .split(/((?<!`)`+[^`]+`+)/)
    .map((part, i) => (i % 2 === 1 ? part : withoutMarkup(part)))
    .join('')
    .replace(/\s+/g, ' ')
    .trim();
