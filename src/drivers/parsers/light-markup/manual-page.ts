import type { ParsedDocument } from '../../../ports/reading.ts';
import type { Mark } from '../../../schema/items.ts';
import { escapeLine } from '../../../text/markdown/write.ts';

/** The running title of a printed manual page: `TAR(1)  GNU TAR Manual  TAR(1)` at its head, `tar 1.34  July 2022  TAR(1)` at its foot. */
const HEAD = /^(\S+\(\w{1,5}\))\s.*\s\1$/;
const FOOT = /^\S.*\s{2}[^\s()]{1,100}\(\w{1,5}\)$/;

const TAB = 8;
/** Maximum indentation of headings of the second level. */
const SUBHEADING = 4;
/** Minimum indentation of a definition below its term. */
const HANGING = 3;
const MOST_TERM_WORDS = 16;

interface Line {
  /** Without tabs, words not hyphenated. */
  printed: string;
  /** Without indentation and justification. */
  text: string;
  indent: number;
}

/** Spaces in place of tabs. */
const expand = (line: string): string =>
  line
    .split('\t')
    .reduce((text, part) => `${text.padEnd(text.length + TAB - (text.length % TAB))}${part}`)
    .trimEnd();

const squeeze = (text: string): string => text.trim().replace(/ {2,}/g, ' ');

/** The lines; a word that is hyphenated at the end of one is joined there. */
function linesOf(text: string): Line[] {
  const lines = text.split('\n').map(expand);
  for (const [i, line] of lines.entries()) {
    const rest = line.endsWith('\u2010') ? /^( +)(\S+) */.exec(lines[i + 1] ?? '') : null;
    if (!rest) continue;
    lines[i] = line.slice(0, -1) + rest[2]!;
    lines[i + 1] = rest[1]! + lines[i + 1]!.slice(rest[0].length);
  }
  return lines.map((printed) => ({ printed, text: squeeze(printed), indent: printed.search(/\S|$/) }));
}

const isTerm = ({ text }: Line): boolean => text.split(' ').length <= MOST_TERM_WORDS && !/[`.,;:]$/.test(text);

const TAG = /^[^\s`]+(?: [^\s`]+)?(?<![.:!?])$/;

/** The tag and definition of `28     Operation timeout.`; undefined for other lines. */
function taggedLine({ printed, text, indent }: Line, next: Line | undefined): [string, string] | undefined {
  const goesOn = next !== undefined && next.text !== '' && next.indent >= indent + HANGING;
  const isSingle = next === undefined || next.text === '';
  // the last line of a paragraph is not justified, so that a wide gap stands only behind a tag
  const gap = isSingle ? printed.indexOf('  ', indent) : -1;
  const column = goesOn ? next.indent : gap < 0 ? printed.length : gap + printed.slice(gap).search(/\S/);
  const tag = printed.slice(indent, column).trimEnd();
  const isTagged = printed[column - 1] === ' ' && column < printed.length && printed[column] !== ' ' && TAG.test(tag);
  return isTagged ? [tag, text.slice(squeeze(tag).length).trim()] : undefined;
}

/**
 * A manual page as `man` prints it, in Markdown: headings, terms and options (as code in a line of their own, above what defines them), paragraphs
 * without indentation. Undefined for other texts.
 */
export function readManualPage(source: string): ParsedDocument | undefined {
  const [, title] = HEAD.exec(expand(source.trimStart().split('\n', 1)[0]!)) ?? [];
  if (title === undefined) return undefined;
  const lines = linesOf(source);
  const marks: Mark[] = [];
  let [text, expected] = ['', 0];
  const add = (index: number, written: string, isApart = false): void => {
    if (index + 1 !== expected) marks.push({ at: text.length, line: index + 1 });
    text += isApart ? `${written}\n\n` : `${written}\n`;
    expected = isApart ? 0 : index + 2;
  };
  for (const [i, line] of lines.entries()) {
    if (HEAD.test(line.printed) || FOOT.test(line.printed)) continue;
    const [before, next] = [lines[i - 1], lines[i + 1]];
    const isFirst = !before || before.text === '' || before.indent > line.indent || before.indent <= SUBHEADING;
    const isDefined = next !== undefined && next.text !== '' && next.indent >= line.indent + HANGING;
    const tagged = isFirst ? taggedLine(line, next) : undefined;
    if (line.text === '') add(i, '');
    else if (line.indent <= SUBHEADING) add(i, `${line.indent === 0 ? '##' : '###'} ${line.text}`);
    else if (tagged) {
      add(i, `\`${tagged[0]}\``, true);
      add(i, escapeLine(tagged[1]));
    } else if (isFirst && isDefined && isTerm(line)) add(i, `\`${line.text}\``, true);
    else add(i, escapeLine(line.text));
  }
  return { text, title: /\p{Ll}/u.test(title.split('(')[0]!) ? title : title.toLowerCase(), metadata: {}, marks };
}
