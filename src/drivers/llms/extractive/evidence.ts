import { isYesOrNo, lastAsked, tellingTerms } from '../../../base/asked.ts';
import { terms } from '../../../base/terms.ts';
import { capitalTerms, wordShare } from '../../../base/word-share.ts';
import type { GroundingSource } from '../../../ports/models.ts';
import { hasOnlyName } from './beside.ts';
import { hasOpposite, isDeniedIn } from './contradiction.ts';
import { isUncounted } from './counting.ts';
import { identifierHolder, identifiersOf } from './identifiers.ts';
import { missingFrom, namedIn } from './names.ts';
import type { Passage } from './passages.ts';
import { isUnpriced, wantedFigure } from './wanted.ts';

/** What speaks for and against the best passage as an answer. What is missing or against it is 1, else 0. */
export interface Evidence {
  /** The greatest cosine of a passage to the question; undefined where meaning was not compared. */
  nearest: number | undefined;
  /** `wordShare` of the source; where meaning was compared, with capitals counted twice. */
  words: number;
  /** A word with a capital is not in the source. */
  capital: number;
  /** A name of the question stands neither in the passage nor around it. */
  name: number;
  /** The same for a number, a year or a code. */
  number: number;
  /** The question asks for what is not so; the passage says what is. */
  denied: number;
  /** The passage has the opposite of a word of the question. */
  opposite: number;
  /** A name, a number, a code or a numbered thing of the question stands in none of the sources. */
  absent: number;
  /** The passage has the name of what is asked about, and no word of what is asked. */
  onlyName: number;
  /** The question is answered with yes or no. */
  yesOrNo: number;
  /** The passage has no figure of the kind that is asked for, nor has what stands around it. */
  noFigure: number;
  /** The question asks how many there are, and neither the passage nor what stands around it gives a number of them. */
  uncounted: number;
  /** The question asks what something costs, and none of the sources names an amount of money. */
  unpriced: number;
}

/** Where the best passage stands. */
export interface Place {
  best: Passage;
  /** All passages, of every source. */
  passages: readonly Passage[];
  /** What the passages were taken from, in their numbering. */
  sources: readonly GroundingSource[];
  nearest: number | undefined;
}

/** How much a word with a capital counts, beside 1 for one of the others, where meaning is compared: a name that is missing says more. */
const CAPITAL = 2;

const wholeOf = ({ title, text }: GroundingSource): string => `${title}\n${text}`;

/** Looks at the best passage of the sources for what speaks for and against it. */
export function evidenceOf(question: string, { best, passages, sources, nearest }: Place): Evidence {
  const near = passages.filter(({ source: from, at }) => from === best.source && Math.abs(at - best.at) <= 1);
  const around = [best.context, ...near.map(({ text }) => text)].join('\n');
  const missing = missingFrom(namedIn(question), around);
  const all = sources.map(wholeOf).join('\n');
  const absent = missingFrom(missing, all);
  const hasIdentifier = identifierHolder(all);
  const unknown = identifiersOf(question).filter((identifier) => !hasIdentifier(identifier));
  const now = lastAsked(question);
  const whole = wholeOf(sources[best.source]!);
  const held = new Set(terms(whole));
  return {
    nearest,
    words: wordShare(question, whole, { capital: nearest === undefined ? 1 : CAPITAL, wanted: tellingTerms(question) }),
    capital: Number([...capitalTerms(question)].some((term) => !held.has(term))),
    name: Number(missing.names.length > 0),
    number: Number(missing.numbers.length > 0),
    denied: Number(isDeniedIn(now, `${best.context}\n${best.text}`)),
    opposite: Number(hasOpposite(now, new Set(terms(best.text)))),
    onlyName: Number(hasOnlyName(question, { best, near })),
    yesOrNo: Number(isYesOrNo(now)),
    noFigure: Number(wantedFigure(now)?.test(around) === false),
    absent: Number(absent.names.length + absent.numbers.length + unknown.length > 0),
    uncounted: Number(isUncounted(now, around)),
    unpriced: Number(isUnpriced(now, all)),
  };
}
