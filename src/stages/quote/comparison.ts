import { alternatives, LANGUAGES } from '../../languages/languages.ts';
import { ownTerms } from '../../text/terms.ts';
import type { RankedCandidate } from './rank.ts';

/** The end of the second thing: «json and jsonb in Postgres». */
const WHERE = new RegExp(String.raw`(?<!\s)\s+(?:${alternatives(({ questions }) => questions.where)})\s.*$|(?<![?？.!])[?？.!]+$`, 'giu');

const termsOf = (thing: string): Set<string> => new Set(ownTerms(thing.replace(WHERE, '')));

/** The terms that distinguish two compared things: none and `full` for VACUUM and VACUUM FULL; undefined if nothing is compared. */
export function comparedIn(question: string): readonly [ReadonlySet<string>, ReadonlySet<string>] | undefined {
  const asked = question.trim().replace(/(?<![?？.!\s])[?？.!\s]+$/u, '');
  const patterns = LANGUAGES.flatMap(({ questions }) => questions.compares);
  const { one, other, from } = patterns.map((pattern) => pattern.exec(asked)?.groups).find(Boolean) ?? {};
  if (one === undefined) return undefined;
  const [first, second] = [termsOf(one), termsOf(other ?? from ?? '')];
  return [first.difference(second), second.difference(first)];
}

/** Whether a passage or its titles mention a thing. */
const speaksOf = ({ blocks }: RankedCandidate, thing: ReadonlySet<string>): boolean =>
  thing.size === 0 || blocks.some(({ own, context }) => [...thing].some((term) => own.has(term) || context.has(term)));

/** The best passage about the thing that the best candidate does not mention; undefined if it mentions both or none. */
export function otherSide(question: string, ranked: readonly RankedCandidate[]): RankedCandidate | undefined {
  const [best] = ranked;
  const compared = comparedIn(question);
  if (!best || !compared) return undefined;
  const missing = compared.filter((thing) => !speaksOf(best, thing));
  return missing.length === 1 ? ranked.find((candidate) => speaksOf(candidate, missing[0]!)) : undefined;
}
