import { lastAsked } from '../../../base/asked.ts';
import { terms } from '../../../base/terms.ts';
import { hasOnlyName } from './beside.ts';
import { missingFrom, namedIn } from './names.ts';
import type { Passage } from './passages.ts';
import { figureTerms, wantedFigure } from './wanted.ts';

/** Rows of a table, or items of a list, from which on what is left out of it may be what was asked for. */
const SEVERAL = 3;

/** Whether of a table or a list several are quoted, and not all. */
function isCutShort(quoted: readonly Passage[], passages: readonly Passage[]): boolean {
  const alike = (one: Passage) => (other: Passage) => other.source === one.source && other.block === one.block && other.kind === one.kind;
  return quoted
    .filter(({ kind }) => kind === 'row' || kind === 'item')
    .some((one) => {
      const count = quoted.filter(alike(one)).length;
      return count >= SEVERAL && count < passages.filter(alike(one)).length;
    });
}

/** Whether no figure is quoted of the kind that is asked for; one in a column that is called so needs no unit. */
function lacksFigure(question: string, quoted: readonly Passage[]): boolean {
  const named = figureTerms(question);
  const isTold = ({ context, text, labels = '' }: Passage) =>
    wantedFigure(question)?.test(`${context}\n${text}`) !== false || terms(labels).some((term) => named.includes(term));
  return !quoted.some(isTold);
}

/**
 * Whether what is quoted may miss what is asked: it has no figure of the kind that is asked for, or not all names and numbers of the question; a row or an item has
 * nothing but a name; or it is a part of a table whose other rows answer as well. `passages` are those of all sources. On SQuAD 2.0 (half 1) 5 % of the quotations that
 * answer are doubted, and 13 % of those for questions that only look answerable; nothing but a name is no ground for doubt in a sentence: 95 % of those answer.
 */
export function isDoubtful(question: string, quoted: readonly Passage[], passages: readonly Passage[]): boolean {
  const [best] = quoted;
  if (!best) return false;
  const now = lastAsked(question);
  const whole = quoted.map(({ context, text }) => `${context}\n${text}`).join('\n');
  const missing = missingFrom(namedIn(now), whole);
  return (
    lacksFigure(now, quoted) ||
    missing.names.length + missing.numbers.length > 0 ||
    (best.kind !== 'sentence' && hasOnlyName(question, { best, near: quoted })) ||
    isCutShort(quoted, passages)
  );
}
