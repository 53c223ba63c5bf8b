import { childNamed, childrenNamed, type XmlElement } from '../../xml.ts';
import { isOn, valueOf } from '../xml.ts';
import { ListCounters, type ListLevel } from '../list-numbers.ts';
import type { Style } from './styles.ts';

/** A level of a list of Word (ECMA-376 part 1, 17.9.6). */
interface Level extends ListLevel {
  /** What separates the label from the text. */
  gap: string;
  /** The id of the style with this level. */
  style: string | undefined;
}

/** A list: its levels, its counters, which lists of one definition share, and the numbers with which the next items of levels start. */
interface List {
  levels: ReadonlyMap<number, Level>;
  counters: ListCounters;
  overrides: Map<number, number>;
}

/** The number of a paragraph, as Word shows it; empty for a bullet. */
export interface ParagraphNumber {
  label: string;
  gap: string;
  depth: number;
  isBullet: boolean;
}

/** Counts the paragraphs of lists, in document order. */
export class Numbering {
  readonly #lists = new Map<string, List>();

  /** `part` is the part `numbering.xml`; `listOf` returns the list of a numbering style. */
  constructor(part: XmlElement | undefined, listOf: (style: string) => string | undefined) {
    const definitions = new Map(childrenNamed(part, 'abstractNum').map((list) => [list.attributes['w:abstractNumId'], list]));
    const nums = new Map(childrenNamed(part, 'num').map((num) => [num.attributes['w:numId'], num]));
    const definitionOf = (num: XmlElement | undefined) => definitions.get(valueOf(childNamed(num, 'abstractNumId')) ?? '');
    const shared = new Map<XmlElement, Pick<List, 'levels' | 'counters'>>();
    for (const [id = '', num] of nums) {
      const own = definitionOf(num);
      const link = valueOf(childNamed(own, 'numStyleLink'));
      const definition = (link !== undefined && definitionOf(nums.get(listOf(link)))) || own;
      if (!definition) continue;
      if (!shared.has(definition)) shared.set(definition, { levels: levelsOf(definition), counters: new ListCounters() });
      this.#lists.set(id, withOverrides(shared.get(definition)!, childrenNamed(num, 'lvlOverride')));
    }
  }

  /** Counts a paragraph with these properties; undefined if it is in no list. */
  next(properties: XmlElement | undefined, style: Style): ParagraphNumber | undefined {
    const numPr = childNamed(properties, 'numPr');
    const list = this.#lists.get(valueOf(childNamed(numPr, 'numId')) ?? style.list ?? '');
    if (!list) return undefined;
    const linked = [...list.levels].find(([, level]) => level.style !== undefined && style.ids.includes(level.style))?.[0];
    const depth = Number(valueOf(childNamed(numPr, 'ilvl')) ?? style.level ?? linked ?? 0);
    const level = list.levels.get(depth);
    if (!level) return undefined;
    const label = list.counters.next(list.levels, depth, list.overrides.get(depth));
    list.overrides.delete(depth);
    return { label, gap: level.gap, depth, isBullet: level.format === 'bullet' };
  }
}

/** Lists of Word have nine levels; damaged files may have others. */
const LAST_LEVEL = 8;

const levelsIn = (parent: XmlElement): XmlElement[] =>
  childrenNamed(parent, 'lvl').filter(({ attributes }) => Number(attributes['w:ilvl']) <= LAST_LEVEL);

const levelsOf = (list: XmlElement): Map<number, Level> =>
  new Map(levelsIn(list).map((level) => [Number(level.attributes['w:ilvl']), levelOf(level)]));

function levelOf(level: XmlElement): Level {
  const value = (name: string): string | undefined => valueOf(childNamed(level, name));
  const text = value('lvlText') ?? `%${Number(level.attributes['w:ilvl']) + 1}.`;
  return {
    start: startOf(value('start')),
    format: childNamed(level, 'lvlPicBulletId') ? 'bullet' : (value('numFmt') ?? 'decimal'),
    label: text.split(/%(\d)/).map((part, i) => (i % 2 === 0 ? part : Number(part) - 1)),
    gap: value('suff') === 'nothing' ? '' : ' ',
    isLegal: isOn(childNamed(level, 'isLgl')),
    restart: value('lvlRestart') === undefined ? undefined : Number(value('lvlRestart')),
    style: value('pStyle'),
  };
}

/** Reads the first number of a list, up to the maximum of Word. */
function startOf(value: string | undefined): number {
  const start = Number(value ?? 1);
  return Number.isInteger(start) && start >= 0 && start <= 32_767 ? start : 1;
}

function withOverrides({ levels, counters }: Pick<List, 'levels' | 'counters'>, elements: readonly XmlElement[]): List {
  const own = new Map(levels);
  const overrides = new Map<number, number>();
  for (const element of elements) {
    for (const level of levelsIn(element)) own.set(Number(level.attributes['w:ilvl']), levelOf(level));
    const start = childNamed(element, 'startOverride');
    if (start) overrides.set(Number(element.attributes['w:ilvl']), startOf(valueOf(start)));
  }
  return { levels: own, counters, overrides };
}
