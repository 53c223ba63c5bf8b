import type { ChatResult } from '../../schema/answers.ts';
import type { GoldenQuestion, GoldPassage, Verdict } from '../../schema/evaluation.ts';
import type { RetrievedItem } from '../../schema/items.ts';

/** Maximum words of a right answer. */
const MAX_ANSWER_WORDS = 150;

/** Normalizes a text for comparison: no Markdown marks, lower case, plain quotes and dashes, single spaces. */
function normalize(text: string): string {
  return text
    .normalize('NFKC')
    .replace(/!?\[([^\][]*)\]\([^()\s]*\)/g, '$1')
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&amp;', '&')
    .replace(/[‘’‚′]/g, "'")
    .replace(/[“”„″«»]/g, '"')
    .replace(/[‐-―−]/g, '-')
    .replace(/[`*\\|#\u00ad]/g, ' ')
    .replace(/(?<![a-z0-9_])_|_(?![a-z0-9_])/gi, '')
    .replace(/\s+/g, ' ')
    .trim()
    .toLowerCase();
}

/** Normalizes a text and removes spaces and hyphens, since PDFs break lines and words. */
const condense = (text: string): string => normalize(text).replace(/[\s-]/g, '');

/** Whether a normalized text contains a phrase: words, a number, or a regular expression between slashes. */
function containsPhrase(text: string, given: string | number): boolean {
  const phrase = String(given);
  return /^\/.+\/$/s.test(phrase) ? new RegExp(phrase.slice(1, -1), 'i').test(text) : containsWords(text, normalize(phrase));
}

/** Scripts without spaces between words. */
const UNSPACED = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]/u;

/** Whether a text contains words that do not continue before or after them: `450` is not in `1,450`, `cat` not in `category`. */
function containsWords(text: string, phrase: string): boolean {
  for (let at = text.indexOf(phrase); at >= 0; at = text.indexOf(phrase, at + 1)) {
    const end = at + phrase.length;
    if (!continues(text.slice(Math.max(0, at - 2), at), phrase.slice(0, 2)) && !continues(phrase.slice(-2), text.slice(end, end + 2)))
      return true;
    if (phrase === '') return true;
  }
  return false;
}

/** Whether a word or number continues between two texts. */
function continues(left: string, right: string): boolean {
  const [last, first] = [[...left].at(-1) ?? '', [...right][0] ?? ''];
  if (/\p{N}[.,]$/u.test(left) && /\p{N}/u.test(first)) return true;
  if (/\p{N}$/u.test(left) && /^[.,]\p{N}/u.test(right)) return true;
  return /[\p{L}\p{M}\p{N}]/u.test(last) && /[\p{L}\p{M}\p{N}]/u.test(first) && !UNSPACED.test(last) && !UNSPACED.test(first);
}

const isSource = (source: unknown, expected: string): boolean => source === expected || String(source).endsWith(`/${expected}`);

function isGold(
  { text, metadata, also_in = [] }: Pick<RetrievedItem, 'text' | 'metadata' | 'also_in'>,
  { source, file, heading, needle }: GoldPassage,
): boolean {
  if (![metadata['source'], ...also_in].some((stored) => isSource(stored, (source ?? file)!))) return false;
  if (needle !== undefined) return condense(text).includes(condense(needle));
  if (!heading) return true;
  const { headings = [] } = (metadata['location'] ?? {}) as { headings?: string[] };
  return headings.some((title) => normalize(title) === normalize(heading));
}

/** Finds the rank of the first gold passage among the hits, from 1; 0 if none is found; undefined for a question without gold passages. */
export function findGoldRank({ gold = [] }: GoldenQuestion, items: readonly RetrievedItem[]): number | undefined {
  if (gold.length === 0) return undefined;
  return 1 + items.findIndex((item) => gold.some((passage) => isGold(item, passage)));
}

/** Lists the sources of gold passages that are not stored. */
export function missingSources(questions: readonly GoldenQuestion[], stored: readonly string[]): string[] {
  const named = new Set(questions.flatMap(({ gold = [] }) => gold.map(({ source, file }) => (source ?? file)!)));
  return [...named].filter((expected) => !stored.some((source) => isSource(source, expected)));
}

/** Whether the answer was declined: nothing is cited, and there is no text or no high confidence. */
const isDeclined = ({ answer, sources, answer_confidence: { level } }: ChatResult): boolean =>
  !sources.some(({ cited }) => cited) && (answer === '' || level !== 'high');

/**
 * Judges an answer. `right`: it has a phrase of every group of `must` and none of `must_not`, in at most 150 words. `partly`: it has some groups,
 * or is too long. An answer to an unanswerable question is `wrong`. Undefined for an answer to a question without `must`.
 */
export function judgeAnswer({ answerable = true, must = [], must_not = [] }: GoldenQuestion, result: ChatResult): Verdict | undefined {
  if (isDeclined(result)) return 'declined';
  if (!answerable) return 'wrong';
  if (must.length === 0) return undefined;
  const bare = result.answer.replace(/\s?\[\d+\](?!\()/g, '');
  const text = normalize(bare);
  const met = must.filter((group) => group.some((phrase) => containsPhrase(text, phrase))).length;
  if (met === 0 || must_not.some((phrase) => containsPhrase(text, phrase))) return 'wrong';
  const words = bare.split(/\s+/).filter(Boolean).length;
  return met === must.length && words <= MAX_ANSWER_WORDS ? 'right' : 'partly';
}
