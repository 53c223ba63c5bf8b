import { queryTerms, terms } from './terms.ts';

/** Terms that count as missing before any are looked at: one shared word of one says less than six of six. */
const DOUBT = 2;
/** Letters that Chinese asks and joins with: a pair of letters that holds one is no word. */
const JOINING = /[的是了在和有被个么什哪谁怎多少几何吗呢吧着于为与及其之以而所一不]/u;
const WORD = /[\p{L}\p{N}]+(?:[-.'’][\p{L}\p{N}]+)*/gu;
/** Words of German questions: there nouns have capitals, too, so that a capital makes no name. */
const GERMAN =
  /(?<!\p{L})(?:der|das|dem|wie|wer|wo|wann|warum|welche[rsnm]?|ist|sind|und|ein|eine[rsnm]?|für|nicht|kann|muss|wird|werden|hat|haben)(?!\p{L})/u;

/** Whether capitals of a question tell names from other words. */
export const capitalsTell = (question: string): boolean => !GERMAN.test(question);

/** The telling terms of a question whose words have a capital though they do not begin it; none where capitals do not tell. */
export function capitalTerms(question: string): Set<string> {
  if (!capitalsTell(question)) return new Set();
  const [, ...rest] = Array.from(question.matchAll(WORD), ([word]) => word);
  const telling = new Set(queryTerms(question));
  const capitals = rest.filter((word) => /^\p{Lu}/u.test(word)).flatMap((word) => terms(word).slice(0, 1));
  return new Set(capitals.filter((term) => telling.has(term)));
}

/** How many of a question's terms a text holds: m of n give m / (n + 2), 0 to 1. A word with a capital counts `capital` times. */
export function wordShare(question: string, text: string, { capital = 1 }: { capital?: number } = {}): number {
  const wanted = new Set(queryTerms(question).filter((term) => !JOINING.test(term)));
  const capitals = capital === 1 ? undefined : capitalTerms(question);
  const held = new Set(terms(text));
  let [found, all] = [0, 0];
  for (const term of wanted) {
    const count = capitals?.has(term) ? capital : 1;
    all += count;
    if (held.has(term)) found += count;
  }
  return found / (all + DOUBT);
}
