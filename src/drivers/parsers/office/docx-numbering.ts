import { childNamed, childrenNamed, type Element, firstNamed } from './office-xml.ts';

/** A level of a list: how its number is written, where it begins. */
interface Level {
  start: number;
  format: string;
  /** `%1.%2`: the numbers of the levels down to this one. */
  text: string;
  /** The id of the style that is this level of the list. */
  style: string | undefined;
}

/** The list and level of a paragraph; `list` is the id of its numbers. */
interface Place {
  list: string;
  level: number;
}

/** What the styles of a document say about a paragraph. */
interface Style extends Partial<Place> {
  isHeading: boolean;
}

/**
 * Puts before each heading the number that Word shows there and keeps nowhere in the text («4.2»): people refer to it. Other paragraphs count, and
 * stay as they are. `numbering` and `styles` are the parts of these names.
 */
export function numberHeadings(xml: string, numbering: Element, styles: Element): string {
  const lists = listsOf(numbering);
  const styleOf = stylesOf(styles);
  const counters = new Map<ReadonlyMap<number, Level>, number[]>();
  return beforeRuns(xml, (properties) => {
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
/** Characters of a paragraph's properties, at most. */
const MOST_PROPERTIES = 8000;
const PARAGRAPH_START = /<w:p(?:\s[^<>]{0,400})?>$/;
/** What may stand between the properties of a paragraph and its first run. */
const UP_TO_RUN = /(?:<w:(?:bookmarkStart|bookmarkEnd|proofErr)(?:\s[^<>]{0,400})?>)*(?=<w:(?:r|hyperlink|smartTag|sdt|ins)[\s>])/y;

/** The text with what `numberOf` gives for each paragraph, by its properties, before its first run. */
function beforeRuns(xml: string, numberOf: (properties: string) => string): string {
  const pieces: string[] = [];
  let from = 0;
  for (let at = xml.indexOf(PROPERTIES); at >= 0; at = xml.indexOf(PROPERTIES, at + 1)) {
    const window = xml.slice(at, at + MOST_PROPERTIES);
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

const valueOf = (element: Element | undefined): string | undefined => element?.attributes['w:val'];

function listsOf(numbering: Element): Map<string, Map<number, Level>> {
  const abstract = new Map(childrenNamed(numbering, 'abstractNum').map((list) => [list.attributes['w:abstractNumId'], levelsOf(list)]));
  return new Map(
    childrenNamed(numbering, 'num').map((list) => [
      list.attributes['w:numId'] ?? '',
      abstract.get(valueOf(childNamed(list, 'abstractNumId'))) ?? new Map<number, Level>(),
    ]),
  );
}

/** Word's lists have nine levels; a file may name others to be counted up to. */
const LAST_LEVEL = 8;

const levelsOf = (list: Element): Map<number, Level> => {
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

/** A style with what it has from those that it is based on. */
function stylesOf(styles: Element): (id: string | undefined) => Style {
  const known = new Map(childrenNamed(styles, 'style').map((style) => [style.attributes['w:styleId'], style]));
  const resolved = new Map<string | undefined, Style>();
  return (id) => {
    const before = resolved.get(id);
    if (before) return before;
    const found: Style = { isHeading: false };
    const seen = new Set<Element>();
    for (let style = known.get(id ?? ''); style && !seen.has(style); style = known.get(valueOf(childNamed(style, 'basedOn')) ?? '')) {
      seen.add(style);
      found.isHeading ||= /^heading \d$/i.test(valueOf(childNamed(style, 'name')) ?? '');
      const numbers = firstNamed(style, 'numPr');
      found.list ??= numbers && valueOf(childNamed(numbers, 'numId'));
      const level = numbers && valueOf(childNamed(numbers, 'ilvl'));
      if (level !== undefined) found.level ??= Number(level);
    }
    resolved.set(id, found);
    return found;
  };
}

/** The number of the last level as its text shows it, without a full stop at the end; empty where a level counts otherwise than in numbers or letters. */
function labelOf(levels: ReadonlyMap<number, Level>, numbers: readonly number[]): string {
  const text = levels.get(numbers.length - 1)!.text;
  const shown = text.replace(/%(\d)/g, (_, digit: string) => {
    const level = Number(digit) - 1;
    return counted(numbers[level] ?? 1, levels.get(level)?.format ?? 'decimal');
  });
  return /[\p{L}\p{N}]/u.test(shown) ? shown.trim().replace(/\.$/, '') : '';
}

/** Where a list begins: Word counts to 32,767. */
function startOf(written: string | undefined): number {
  const start = Number(written ?? 1);
  return Number.isInteger(start) && start >= 0 && start <= 32_767 ? start : 1;
}

function counted(number: number, format: string): string {
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

const ROMAN = [
  [1000, 'M'],
  [900, 'CM'],
  [500, 'D'],
  [400, 'CD'],
  [100, 'C'],
  [90, 'XC'],
  [50, 'L'],
  [40, 'XL'],
  [10, 'X'],
  [9, 'IX'],
  [5, 'V'],
  [4, 'IV'],
  [1, 'I'],
] as const;

function roman(number: number): string {
  let left = number;
  return ROMAN.map(([value, letters]) => {
    const times = Math.floor(left / value);
    left -= times * value;
    return letters.repeat(times);
  }).join('');
}
