import type { XmlElement } from '../ordered-xml.ts';
import { childNamed, childrenNamed, firstNamed } from './office-xml.ts';

/** A level of a list. */
interface Level {
  start: number;
  format: string;
  /** The label, with the numbers of this level and those above: `%1.%2`. */
  text: string;
  /** The id of the style with this level. */
  style: string | undefined;
}

/** The properties of a style; `list` is the id of its numbers. */
interface Style {
  list?: string | undefined;
  level?: number;
  isHeading: boolean;
}

/**
 * Writes before each heading the number that Word shows but does not store («4.2»), because people refer to it. Other paragraphs are counted, and
 * unchanged. `numbering` and `styles` are the parts of these names.
 */
export function numberHeadings(xml: string, numbering: XmlElement, styles: XmlElement): string {
  const lists = listsOf(numbering);
  const styleOf = stylesOf(styles);
  const counters = new Map<ReadonlyMap<number, Level>, number[]>();
  return insertBeforeRuns(xml, (properties) => {
    const id = attribute(properties, 'pStyle');
    const style = styleOf(id);
    const levels = lists.get(attribute(properties, 'numId') ?? style.list ?? '');
    if (!levels) return '';
    const level = Number(
      attribute(properties, 'ilvl') ??
        style.level ??
        [...levels].find(([, { style: named }]) => named !== undefined && named === id)?.[0] ??
        0,
    );
    if (!levels.has(level)) return '';
    const numbers = counters.get(levels) ?? [];
    counters.set(levels, numbers);
    for (let above = 0; above < level; above++) numbers[above] ??= levels.get(above)?.start ?? 1;
    numbers[level] = (numbers[level] ?? levels.get(level)!.start - 1) + 1;
    numbers.length = level + 1;
    const label = style.isHeading ? labelOf(levels, numbers) : '';
    return label === '' ? '' : `<w:r><w:t xml:space="preserve">${label} </w:t></w:r>`;
  });
}

const PROPERTIES = '<w:pPr>';
/** Maximum characters of the properties of a paragraph. */
const MAX_PROPERTIES = 8000;
const PARAGRAPH_START = /<w:p(?:\s[^<>]{0,400})?>$/;
/** Elements between the properties of a paragraph and its first run. */
const UP_TO_RUN = /(?:<w:(?:bookmarkStart|bookmarkEnd|proofErr)(?:\s[^<>]{0,400})?>)*(?=<w:(?:r|hyperlink|smartTag|sdt|ins)[\s>])/y;

/** Inserts the result of `numberOf` for the properties of each paragraph before its first run. */
function insertBeforeRuns(xml: string, numberOf: (properties: string) => string): string {
  const pieces: string[] = [];
  let from = 0;
  for (let at = xml.indexOf(PROPERTIES); at >= 0; at = xml.indexOf(PROPERTIES, at + 1)) {
    const window = xml.slice(at, at + MAX_PROPERTIES);
    const length = window.indexOf('</w:pPr>');
    if (length < 0 || !PARAGRAPH_START.test(xml.slice(Math.max(0, at - 410), at))) continue;
    UP_TO_RUN.lastIndex = at + length + '</w:pPr>'.length;
    if (!UP_TO_RUN.test(xml)) continue;
    const label = numberOf(window.slice(0, length));
    if (label === '') continue;
    const end = UP_TO_RUN.lastIndex;
    pieces.push(xml.slice(from, end), label);
    from = end;
  }
  return pieces.length === 0 ? xml : [...pieces, xml.slice(from)].join('');
}

const attribute = (xml: string, element: string): string | undefined => new RegExp(`<w:${element} w:val="([^"]*)"`).exec(xml)?.[1];

const valueOf = (element: XmlElement | undefined): string | undefined => element?.attributes['w:val'];

function listsOf(numbering: XmlElement): Map<string, Map<number, Level>> {
  const abstract = new Map(childrenNamed(numbering, 'abstractNum').map((list) => [list.attributes['w:abstractNumId'], levelsOf(list)]));
  return new Map(
    childrenNamed(numbering, 'num').map((list) => [
      list.attributes['w:numId'] ?? '',
      abstract.get(valueOf(childNamed(list, 'abstractNumId'))) ?? new Map<number, Level>(),
    ]),
  );
}

/** Lists of Word have nine levels; damaged files may have others. */
const LAST_LEVEL = 8;

const levelsOf = (list: XmlElement): Map<number, Level> => {
  const levels = childrenNamed(list, 'lvl').filter((level) => Number(level.attributes['w:ilvl']) <= LAST_LEVEL);
  return new Map(
    levels.map((level) => [
      Number(level.attributes['w:ilvl']),
      {
        start: startOf(valueOf(childNamed(level, 'start'))),
        format: valueOf(childNamed(level, 'numFmt')) ?? 'decimal',
        text: valueOf(childNamed(level, 'lvlText')) ?? '',
        style: valueOf(childNamed(level, 'pStyle')),
      },
    ]),
  );
};

/** Creates a lookup of styles by id, with the properties that they inherit. */
function stylesOf(styles: XmlElement): (id: string | undefined) => Style {
  const known = new Map(childrenNamed(styles, 'style').map((style) => [style.attributes['w:styleId'], style]));
  const resolved = new Map<string | undefined, Style>();
  return (id) => {
    const before = resolved.get(id);
    if (before) return before;
    const found: Style = { isHeading: false };
    const seen = new Set<XmlElement>();
    for (let style = known.get(id ?? ''); style && !seen.has(style); style = known.get(valueOf(childNamed(style, 'basedOn')) ?? '')) {
      seen.add(style);
      found.isHeading ||= /^heading \d$/i.test(valueOf(childNamed(style, 'name')) ?? '');
      const numbers = firstNamed(style, 'numPr');
      found.list ??= valueOf(childNamed(numbers, 'numId'));
      const level = valueOf(childNamed(numbers, 'ilvl'));
      if (level !== undefined) found.level ??= Number(level);
    }
    resolved.set(id, found);
    return found;
  };
}

/** Writes the number of the last level, without a full stop at the end; empty if a level counts neither in numbers nor in letters. */
function labelOf(levels: ReadonlyMap<number, Level>, numbers: readonly number[]): string {
  const text = levels.get(numbers.length - 1)!.text;
  const shown = text.replace(/%(\d)/g, (_, digit: string) => {
    const level = Number(digit) - 1;
    return formatNumber(numbers[level] ?? 1, levels.get(level)?.format ?? 'decimal');
  });
  return /[\p{L}\p{N}]/u.test(shown) ? shown.trim().replace(/\.$/, '') : '';
}

/** Reads the first number of a list, up to the maximum of Word. */
function startOf(value: string | undefined): number {
  const start = Number(value ?? 1);
  return Number.isInteger(start) && start >= 0 && start <= 32_767 ? start : 1;
}

function formatNumber(number: number, format: string): string {
  switch (format) {
    case 'decimal':
      return String(number);
    case 'upperLetter':
    case 'lowerLetter': {
      const letter = String.fromCharCode(65 + ((Math.max(1, number) - 1) % 26)).repeat(Math.ceil(number / 26)); // Z is followed by AA, BB (17.18.59)
      return format === 'upperLetter' ? letter : letter.toLowerCase();
    }
    case 'upperRoman':
      return roman(number);
    case 'lowerRoman':
      return roman(number).toLowerCase();
    default:
      return '';
  }
}

const ROMAN = { M: 1000, CM: 900, D: 500, CD: 400, C: 100, XC: 90, L: 50, XL: 40, X: 10, IX: 9, V: 5, IV: 4, I: 1 };

function roman(number: number): string {
  let left = number;
  return Object.entries(ROMAN)
    .map(([letters, value]) => {
      const times = Math.floor(left / value);
      left -= times * value;
      return letters.repeat(times);
    })
    .join('');
}
