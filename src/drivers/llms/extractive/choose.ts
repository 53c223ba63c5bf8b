import { lastAsked, subjectTerms } from '../../../base/asked.ts';
import { terms } from '../../../base/terms.ts';
import { alike } from './alike.ts';
import { completing } from './completing.ts';
import { isDangling } from './dangling.ts';
import { MOST, MOST_BETWEEN, MOST_ITEMS, NEAR_THE_BEST, type Ranked } from './limits.ts';
import type { Passage } from './passages.ts';
import { isOfAnother, pairsIn, pairsOf } from './pairs.ts';
import { isStepOf, stepsOf } from './steps.ts';
import { figureTerms, wantedFigure } from './wanted.ts';

/** What is quoted together from one source, in reading order. */
export interface Quotation {
  source: number;
  passages: Passage[];
}

/** How far back a sentence that cannot stand alone is followed. */
const MOST_BEFORE = 2;

/** Without the figures of another thing (`steam pressure`), where one of what is asked for by two words (`brew pressure`) is told. */
function withoutOthers(ranked: readonly Ranked[], question: string): Ranked[] {
  const figure = wantedFigure(question);
  const measure = figureTerms(question);
  const measured = new Set([...pairsOf(lastAsked(question))].filter((pair) => measure.includes(pair.split(' ')[1]!)));
  const isTold = ranked.some(({ passage: { text } }) => figure?.test(text) && pairsIn(text, measured).size > 0);
  return ranked.filter(({ passage: { text } }) => !isTold || !isOfAnother(text, measured));
}

/** Without the rows of a table that have apart what its best row has together, as the question does. */
function withoutApart(ranked: readonly Ranked[], question: string): Ranked[] {
  const first = ranked[0]?.passage;
  if (first?.kind !== 'row') return [...ranked];
  const pairs = pairsOf(lastAsked(question));
  const own = pairsIn(first.text, pairs);
  return ranked.filter(
    ({ passage: { source, block, text } }) => source !== first.source || block !== first.block || own.isSubsetOf(pairsIn(text, pairs)),
  );
}

/** The best passages: never the same words twice, nothing far behind the best. Of equal words those that lead in to something. */
function best(passages: readonly Passage[], scores: readonly number[], question: string): Passage[] {
  const leads = new Set(passages.flatMap(({ source, lead }) => (lead === undefined ? [] : [`${source}/${lead}`])));
  const isLead = ({ source, at }: Passage) => Number(leads.has(`${source}/${at}`));
  const scored = passages.map((passage, i) => ({ passage, score: scores[i]! })).filter(({ score }) => score > 0);
  const ranked = withoutApart(
    withoutOthers(
      scored.toSorted((a, b) => b.score - a.score),
      question,
    ),
    question,
  );
  const found = new Map<string, Passage>();
  for (const { passage, score } of ranked) {
    if (score < NEAR_THE_BEST * ranked[0]!.score) break;
    const same = found.get(passage.text);
    if (same ? isLead(passage) > isLead(same) : found.size < MOST) found.set(passage.text, passage);
  }
  return withoutTold(alike(passages, ranked, question) ?? [...found.values()], question);
}

/** Without the rows whose figures a sentence gives as well, with as much of what is asked. */
function withoutTold(found: readonly Passage[], question: string): Passage[] {
  const figure = wantedFigure(question);
  if (!figure) return [...found];
  const asked = new Set(subjectTerms(question));
  const figures = (text: string) => new Set(text.match(/\p{N}+(?:[.,]\p{N}+)*/gu));
  const said = (text: string) => new Set(terms(text)).intersection(asked);
  const tells = (sentence: Passage, row: Passage) =>
    sentence.kind === 'sentence' &&
    figure.test(sentence.text) &&
    figures(sentence.text).isSubsetOf(figures(row.text)) &&
    said(row.text).isSubsetOf(said(sentence.text));
  return found.filter((passage) => passage.kind !== 'row' || !found.some((other) => tells(other, passage)));
}

/** Whether it is for its heading and not for its words that an item or a row answers: then all beside it do. */
function isForHeading({ kind, text, context }: Passage, question: string): boolean {
  const asked = subjectTerms(question);
  const held = (words: string) => {
    const own = new Set(terms(words));
    return asked.filter((term) => own.has(term)).length;
  };
  return (kind === 'item' || kind === 'row') && held(text) === 0 && 2 * held(context) > asked.length;
}

/** The places (in the source of `passage`) that have to be quoted with it, so that it can be understood. */
function companions(passage: Passage, all: readonly Passage[], question: string): number[] {
  const { at, kind, text, block } = passage;
  const places = [at];
  for (let i = at; kind === 'sentence' && i > 0 && at - i < MOST_BEFORE && isDangling(all[i]!.text) && all[i - 1]!.block === block; i--)
    places.push(i - 1);
  const isWhole = isForHeading(passage, question) || isStepOf(passage, question);
  const leads = all.filter((other) => other.lead === at || (isWhole && other.block === block)).slice(0, MOST_ITEMS);
  places.push(...leads.map((other) => other.at));
  if (passage.lead !== undefined) places.push(passage.lead);
  if (/[?？]$/.test(text) && at + 1 < all.length) places.push(at + 1);
  return places;
}

/** The places, and those of the few sentences between two of the same paragraph. */
function readingOn(places: ReadonlySet<number>, all: readonly Passage[]): Set<number> {
  const found = new Set(places);
  for (const place of places) {
    const next = Math.min(...[...places].filter((other) => other > place));
    const { block, kind } = all[place]!;
    if (next - place > 1 + MOST_BETWEEN || kind !== 'sentence' || all[next]?.block !== block) continue;
    for (let between = place + 1; between < next; between++) found.add(between);
  }
  return found;
}

/** What to quote: the best passages with what they need to be understood; the source with the best first, reading order within a source. */
export function choose(passages: readonly Passage[], scores: readonly number[], question: string): Quotation[] {
  const places = new Map<number, Set<number>>();
  const of = (source: number) => passages.filter((passage) => passage.source === source);
  for (const [rank, passage] of best(passages, scores, question).entries()) {
    const wanted = places.get(passage.source) ?? new Set();
    const all = of(passage.source);
    for (const place of companions(passage, all, question)) wanted.add(place);
    if (rank === 0) for (const place of [...completing(passage, all, question), ...stepsOf(all, question)]) wanted.add(place);
    places.set(passage.source, wanted);
  }
  return [...places].map(([source, wanted]) => {
    const all = of(source);
    const whole = readingOn(wanted, all);
    return { source, passages: all.filter(({ at }) => whole.has(at)) };
  });
}
