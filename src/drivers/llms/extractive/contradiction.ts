import { isYesOrNo } from '../../../base/asked.ts';
import { queryTerms, terms } from '../../../base/terms.ts';

/** Words that deny, in a question. */
const DENIES = /n['’]t\b|\b(?:not|never|cannot|without|non-?\w+|unable|nobody|nothing|neither|nor|least)\b/i;
/** Words that deny or leave out, in a text: it may then say what a denying question asks for. */
const LEAVES_OUT =
  /n['’]t\b|\b(?:not|never|no|none|neither|nor|without|cannot|non-?\w+|unable|nobody|nothing|fail\w*|lack\w*|refus\w*|reject\w*|prohibit\w*|except|rather than|instead of|impossible|few|little|less|\w{3,}less|only|least|den(?:y|ied))\b/i;
/** Questions in which a denial tells a circumstance («why does it not start?», «what if I cannot …»), not what is asked for. */
const CIRCUMSTANCE = /\b(?:why|if|whether|I|my|we|our)\b|\S\s+when\b/i;

/** Whether a question asks for what is not so. English. */
export const asksForDenied = (question: string): boolean => DENIES.test(question) && !CIRCUMSTANCE.test(question);

/** Whether a text says what is not so, or leaves out. English. */
export const leavesOut = (text: string): boolean => LEAVES_OUT.test(text);

/** Whether a question asks for what is not so, and a text only says what is. English. */
export const isDeniedIn = (question: string, text: string): boolean => asksForDenied(question) && !leavesOut(text);

/** `Repairs outside the warranty`: what holds outside of a thing is not what holds within. */
const BEYOND = /\boutside\s+(?:of\s+)?(?:(?:the|your|our)\s+)?(\p{L}+)/iu;

/** `What is not covered`, `Parts that we never repair`: a clause that denies. `The pump does not run` is a sign of trouble, and `Non-stick pan` a name. */
const DENYING_CLAUSE =
  /\b(?:what|which|who|whom|where|when|that)\b(?:(?!\b(?:what|which|who|whom|where|when|that)\b).)*(?:n['’]t\b|\b(?:not|never|cannot)\b)/i;
/** `Parts not covered`, `Not included`. */
const DENYING_WORD =
  /(?<!\b(?:am|is|are|was|were|be|been|do|does|did|has|have|had|can|could|will|would|may|might|must|should)\s+)\b(?:not|never)\s+(?:\w+ly\s+)?(?:\w{2,}ed|\w+[ai]ble|part|paid|valid|meant)\b/i;

/** Whether a heading, or the words that lead in to a list, deny what stands under them. English. */
export const isDenying = (heading: string, lead = ''): boolean =>
  DENYING_CLAUSE.test(heading) || DENYING_WORD.test(heading) || (DENIES.test(lead) && !CIRCUMSTANCE.test(lead));

/**
 * Whether a heading, or a lead-in, says of what stands under it that it is (1), or that it is not (-1), on the side of a question: `What is not covered` is against
 * one that asks what is; 0 where neither denies, where it has no word of the question, and where the question is one for yes or no. English.
 */
export function sideOf(question: string, heading: string, lead = ''): -1 | 0 | 1 {
  const beyond = terms(BEYOND.exec(heading)?.[1] ?? '')[0];
  if (beyond !== undefined && terms(question).includes(beyond)) return BEYOND.test(question) ? 1 : -1;
  if (!isDenying(heading, lead)) return 0;
  if (asksForDenied(question)) return 1;
  const isOfIt = new Set(queryTerms(question)).intersection(new Set(queryTerms(`${heading} ${lead}`))).size > 0;
  return isOfIt && !DENIES.test(question) && !isYesOrNo(question) ? -1 : 0;
}

/** Words of which a text has one where a question has the other: then it most likely says something else. */
const PAIRS = `increase decrease, increased decreased, rise fall, rose fell, more less, more fewer, most least, most fewest, greatest least, higher lower,
  highest lowest, high low, larger smaller, largest smallest, large small, longer shorter, longest shortest, long short, older younger, oldest youngest, old new,
  early late, earlier later, earliest latest, first last, before after, begin end, began ended, start end, started ended, start stop, north south,
  northern southern, east west, eastern western, maximum minimum, majority minority, positive negative, win lose, won lost, victory defeat, best worst,
  better worse, strong weak, stronger weaker, rich poor, above below, upper lower, inside outside, internal external, public private, male female, men women,
  man woman, father mother, son daughter, king queen, brother sister, husband wife, accept reject, accepted rejected, allow forbid, allowed forbidden,
  support oppose, supported opposed, agree disagree, create destroy, created destroyed, built destroyed, gained lost, open close, similar different,
  simple complex, easy difficult, hot cold, warm cold, fast slow, faster slower, light dark, light heavy, modern ancient, rural urban, legal illegal,
  import export, enter leave, entered left, love hate, friend enemy, often rarely, common rare, always never, left right, top bottom, front back, thin thick,
  narrow wide, cheap expensive, buy sell, bought sold, give receive, birth death, born died, true false, guilty innocent, natural artificial,
  encourage discourage, success failure, include exclude, join leave, joined left, peace war, day night, summer winter, liberal conservative, major minor,
  permanent temporary, primary secondary, active passive, attack defend, raise lower, domestic foreign, liquid gas, liquid solid, input output,
  horizontal vertical`;
/** What turns a word into its opposite, as `terms` leaves it. */
const PREFIXES = ['un', 'in', 'im', 'ir', 'il', 'dis', 'non', 'non-'];
/** Letters of a word that such a prefix may stand before. */
const LONG = 4;

const OPPOSITES = new Map<string, string[]>();
for (const pair of PAIRS.split(',')) {
  const [one = '', other = ''] = pair
    .trim()
    .split(/\s+/)
    .map((word) => terms(word)[0]);
  OPPOSITES.set(one, [...(OPPOSITES.get(one) ?? []), other]);
  OPPOSITES.set(other, [...(OPPOSITES.get(other) ?? []), one]);
}

/** Whether a text (its terms) has the opposite of a word of the question in its place. English. */
export function hasOpposite(question: string, held: ReadonlySet<string>): boolean {
  const negated = (term: string) => PREFIXES.some((prefix) => held.has(prefix + term));
  const bare = (term: string) =>
    PREFIXES.some((prefix) => term.startsWith(prefix) && term.length - prefix.length >= LONG && held.has(term.slice(prefix.length)));
  return terms(question)
    .filter((term) => !held.has(term))
    .some((term) => (OPPOSITES.get(term) ?? []).some((other) => held.has(other)) || bare(term) || (term.length >= LONG && negated(term)));
}
