import type { ChalkInstance } from 'chalk';
import { unstyled, type Paint, type Span } from './line-wrapper.ts';

/** Maximum characters of spans; longer ones are plain text. Bounds the buffer and the cost of hostile text. */
const MAX_LENGTHS = { span: 420, address: 1010, link: 2500 };

/** Characters that may start a span. */
const MARKS = /[`*_~[!<\\]/;

// Each at the beginning of a text of at most `MAX_LENGTH.link` characters. A span of text is at most 400 characters long, the text of a link 300.
const CODE = /^(`{1,8})(?!`)([^]{0,400}?[^`])\1(?!`)/;
const STAR = /^(\*{1,3})(?![\s*])([^]{0,400}?[^\s*])\1(?!\*)/;
const UNDERSCORE = /^(_{1,3})(?![\s_])([^]{0,400}?[^\s_])\1(?![\p{L}\p{N}_])/u;
const STRUCK = /^~~(?=\S)([^]{0,400}?\S)~~/;
const LINK = /^!?\[([^\]]{0,300})\]\(\s{0,3}<?((?:[^()\s<>]|\([^()\s<>]*\))+)>?(?:\s{1,3}"[^"]{0,200}")?\s{0,3}\)/;
const CITATION = /^\[\d[\d,;\s–-]{0,48}\](?!\()/;
const ADDRESS = /^<(https?:\/\/[^\s<>]{1,1000})>/;
const ESCAPED = /^\\([!-/:-@[-`{-~])/;

/** After such a character an underscore is part of a name. */
const IN_WORD = /[\p{L}\p{N}_]$/u;

/** Beginnings of unfinished spans, with the length from which they count as plain text. */
const UNFINISHED: readonly (readonly [RegExp, number])[] = [
  [/^`/, MAX_LENGTHS.span],
  [/^([*_~])\1*$|^(?:\*{1,3}(?![\s*])|_{1,3}(?![\s_])|~~+(?!\s))/, MAX_LENGTHS.span],
  [/^!?\[[^\]]{0,300}$|^!?\[[^\]]{0,300}\]$|^!$/, MAX_LENGTHS.span],
  [/^!?\[[^\]]{0,300}\]\(\s*<?[^\s<>]*>?(?:\s+(?:"[^"]*"?\s*)?)?$/, MAX_LENGTHS.link],
  [/^<(?:h|ht|htt|https?|https?:\/?|https?:\/\/[^\s<>]*)?$/, MAX_LENGTHS.address],
  [/^\\$/, MAX_LENGTHS.span],
];

/** Beginning of a span that may end in a later line of its paragraph. */
const OPEN_SPAN = /^(?:\*{1,3}|_{1,3}|~~|`{1,8})[^\s*_~`]/;

interface SpanMatch {
  spans: Span[];
  length: number;
}

type Styles = Pick<ChalkInstance, 'bold' | 'italic' | 'cyan' | 'dim' | 'strikethrough' | 'level'>;

const emphasisPaint = (color: Styles, marks: number): Paint => (marks === 1 ? color.italic : marks === 2 ? color.bold : color.bold.italic);

function matchSpan(rest: string, { color, paint, before }: { color: Styles; paint: Paint; before: string }): SpanMatch | undefined {
  const text = rest.slice(0, MAX_LENGTHS.link);
  const layered = (style: Paint): Paint => (paint === unstyled ? style : (part) => paint(style(part)));
  const found = (match: RegExpExecArray, spans: Span[]): SpanMatch => ({ spans, length: match[0].length });
  const code = CODE.exec(text);
  if (code) {
    const inner = code[2]!.replace(/^ (?=.*\S)(.*) $/, '$1');
    // without colours, the marks are kept
    return found(code, [{ text: color.level > 0 ? inner : `\`${inner}\``, paint: layered(color.cyan) }]);
  }
  const strong = STAR.exec(text) ?? (IN_WORD.test(before) ? null : UNDERSCORE.exec(text));
  if (strong) return found(strong, parseSpans(strong[2]!, color, layered(emphasisPaint(color, strong[1]!.length))));
  const strikethrough = color.level > 0 ? STRUCK.exec(text) : null;
  if (strikethrough) return found(strikethrough, parseSpans(strikethrough[1]!, color, layered(color.strikethrough)));
  const link = LINK.exec(text);
  if (link) return found(link, linkSpans(link, { color, paint, over: layered }));
  const citation = CITATION.exec(text);
  if (citation) return found(citation, [{ text: citation[0], paint: layered(color.cyan) }]);
  const address = ADDRESS.exec(text);
  if (address) return found(address, [{ text: address[1]!, paint }]);
  const escaped = ESCAPED.exec(text);
  return escaped ? found(escaped, [{ text: escaped[1]!, paint }]) : undefined;
}

/** `text (address)`, or the address alone if the text equals it or is empty. */
function linkSpans(
  [, label = '', address = '']: RegExpExecArray,
  { color, paint, over }: { color: Styles; paint: Paint; over: (style: Paint) => Paint },
): Span[] {
  const target: Span = { text: address, paint: over(color.dim) };
  if (!label.trim() || label === address) return [target];
  return [...parseSpans(label, color, paint), { text: ' (', paint }, target, { text: ')', paint }];
}

/** Reads the complete spans of a text; `rest` is what further text may still change. */
function readSpans(
  text: string,
  { color, paint, isComplete, before }: { color: Styles; paint: Paint; isComplete: boolean; before: string },
): { spans: Span[]; rest: string } {
  const spans: Span[] = [];
  let position = 0;
  let last = before;
  const add = (...added: Span[]): void => {
    spans.push(...added);
    last = added.at(-1)?.text.at(-1) ?? last;
  };
  while (position < text.length) {
    const next = text.slice(position).search(MARKS);
    if (next !== 0) {
      const upTo = next < 0 ? text.length : position + next;
      add({ text: text.slice(position, upTo), paint });
      position = upTo;
      continue;
    }
    const rest = text.slice(position);
    const found = matchSpan(rest, { color, paint, before: last });
    if (!isComplete && (!found || found.length === rest.length) && mayGrow(rest, last)) return { spans, rest };
    if (found) add(...found.spans);
    else add({ text: /^([*_~`])\1*|^[^]/.exec(rest)![0], paint });
    position += found ? found.length : spans.at(-1)!.text.length;
  }
  return { spans, rest: '' };
}

const mayGrow = (rest: string, before: string): boolean =>
  !(rest.startsWith('_') && IN_WORD.test(before)) && UNFINISHED.some(([pattern, longest]) => rest.length <= longest && pattern.test(rest));

/** The spans of a whole line of Markdown. */
export const parseSpans = (text: string, color: Styles, paint: Paint = unstyled): Span[] =>
  readSpans(text, { color, paint, isComplete: true, before: '' }).spans;

/** Reads the spans of a line that arrives in pieces, each as soon as it is unambiguous. A mark without its counterpart is text. */
export function createInlineReader(emit: (span: Span) => void, color: Styles, paint: Paint = unstyled) {
  let buffered = '';
  let before = '';
  const advance = (isComplete: boolean): void => {
    const { spans, rest } = readSpans(buffered, { color, paint, isComplete, before });
    buffered = rest;
    for (const span of spans) emit(span);
    before = spans.at(-1)?.text.at(-1) ?? before;
  };
  return {
    /** Whether emphasis or code has begun that may end in the next line. */
    get isOpen() {
      return OPEN_SPAN.test(buffered);
    },
    push(piece: string): void {
      buffered += piece;
      advance(false);
    },
    end: () => advance(true),
  };
}
