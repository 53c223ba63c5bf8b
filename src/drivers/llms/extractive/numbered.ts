import { terms } from '../../../base/terms.ts';

/** A thing that is told from its like by a number behind what it counts through: `series 7`. */
export interface Numbered {
  /** A term, as `terms` makes it. */
  label: string;
  /** In digits. */
  number: string;
}

/** What things are counted through by: behind these words a number is a name, however short it is. */
const LABELS = new Set(
  terms(
    `series model version type class chapter section page step level phase stage article rule unit volume part generation mark revision release edition
    episode season gate room floor track zone grade category tier option slot port channel figure table appendix annex paragraph clause lot batch group
    platform terminal schedule exhibit form reihe serie baureihe modell typ klasse kapitel abschnitt seite schritt stufe phase artikel
    band teil generation ausgabe folge staffel raum etage zone gruppe tabelle anhang absatz série modèle chapitre page étape niveau article`,
  ),
);
/** What the items of a list with numbers are called by those who ask for one. */
const STEPS = [...new Set(terms('step schritt étape'))];
const STEP = /^[^\S\n\r\u2028\u2029]*(\d{1,3})[.)]\s/gm;

const TOKEN = /[\p{L}\p{N}]+(?:\.\d+)*|[-–,&/]/gu;
const NUMBER = /^\d{1,3}$/;
const DOTTED = /^\d{1,3}(?:\.\d+)+$/;
const JOINS = /^(?:and|or|to|through|und|oder|bis|et|ou|à|y|o|e|[-–,&/])$/i;
const SPANS = /^(?:to|through|bis|à|[-–])$/i;
const WRITTEN = new Map(
  'one two three four five six seven eight nine ten eleven twelve'
    .split(' ')
    .flatMap((word, i) => [
      [word, i + 1] as const,
      [['I', 'II', 'III', 'IV', 'V', 'VI', 'VII', 'VIII', 'IX', 'X', 'XI', 'XII'][i]!, i + 1] as const,
    ]),
);
/** Numbers that a span is read out to: a longer one is a range of something else. */
const LONGEST_SPAN = 100;

/** The number that a token is, in digits. */
const numberOf = (token: string | undefined): string | undefined =>
  token === undefined
    ? undefined
    : NUMBER.test(token)
      ? token
      : WRITTEN.get(/^[IVX]+$/.test(token) ? token : token.toLowerCase())?.toString();

/** The tokens that stand for numbers behind the label at `label`, each with the one before it: `7`, `-7`, `5, 7 and 9`, `5 to 9`. */
function behind(tokens: readonly string[], label: number): { token: string; before: string | undefined }[] {
  const found: { token: string; before: string | undefined }[] = [];
  for (let i = label + (tokens[label + 1] === '-' ? 2 : 1); i < tokens.length; i++) {
    const token = tokens[i]!;
    if (numberOf(token) !== undefined || DOTTED.test(token)) found.push({ token, before: tokens[i - 1] });
    else if (found.length === 0 || !JOINS.test(token)) break;
  }
  return found;
}

/** The labels of a text, with where they stand among its tokens. */
const labelled = (tokens: readonly string[]): { label: string; at: number }[] =>
  tokens.flatMap((token, at) => {
    const [label = ''] = terms(token);
    return LABELS.has(label) ? [{ label, at }] : [];
  });

/** The numbered things of a question; a span is no more than its ends, and one letter no number: «the model I bought». */
export function numberedIn(question: string): Numbered[] {
  const tokens = question.match(TOKEN) ?? [];
  const found = labelled(tokens).flatMap(({ label, at }) =>
    behind(tokens, at)
      .map(({ token }) => (/^[IVX]$/.test(token) ? undefined : numberOf(token)))
      .filter((number) => number !== undefined)
      .map((number) => [`${label} ${number}`, { label, number }] as const),
  );
  return [...new Map(found).values()];
}

/** The numbers that tokens behind a label are, with those between the ends of a span and the first of `2.3.1`. */
function numbersOf(tokens: ReturnType<typeof behind>): string[] {
  const found: string[] = [];
  for (const { token, before = '' } of tokens) {
    const number = numberOf(token) ?? token.split('.')[0]!;
    const [first, last] = [Number(found.at(-1)), Number(number)];
    if (SPANS.test(before) && last > first && last - first <= LONGEST_SPAN)
      for (let between = first + 1; between < last; between++) found.push(String(between));
    found.push(number);
  }
  return found;
}

/** Tells of numbered things whether a text has them: behind their label, in a list, within a range, in front of it, or as a step of several. */
export function numberedHolder(text: string): (thing: Numbered) => boolean {
  const tokens = text.match(TOKEN) ?? [];
  const held = new Set<string>();
  for (const { label, at } of labelled(tokens)) {
    for (const number of numbersOf(behind(tokens, at))) held.add(`${label} ${number}`);
    const before = numberOf(tokens[at - 1]);
    if (before !== undefined) held.add(`${label} ${before}`);
  }
  for (const [, number] of text.matchAll(STEP)) for (const label of STEPS) held.add(`${label} ${number}`);
  return ({ label, number }) => held.has(`${label} ${number}`);
}
