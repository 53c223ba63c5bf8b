import type { ParsedDocument } from '../types.ts';
import { escapeLine } from '../markdown/write.ts';
import { MarkedLines } from '../parsed-document.ts';

/** The longest line that may be a heading. */
const MAX_HEADING_LENGTH = 80;
/** Minimum number of numbered, capital or outdented lines that are headings: fewer may be chance. */
const MIN_HEADINGS = 2;
/** If at least this share of lines is indented by so much, headings are at the margin, as in RFCs. */
const MIN_INDENT = 3;
const MIN_INDENTED_SHARE = 0.6;

const RULE = /^([=\-~*+#^"'`_])\1{2,}$/;
/** Underlines that Markdown reads itself. */
const SETEXT = /^[=-]/;
const NUMBERED = /^(\d{1,3}(?:\.\d{1,3})*)\.?\s+\p{Lu}.*[^.,;:!?]$/u;
const FRAME = /^([*=#-])\1{2,}/;

const isBlank = (line: string | undefined): boolean => line === undefined || line.trim() === '';

const isCapitals = (text: string): boolean =>
  text.length <= MAX_HEADING_LENGTH && /\p{Lu}{3}/u.test(text) && !/\p{Ll}|[.,;!?]$|\s{3}|^[^\p{L}\p{N}]/u.test(text);

/** The number of parts of `1.2 Title`; 0 for other lines. */
const countNumberParts = (text: string): number =>
  text.length <= MAX_HEADING_LENGTH ? (NUMBERED.exec(text)?.[1]?.split('.').length ?? 0) : 0;

/** The lines of a text, and its headings by the index of their lines. */
interface MarkedText {
  lines: string[];
  headings: Map<number, Heading>;
}

interface Heading {
  title: string;
  level: number;
}

/**
 * Marks the evident headings of a plain text as Markdown: titles between or above rules, and lines between blank lines that are numbered (`1.2 Title`),
 * in capitals, or left of a text that is indented. Every line stays where it is. The title is a first heading of the first level.
 */
export function markHeadings(text: string): { text: string; title?: string | undefined } {
  const marked: MarkedText = { lines: text.split('\n'), headings: new Map() };
  markUnderlined(marked);
  const standalone = findStandalone(marked.lines);
  if (standalone.size >= MIN_HEADINGS)
    for (const [index, level] of standalone) mark(marked, index, { level, title: marked.lines[index]!.trim() });
  const { lines, headings } = marked;
  if (headings.size === 0) return { text };
  const first = headings.get([...headings.keys()].reduce((least, index) => Math.min(least, index)))!;
  return { text: lines.join('\n'), title: first.level === 1 ? first.title : undefined };
}

function mark({ lines, headings }: MarkedText, index: number, { level, title }: Heading): void {
  headings.set(index, { title, level });
  lines[index] = `${'#'.repeat(Math.min(level, 6))} ${title}`;
}

/** Marks titles that are underlined by a rule of about their length (and maybe overlined), or stand between two short rules in their line. */
function markUnderlined(marked: MarkedText): void {
  const { lines } = marked;
  for (let i = 0; i < lines.length; i++) {
    const line = lines[i]!.trim();
    const framed = isBlank(lines[i - 1]) && isBlank(lines[i + 1]) ? wordsInFrame(line) : '';
    if (framed !== '') mark(marked, i, { level: 2, title: framed });
    const below = lines[i + 1]?.trim() ?? '';
    if (line === '' || RULE.test(line) || !RULE.test(below) || Math.abs(below.length - lines[i]!.trimEnd().length) > 2) continue;
    const isOverlined = lines[i - 1]?.trim() === below;
    if (!isOverlined && !isBlank(lines[i - 1])) continue;
    const level = below.startsWith('=') ? 1 : 2;
    if (!isOverlined && SETEXT.test(below)) {
      marked.headings.set(i, { title: line, level });
      continue;
    }
    mark(marked, i, { level, title: line });
    lines[i + 1] = '';
    if (isOverlined) lines[i - 1] = '';
  }
}

/** Returns the words between two rules in a line. */
function wordsInFrame(line: string): string {
  const [rule] = FRAME.exec(line) ?? [];
  return rule && line.length <= MAX_HEADING_LENGTH && line.endsWith(rule) ? line.slice(rule.length, -rule.length).trim() : '';
}

/** Finds the lines between blank lines that look like headings, and their levels. */
function findStandalone(lines: readonly string[]): Map<number, number> {
  const filled = lines.filter((line) => !isBlank(line));
  const isIndented = filled.filter((line) => line.search(/\S/) >= MIN_INDENT).length >= filled.length * MIN_INDENTED_SHARE;
  const found = new Map<number, number>();
  const indexes = lines.flatMap((line, index) => (isBlank(line) ? [] : [index]));
  for (const [i, index] of indexes.entries()) {
    const next = lines[indexes[i + 1] ?? -1];
    if (next === undefined || !isBlank(lines[index - 1]) || !isBlank(lines[index + 1])) continue;
    const level = headingLevel(lines[index]!, next, { isFirst: i === 0, isIndented });
    if (level > 0) found.set(index, level);
  }
  return found;
}

/** Finds the level of a line by its form and the next non-blank line; 0 if it is not a heading: several similar lines in a row are a list. */
function headingLevel(line: string, next: string, { isFirst, isIndented }: { isFirst: boolean; isIndented: boolean }): number {
  const text = line.trim();
  const depth = /^\s/.test(line) ? 0 : countNumberParts(text);
  if (depth > 0) return depth === countNumberParts(next.trim()) ? 0 : depth + 1;
  if (isCapitals(text)) return isFirst ? 1 : isCapitals(next.trim()) ? 0 : 2;
  const isOutdented = isIndented && /^\p{Lu}/u.test(line) && /^\s{3}/.test(next);
  return isOutdented && line.length <= MAX_HEADING_LENGTH && !/[.,;:!?\]]$|\s{3}/.test(text) ? 2 : 0;
}

/** The running title of a printed manual page: `TAR(1)  GNU TAR Manual  TAR(1)` at its head, `tar 1.34  July 2022  TAR(1)` at its foot. */
const HEAD = /^(\S+\(\w{1,5}\))\s.*\s\1$/;
const FOOT = /^\S.*\s{2}[^\s()]{1,100}\(\w{1,5}\)$/;

const TAB_WIDTH = 8;
/** Maximum indentation of headings of the second level. */
const MAX_SUBHEADING_INDENT = 4;
/** Minimum indentation of a definition below its term. */
const MIN_HANGING_INDENT = 3;

interface Line {
  /** Without tabs, words not hyphenated. */
  printed: string;
  /** Without indentation and justification. */
  text: string;
  indent: number;
}

/** Spaces in place of tabs. */
const expandTabs = (line: string): string =>
  line
    .split('\t')
    .reduce((text, part) => `${text.padEnd(text.length + TAB_WIDTH - (text.length % TAB_WIDTH))}${part}`)
    .trimEnd();

/** Writes the title of a manual page, such as `TAR(1)`, in small letters if its name has none. */
const manualPageTitle = (title: string): string => (/\p{Ll}/u.test(title.split('(')[0]!) ? title : title.toLowerCase());

const MAX_TERM_WORDS = 16;

/** Whether a line may be a term that the lines below it define. */
const isTerm = (text: string): boolean => text.split(' ').length <= MAX_TERM_WORDS && !/[`.,;:]$/.test(text);

const squeeze = (text: string): string => text.trim().replace(/ {2,}/g, ' ');

/** Reads the lines, and joins hyphenated words at the end of their first line. */
function readLines(text: string): Line[] {
  const lines = text.split('\n').map(expandTabs);
  for (const [i, line] of lines.entries()) {
    const rest = line.endsWith('\u2010') ? /^( +)(\S+) */.exec(lines[i + 1] ?? '') : null;
    if (!rest) continue;
    lines[i] = line.slice(0, -1) + rest[2]!;
    lines[i + 1] = rest[1]! + lines[i + 1]!.slice(rest[0].length);
  }
  return lines.map((printed) => ({ printed, text: squeeze(printed), indent: printed.search(/\S|$/) }));
}

const TAG = /^[^\s`]+(?: [^\s`]+)?(?<![.:!?])$/;

/** The tag and definition of `28     Operation timeout.`; undefined for other lines. */
function taggedLine({ printed, text, indent }: Line, next: Line | undefined): [string, string] | undefined {
  const goesOn = next !== undefined && next.text !== '' && next.indent >= indent + MIN_HANGING_INDENT;
  const isSingle = next === undefined || next.text === '';
  // the last line of a paragraph is not justified, so that a wide gap can only follow a tag
  const gap = isSingle ? printed.indexOf('  ', indent) : -1;
  const column = goesOn ? next.indent : gap < 0 ? printed.length : gap + printed.slice(gap).search(/\S/);
  const tag = printed.slice(indent, column).trimEnd();
  const isTagged = printed[column - 1] === ' ' && column < printed.length && printed[column] !== ' ' && TAG.test(tag);
  return isTagged ? [tag, text.slice(squeeze(tag).length).trim()] : undefined;
}

/**
 * Converts a manual page, as `man` prints it, to Markdown: headings, terms and options (as code in a separate line above their definitions), paragraphs
 * without indentation. Undefined for other texts.
 */
export function readManualPage(source: string): ParsedDocument | undefined {
  const [, title] = HEAD.exec(expandTabs(source.trimStart().split('\n', 1)[0]!)) ?? [];
  if (title === undefined) return undefined;
  const lines = readLines(source);
  const out = new MarkedLines();
  const addTerm = (term: string, line: number) => {
    out.add(`\`${term}\``, line);
    out.add('', line);
  };
  for (const [i, line] of lines.entries()) {
    if (HEAD.test(line.printed) || FOOT.test(line.printed)) continue;
    const [before, next] = [lines[i - 1], lines[i + 1]];
    const isFirst = !before || before.text === '' || before.indent > line.indent || before.indent <= MAX_SUBHEADING_INDENT;
    const isDefined = next !== undefined && next.text !== '' && next.indent >= line.indent + MIN_HANGING_INDENT;
    const tagged = isFirst ? taggedLine(line, next) : undefined;
    if (line.text === '') out.add('', i + 1);
    else if (line.indent <= MAX_SUBHEADING_INDENT) out.add(`${line.indent === 0 ? '##' : '###'} ${line.text}`, i + 1);
    else if (tagged) {
      addTerm(tagged[0], i + 1);
      out.add(escapeLine(tagged[1]), i + 1);
    } else if (isFirst && isDefined && isTerm(line.text)) addTerm(line.text, i + 1);
    else out.add(escapeLine(line.text), i + 1);
  }
  return { text: out.text, title: manualPageTitle(title), metadata: {}, marks: out.marks };
}
