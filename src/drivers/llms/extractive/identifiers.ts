import { terms } from '../../../base/terms.ts';

/** What a question tells from its like: by a code (`E05`, `OV-250`, `2.3.1`), or by a number behind what it counts through (`series 7`). */
export type Identifier = { code: string } | { label: string; number: string };

const WORD = /[\p{L}\p{N}]+(?:[-_.]+[\p{L}\p{N}]+)*/gu;
/** `16th`, `1990s`, `90km`, `3.5mm`: numbers of ordinary language. */
const AMOUNT = /^\d+(?:\.\d+)?\p{Ll}{1,3}$/u;
const VERSION = /^\d+(?:\.\d+){2,}$/;
/** `20-year`, `mid-1990s`: a number beside a word. */
const COMPOUND = /(?:^|[-_.])(?:\p{Lu}?\p{Ll}{3,}|\d+(?:s|st|nd|rd|th))(?:$|[-_.])/u;

const isCode = (word: string): boolean =>
  VERSION.test(word) || (/\p{L}/u.test(word) && /\d/.test(word) && !AMOUNT.test(word) && !COMPOUND.test(word));

/** What things are counted through by: behind these words a number is a name, however short it is. */
const LABELS = new Set(
  terms(
    `series model version type class chapter section page step level phase stage article rule unit volume part generation mark revision release edition
    episode season gate room floor track zone grade category tier option slot port channel figure table appendix annex paragraph clause lot batch group
    platform terminal schedule exhibit form reihe serie baureihe modell typ klasse kapitel abschnitt seite schritt stufe phase artikel
    band teil generation ausgabe folge staffel raum etage zone gruppe tabelle anhang absatz série modèle chapitre page étape niveau article`,
  ),
);
const TOKEN = /[\p{L}\p{N}]+(?:\.\d+)*|[-–,&/]/gu;
const NUMBER = /^\d{1,3}$/;
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

/** The numbers that stand behind the label at `label`: `7`, `-7`, `5, 7 and 9`, `5 to 9`. */
function numbersBehind(tokens: readonly string[], label: number): string[] {
  const found: string[] = [];
  for (let i = label + (tokens[label + 1] === '-' ? 2 : 1); i < tokens.length; i++) {
    const number = numberOf(tokens[i]);
    if (number === undefined && (found.length === 0 || !JOINS.test(tokens[i]!))) break;
    if (number === undefined) continue;
    const [first, last] = [Number(found.at(-1)), Number(number)];
    if (SPANS.test(tokens[i - 1] ?? '') && last > first && last - first <= LONGEST_SPAN)
      for (let between = first + 1; between < last; between++) found.push(String(between));
    found.push(number);
  }
  return found;
}

/** The codes and the numbered things of a question. */
export function identifiersOf(question: string): Identifier[] {
  const codes = Array.from(question.matchAll(WORD), ([word]) => word).filter(isCode);
  const tokens = question.match(TOKEN) ?? [];
  const labelled = tokens.flatMap((token, i) => {
    const [label = ''] = terms(token);
    return LABELS.has(label) ? numbersBehind(tokens, i).map((number) => ({ label, number })) : [];
  });
  return [...new Set(codes)].map((code): Identifier => ({ code })).concat(labelled);
}

/** Whether a text has it: a code however its parts are set apart (`OV-250`, `OV 250`), a number behind its label, in a list or within a range. */
export function holds(text: string, identifier: Identifier): boolean {
  if ('code' in identifier) {
    const parts = identifier.code.replace(/^v(?=\d)/i, '').match(/\p{L}+|\d+/gu) ?? [];
    return new RegExp(`(?<![\\p{L}\\p{N}]|\\d\\.)v?${parts.join('[-_.\\s]?')}s?(?![\\p{L}\\p{N}]|\\.\\d)`, 'iu').test(text);
  }
  const { label, number } = identifier;
  const tokens = text.match(TOKEN) ?? [];
  return tokens.some(
    (token, i) => terms(token)[0] === label && (numbersBehind(tokens, i).includes(number) || numberOf(tokens[i - 1]) === number),
  );
}

/** The code that a row of a table or an item of a list is about: the only thing in its first cell. */
export function codeOf(cell: string): string | undefined {
  const word = cell.trim();
  return isCode(word) && !/\s/.test(word) ? word.toLowerCase() : undefined;
}
