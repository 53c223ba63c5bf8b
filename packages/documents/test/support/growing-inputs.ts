/** Builds a text of about `length` characters whose size grows with it. */
export type Growing = (length: number) => string;

interface Item {
  /** Source of a single character: a class, an escape, a letter. */
  single?: string;
  group?: { options: Item[][]; isAssertion: boolean };
  min: number;
  max: number;
}

const GENERIC = [
  ...' ,;.:!?()[]{}<>"\'`*_~#-+/\\|=&@$%^',
  ...'1aAéß中\n\t\u00a0。«“',
  ...' \n|\n |\n\n|a |a, |, |. |a. |1 |1, |1.|1-|a-|a_|a1|A. |- |> |# |\r\n|a b |a\n|. A|? |! |... '.split('|'),
  ...'[1]·[1·[1, ·[a](·![·](·[[·<a ·<a·</a·<!--·-->·&a·&#1·a@·a=·a="·="a" ·"a·| ·|-'.split('·'),
  ...'http://·a/·../·**·**a·`a`·``·~~~·\n```·\n- ·\n1. ·\n| ·\n# ·\n> ·{{·}}·\\(·$$·<?·]]'.split('·'),
  ...'and · and what ·und ·what is ·it '.split('·'),
];

/** What ends a text, so that an expression that has read the repetitions fails behind them. */
const BEHIND = ['', '\u0001'];

/** Texts that grow by what people and programs repeat: blanks, marks, figures, letters, lines, words, markup. */
export const genericInputs: readonly Growing[] = GENERIC.flatMap((unit) =>
  [
    { before: '', behind: '\u0001' },
    { before: 'x', behind: 'x' },
  ].map((around) => repeating(unit, around)),
);

/** Each of these repetitions alone. */
export const repeatedInputs: readonly Growing[] = GENERIC.map((unit) => repeating(unit, { before: '', behind: '' }));

function repeating(unit: string, { before, behind }: { before: string; behind: string }): Growing {
  return (length) => before + unit.repeat(Math.max(1, Math.ceil((length - before.length) / unit.length))) + behind;
}

/** Texts that grow where the regular expression itself may repeat: what comes before that place, its body many times, and what does not match. */
export function inputsFor(regex: RegExp): Growing[] {
  const options = parse(regex.source, regex.flags);
  const found = new Map<string, Growing>();
  const add = (before: string, unit: string) => {
    if (unit === '') return;
    for (const behind of BEHIND) found.set(JSON.stringify([before, unit, behind]), repeating(unit, { before, behind }));
  };
  walk(options, { before: '', add, flags: regex.flags });
  return [...found.values()];
}

/** Whether the expression repeats anything without a bound: where it does not, it looks at a bounded number of characters from each place. */
export const repeats = (regex: RegExp): boolean => parse(regex.source, regex.flags).some((items) => items.some(isRepeated));

const isRepeated = ({ max, group }: Item): boolean => max >= MANY || (group?.options.some((items) => items.some(isRepeated)) ?? false);

interface Walk {
  before: string;
  add: (before: string, unit: string) => void;
  flags: string;
}

/** From how many repetitions a quantifier counts as unbounded. */
const MANY = 40;

function walk(options: readonly Item[][], { before, add, flags }: Walk): void {
  for (const items of options) {
    let lead = before;
    for (const item of items) {
      if (item.group) walk(item.group.options, { before: lead, add, flags });
      if (item.max >= MANY) {
        for (const body of witnesses(item, flags)) {
          add(lead, body);
          add('', lead + body);
          add(`${lead}${body}`, lead);
        }
      }
      lead += witnesses(item, flags)[0]!.repeat(item.min);
    }
    add('', lead);
  }
}

const CANDIDATES = [...'a 1,\n.<[("-:A中'];
const ASTRAL = '😀';

/** What was found already, by item and by character class. */
const witnessesOf = new WeakMap<Item, string[]>();
const charactersOf = new Map<string, string[]>();

/** Some texts that match the item once. */
function witnesses(item: Item, flags: string): string[] {
  const known = witnessesOf.get(item);
  if (known) return known;
  const { single, group } = item;
  const made = group
    ? group.options.slice(0, group.isAssertion ? 0 : 6).map((items) => witnessOf(items, flags))
    : characters(single!, flags.replace(/[gy]/g, ''));
  const found = made.length > 0 ? made : [''];
  witnessesOf.set(item, found);
  return found;
}

/** Some characters that match a class, an escape or a letter. */
function characters(single: string, flags: string): string[] {
  const key = `${single} ${flags}`;
  const known = charactersOf.get(key);
  if (known) return known;
  const matching = new RegExp(`^(?:${single})$`, flags);
  const first = (): string[] => {
    const other = Array.from({ length: 0x3100 }, (_, code) => String.fromCharCode(code)).find((candidate) => matching.test(candidate));
    return other !== undefined ? [other] : matching.test(ASTRAL) ? [ASTRAL] : [];
  };
  const candidates = CANDIDATES.filter((candidate) => matching.test(candidate)).slice(0, 4);
  const found = candidates.length > 0 ? candidates : first();
  charactersOf.set(key, found);
  return found;
}

const witnessOf = (items: readonly Item[], flags: string): string =>
  items.map((item) => witnesses(item, flags)[0]!.repeat(item.min)).join('');

/** What of a regular expression repeats and what stands before it; assertions match nothing, references are empty. */
function parse(source: string, flags: string): Item[][] {
  let at = 0;
  const take = (pattern: RegExp): string | undefined => {
    const sticky = new RegExp(pattern.source, 'y');
    sticky.lastIndex = at;
    const found = sticky.exec(source)?.[0];
    if (found !== undefined) at += found.length;
    return found;
  };
  const quantified = (item: Omit<Item, 'min' | 'max'>): Item => {
    const mark = take(/[*+?]\??|\{\d+(?:,\d*)?\}\??/) ?? '';
    if (mark.startsWith('*')) return { ...item, min: 0, max: Infinity };
    if (mark.startsWith('+')) return { ...item, min: 1, max: Infinity };
    if (mark.startsWith('?')) return { ...item, min: 0, max: 1 };
    const [, min = '1', comma, max] = /^\{(\d+)(,?)(\d*)\}/.exec(mark) ?? [];
    return { ...item, min: Number(min), max: comma ? (max ? Number(max) : Infinity) : Number(min) };
  };
  const atom = (): Item | undefined => {
    if (take(/\\[bB]|[\^$]/) !== undefined) return undefined;
    const opening = take(/\((?:\?(?:[:=!]|<[=!]|<\w+>|[a-z-]+:))?/);
    if (opening !== undefined) {
      const group = { options: alternatives(), isAssertion: /^\(\?<?[=!]/.test(opening) };
      at++;
      return quantified({ group });
    }
    const single =
      take(/\[(?:\\[^]|[^\]\\])*\]/) ??
      take(/\\(?:[pP]\{[^}]*\}|u\{[^}]*\}|u[\da-fA-F]{4}|x[\da-fA-F]{2}|c[A-Z])/) ??
      take(/\\(?:k<\w+>|[1-9]\d*)/) ??
      take(/\\?[^]/)!;
    const isReference = /^\\(?:k<|[1-9])/.test(single);
    return quantified(isReference ? { group: { options: [[]], isAssertion: true } } : { single: astral(single) });
  };
  const astral = (single: string): string => {
    if (!flags.includes('u') || !/^[\ud800-\udbff]$/.test(single)) return single;
    return single + source[at++];
  };
  const alternatives = (): Item[][] => {
    const options: Item[][] = [[]];
    while (at < source.length && source[at] !== ')') {
      if (source[at] === '|') {
        at++;
        options.push([]);
        continue;
      }
      const item = atom();
      if (item) options.at(-1)!.push(item);
    }
    return options;
  };
  return alternatives();
}
