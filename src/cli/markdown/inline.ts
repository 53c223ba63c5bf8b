import type { ChalkInstance } from 'chalk';
import { plain, type Paint, type Span } from './flow.ts';

/** Maximum characters of a span; longer ones are text. Bounds the buffer and the time that hostile text can cost. */
const LONGEST = { span: 420, address: 1010, link: 2500 };

/** Characters that may begin a span. */
const MARKS = /[`*_~[!<\\]/;

// Each at the beginning of a text of at most `LONGEST.link` characters. A span of text is at most 400 characters long, the text of a link 300.
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

/** Unfinished spans, and the characters after which they count as text. */
const UNFINISHED: readonly (readonly [RegExp, number])[] = [
  [/^`/, LONGEST.span],
  [/^([*_~])\1*$|^(?:\*{1,3}(?![\s*])|_{1,3}(?![\s_])|~~+(?!\s))/, LONGEST.span],
  [/^!?\[[^\]]{0,300}$|^!?\[[^\]]{0,300}\]$|^!$/, LONGEST.span],
  [/^!?\[[^\]]{0,300}\]\(\s*<?[^\s<>]*>?(?:\s+(?:"[^"]*"?\s*)?)?$/, LONGEST.link],
  [/^<(?:h|ht|htt|https?|https?:\/?|https?:\/\/[^\s<>]*)?$/, LONGEST.address],
  [/^\\$/, LONGEST.span],
];

/** The beginning of a span that may end in another line of its paragraph. */
const OPEN = /^(?:\*{1,3}|_{1,3}|~~|`{1,8})[^\s*_~`]/;

interface Found {
  spans: Span[];
  length: number;
}

type Styles = Pick<ChalkInstance, 'bold' | 'italic' | 'cyan' | 'dim' | 'strikethrough' | 'level'>;

const EMPHASIS = (color: Styles, marks: number): Paint => (marks === 1 ? color.italic : marks === 2 ? color.bold : color.bold.italic);

function spanAt(rest: string, { color, paint, before }: { color: Styles; paint: Paint; before: string }): Found | undefined {
  const text = rest.slice(0, LONGEST.link);
  const over = (style: Paint): Paint => (paint === plain ? style : (part) => paint(style(part)));
  const found = (match: RegExpExecArray, spans: Span[]): Found => ({ spans, length: match[0].length });
  const code = CODE.exec(text);
  if (code) {
    const inner = code[2]!.replace(/^ (?=.*\S)(.*) $/, '$1');
    // without colours the marks say that it is code
    return found(code, [{ text: color.level > 0 ? inner : `\`${inner}\``, paint: over(color.cyan) }]);
  }
  const strong = STAR.exec(text) ?? (IN_WORD.test(before) ? null : UNDERSCORE.exec(text));
  if (strong) return found(strong, spansOf(strong[2]!, color, over(EMPHASIS(color, strong[1]!.length))));
  const struck = color.level > 0 ? STRUCK.exec(text) : null;
  if (struck) return found(struck, spansOf(struck[1]!, color, over(color.strikethrough)));
  const link = LINK.exec(text);
  if (link) return found(link, linkSpans(link, { color, paint, over }));
  const citation = CITATION.exec(text);
  if (citation) return found(citation, [{ text: citation[0], paint: over(color.cyan) }]);
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
  return [...spansOf(label, color, paint), { text: ' (', paint }, target, { text: ')', paint }];
}

/** Reads the complete spans of a text; `rest` is what further text may still change. */
function read(
  text: string,
  { color, paint, isOver, before }: { color: Styles; paint: Paint; isOver: boolean; before: string },
): { spans: Span[]; rest: string } {
  const spans: Span[] = [];
  let place = 0;
  let last = before;
  const say = (...said: Span[]): void => {
    spans.push(...said);
    last = said.at(-1)?.text.at(-1) ?? last;
  };
  while (place < text.length) {
    const next = text.slice(place).search(MARKS);
    if (next !== 0) {
      const upTo = next < 0 ? text.length : place + next;
      say({ text: text.slice(place, upTo), paint });
      place = upTo;
      continue;
    }
    const rest = text.slice(place);
    const found = spanAt(rest, { color, paint, before: last });
    if (!isOver && (!found || found.length === rest.length) && mayGrow(rest, last)) return { spans, rest };
    if (found) say(...found.spans);
    else say({ text: /^([*_~`])\1*|^[^]/.exec(rest)![0], paint });
    place += found ? found.length : spans.at(-1)!.text.length;
  }
  return { spans, rest: '' };
}

const mayGrow = (rest: string, before: string): boolean =>
  !(rest.startsWith('_') && IN_WORD.test(before)) && UNFINISHED.some(([pattern, longest]) => rest.length <= longest && pattern.test(rest));

/** The spans of a whole line of Markdown. */
export const spansOf = (text: string, color: Styles, paint: Paint = plain): Span[] =>
  read(text, { color, paint, isOver: true, before: '' }).spans;

/** Reads the spans of a line that arrives in pieces, each as soon as it is unambiguous. A mark without its counterpart is text. */
export function inline(emit: (span: Span) => void, color: Styles, paint: Paint = plain) {
  let held = '';
  let before = '';
  const advance = (isOver: boolean): void => {
    const { spans, rest } = read(held, { color, paint, isOver, before });
    held = rest;
    for (const span of spans) emit(span);
    before = spans.at(-1)?.text.at(-1) ?? before;
  };
  return {
    /** Whether emphasis or code has begun that may end in the next line. */
    get isOpen() {
      return OPEN.test(held);
    },
    push(piece: string): void {
      held += piece;
      advance(false);
    },
    end: () => advance(true),
  };
}
