import { decodeHTMLStrict } from 'entities/decode';

/** A character reference (HTML, 13.1.4). The semicolon is required: parts of addresses look like references without it. */
const REFERENCE = /&(?:#\d{1,7}|#x[\da-f]{1,6}|[a-z][a-z\d]{1,30});/gi;

/** Decodes a character reference; a no-break space becomes a space, an unknown reference stays. */
function decodeReference(reference: string): string {
  const character = decodeHTMLStrict(reference);
  if (character === '\u00a0') return ' ';
  return character === '\ufffd' ? reference : character;
}

/** Whether a text holds a character reference. */
export const hasReferences = (text: string): boolean =>
  text.includes('&') && text.matchAll(REFERENCE).some(([reference]) => decodeReference(reference) !== reference);

/** Decodes the character references of a text. */
export const decodeReferences = (text: string): string => text.replace(REFERENCE, decodeReference);

/** What keeps its references or has none in Markdown: an escaped character, code, a tag; else a reference. */
const PARTS =
  /\\[^]|(?<!`)(`+)(?!`)(?:(?!\n[ \t]*\n)[^]){1,500}?(?<!`)\1(?!`)|<[a-z/!?][^<>]{0,2000}>|(?<reference>&(?:#\d{1,7}|#x[\da-f]{1,6}|[a-z][a-z\d]{1,30});)/gi;

/** Characters before and after a reference that decide whether its character would be markup. */
const CONTEXT = 40;

/** Decodes the references in a block of Markdown other than code, so that the block shows the characters as text. Lines stay lines. */
export function decodeBlockReferences(markdown: string): string {
  if (!hasReferences(markdown)) return markdown;
  return markdown.replace(PARTS, (...groups) => {
    const [match, { reference }] = [groups[0] as string, groups.at(-1) as { reference?: string }];
    if (reference === undefined) return match;
    const at = groups.at(-3) as number;
    const before = markdown.slice(Math.max(0, at - CONTEXT), at);
    const next = markdown.slice(at + match.length, at + match.length + CONTEXT);
    return asText(decodeReference(reference), { line: before.slice(before.lastIndexOf('\n') + 1), next });
  });
}

/** Characters that are markup anywhere, at the start of a line, and after the number that starts a line. */
const MARK = /^[\\`*_[\]|~]$/;
const MARK_OF_LINE = /^[#+\-=>]$/;
const MARK_OF_NUMBER = /^[.)]$/;
/** Nothing but the marks of quotations and lists. */
const LINE_START = /^[\s>]*(?:(?:[-*+]|\d{1,9}[.)])\s+)*$/;

/** Writes a decoded character so that it is text in Markdown: `line` precedes it on its line, `next` follows. */
function asText(character: string, { line, next }: { line: string; next: string }): string {
  const isFirst = LINE_START.test(decodeReferences(line));
  if (/^\s$/.test(character)) return isFirst ? '' : /[\t\n\f\r]/.test(character) ? ' ' : character;
  const isMarkup =
    MARK.test(character) ||
    (MARK_OF_LINE.test(character) && isFirst) ||
    (MARK_OF_NUMBER.test(character) && /^\s*\d{1,9}$/.test(line)) ||
    (character === '<' && /^[a-z/!?&]/i.test(next)) ||
    (character === '&' && /^(?:#|[a-z])[a-z\d]{0,30};/i.test(next));
  return isMarkup ? `\\${character}` : character;
}
