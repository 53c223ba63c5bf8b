import { countWords, type QuoteBlock, readQuoteBlocks, TITLE_SEPARATOR } from './quote-blocks.ts';
import { yieldToEventLoop } from '../../core/concurrency.ts';
import { terms } from '../../text/terms.ts';
import { plainText, withoutMarks } from '../../text/markdown/plain-text.ts';
import { alternatives, wholeWord } from '../../languages/languages.ts';
import { asksListing, lastQuestion, subjectTerms } from '../../languages/question.ts';
import type { Embedder, GroundingSource } from '../../ports/models.ts';
import { type Comparison, createComparison } from '../../text/comparison.ts';
import { comparedSubjects, createTimeCheck, definedTerms, introduces } from './answer-type.ts';
import { growPassage, isListStep, renderPassage, type QuotedPassage } from './passages.ts';

/** Maximum share of the headings in the words of a passage. */
const MAX_HEADING_SHARE = 1 / 3;

/** Writes the path of a passage in one line. If it is too long, the middle titles are omitted, then the first, then the end of the last. */
function headingOf(path: readonly string[], room: number): string {
  const titles = path.map((title) => plainText(title).replace(/\s+/g, ' ')).filter(Boolean);
  const most = Math.floor(room * MAX_HEADING_SHARE);
  const choices = [titles, [...titles.slice(0, 1), '…', ...titles.slice(-1)], ['…', ...titles.slice(-1)]];
  const fitting = choices.map((some) => some.join(TITLE_SEPARATOR)).find((line) => countWords(line) <= most);
  if (fitting !== undefined) return fitting;
  const words = titles.at(-1)!.split(' ');
  return `${words.slice(0, most - 1).join(' ')} …`;
}

/** A candidate for quoting, around its best block. */
export interface RankedCandidate {
  seed: QuoteBlock;
  blocks: readonly QuoteBlock[];
  /** Cosine of the question and the seed with its path; undefined without an embedder. */
  cosine: number | undefined;
  /** Share of the question's words in the blocks and their context, 0 to 1. */
  share: number;
  /** Whether the question asks for a definition and the seed introduces the thing. */
  isIntroduction: boolean;
  score: number;
}

interface RankPassagesOptions {
  sources: readonly GroundingSource[];
  compare?: Comparison | undefined;
  /** Maximum words of a passage with its path. */
  words: number;
  signal?: AbortSignal | undefined;
}

/**
 * score = cosine + SHARE · share + RETRIEVED · the passage's retrieval score + the bonus for the kind of question. The weights come from listwise
 * regression on the development questions of real documentation, rounded; SHARE from manuals of other projects. `docs/benchmarks.md` has what each
 * part is worth.
 */
const SHARE = 0.6;
const RETRIEVED = 0.5;

/** Bonus for questions about a default or a limit: for a block that mentions a default, and for one with a value. */
const DEFAULT = 0.45;
const VALUE = 0.4;

/** Bonus for questions about a time or a period: for a block with one. */
const TIME = 0.2;

/** Penalty of a listing if none is asked for, larger than the usual difference of two passages on one subject. */
const LISTING = 0.4;

/** Bonus for definition questions: for the introduction of the page or section. */
const INTRODUCTION = 0.4;

/** Penalty of an option that is a special case of another one, of which the question says nothing: `--exclude-tag` beside `--exclude`. */
const SPECIAL_CASE = 0.1;

/** Bonus of the entry of an option that the question names: "What does grep -c do?". */
const NAMED_OPTION = 0.4;

/** Options of commands in a text, without their arguments: `-c`, `--max-time`. */
export const optionsIn = (text: string): Set<string> =>
  new Set(text.match(/(?<![\w-])(?:--[a-z][a-z\d]*(?:-[a-z\d]+)*|-[A-Za-z\d])(?![\w-])/g) ?? []);

/** Returns a function that tells whether a block defines an option that is a special case of another one. */
function createSpecialCaseCheck(blocks: readonly QuoteBlock[], wanted: ReadonlySet<string>): (block: QuoteBlock) => boolean {
  const optionsOf = ({ term }: QuoteBlock): string[] => [...optionsIn(term)].filter((option) => option.startsWith('--'));
  const all = new Set(blocks.filter(({ kind }) => kind !== 'term').flatMap(optionsOf));
  const isSpecial = (option: string): boolean =>
    all
      .values()
      .some(
        (base) => option.startsWith(`${base}-`) && terms(option.slice(base.length).replaceAll('-', ' ')).every((word) => !wanted.has(word)),
      );
  return (block) => {
    const options = optionsOf(block);
    return options.length > 0 && options.every(isSpecial);
  };
}

const ASKS_VALUE = wholeWord(alternatives(({ questions }) => questions.values));
const HAS_VALUE = /\d|\b(?:true|false|none|null|on|off|yes|no|one|two|three|four|five|six|seven|eight|nine|ten|infinity|unlimited)\b/i;

/** Composes the text of a block that is compared with the question: titles, then its words. */
function comparableText({ path, term, kind, header, text }: QuoteBlock): string {
  const above = [...path, kind === 'term' ? '' : withoutMarks(term)].filter(Boolean).join(' > ');
  const columns = header === '' ? '' : `${withoutMarks(header.split('\n')[0]!)}: `;
  return `${above}: ${columns}${withoutMarks(text)}`;
}

/** Computes the share of the question's words in the blocks and their context. */
function shareOf(blocks: readonly QuoteBlock[], wanted: ReadonlySet<string>): number {
  const isHeld = (term: string) => blocks.some(({ own, context }) => own.has(term) || context.has(term));
  return [...wanted].filter(isHeld).length / Math.max(1, wanted.size);
}

/** A default in code or quotes: "Default: `'info'`". */
const QUOTED_DEFAULT = /\bdefaults?(?: value)?(?:\s*[:=(]|\s+(?:is|to|of|are))\s*["'`«“]/i;

/** Returns a function that computes the bonus or penalty of a block for the kind of question. */
function createFitness(question: string): (block: QuoteBlock, source: GroundingSource) => number {
  const [asksValue, isListed] = [ASKS_VALUE.test(question), asksListing(question)];
  const answersTime = createTimeCheck(question);
  return ({ text }, { page_kind }) => {
    const value = asksValue ? (/\bdefault/i.test(text) ? DEFAULT : 0) + (HAS_VALUE.test(text) || QUOTED_DEFAULT.test(text) ? VALUE : 0) : 0;
    const time = answersTime?.(text) ? TIME : 0;
    return value + time - (page_kind !== undefined && !isListed ? LISTING : 0);
  };
}

/** Ranks the passages, best first; of overlapping ones only the best. */
export async function rankPassages(query: string, blocks: readonly QuoteBlock[], options: RankPassagesOptions): Promise<RankedCandidate[]> {
  const wanted = new Set(subjectTerms(query));
  const takeTurns = yieldToEventLoop(options.signal);
  const eachInTurn = async <Item, Result>(items: readonly Item[], work: (item: Item) => Result): Promise<Result[]> => {
    const results: Result[] = [];
    for (const item of items) {
      await takeTurns();
      results.push(work(item));
    }
    return results;
  };
  const cosines = await options.compare?.(await eachInTurn(blocks, comparableText));
  const question = lastQuestion(query);
  const fitness = createFitness(question);
  const isSpecialCase = createSpecialCaseCheck(blocks, wanted);
  const meaning = definedTerms(question);
  const namedOptions = optionsIn(question);
  const scores = new Map(blocks.map((block, i) => [block, (cosines?.[i] ?? 0) + shareOf([block], wanted)]));
  const bySource = Map.groupBy(blocks, ({ source }) => source);
  const seeds = [...blocks.entries()].filter(([, { isRetrieved, kind }]) => isRetrieved && kind !== 'term');
  const candidates = await eachInTurn(seeds, ([i, seed]): RankedCandidate => {
    const room = options.words - countWords(headingOf(seed.path, options.words));
    const grown = growPassage(bySource.get(seed.source)!, seed, { room, gainOf: (block) => scores.get(block)! });
    const share = shareOf(wanted.size > 1 ? grown : [seed], wanted); // for a single word, the blocks around the seed say nothing
    const cosine = cosines?.[i];
    const isIntroduction = meaning !== undefined && introduces(seed, meaning);
    const score =
      (cosine ?? 0) +
      RETRIEVED * (options.sources[seed.source]!.score ?? 0) +
      SHARE * share +
      (isIntroduction ? INTRODUCTION : 0) -
      (isSpecialCase(seed) ? SPECIAL_CASE : 0) +
      (namedOptions.size === 0 || optionsIn(seed.term).isDisjointFrom(namedOptions) ? 0 : NAMED_OPTION) +
      fitness(seed, options.sources[seed.source]!);
    return { seed, blocks: grown, cosine, share, isIntroduction, score };
  });
  return dropRepetitions(candidates.toSorted((a, b) => b.score - a.score || scores.get(b.seed)! - scores.get(a.seed)!));
}

/** Minimum words of a block that counts as a repetition in another section: "Added in: v0.3.4" occurs often. */
const MIN_REPETITION_WORDS = 8;

const wordingOf = ({ text, words, path }: QuoteBlock): string => (words < MIN_REPETITION_WORDS ? [...path, text].join('\n') : text);

/** Removes candidates that share or repeat a block of a better one. */
function dropRepetitions(candidates: readonly RankedCandidate[]): RankedCandidate[] {
  const seen = new Set<string>();
  return candidates.filter(({ blocks }) => {
    const wordings = blocks.map(wordingOf);
    const isNew = !wordings.some((wording) => seen.has(wording));
    for (const wording of wordings) seen.add(wording);
    return isNew;
  });
}

/** Two passages count as duplicates if this share of the words of the shorter one is in the longer one, and the shorter has enough words. */
const MIN_SHARED_WORDS = 0.9;
const MIN_COMPARED_WORDS = 12;

/** Whether two passages are near duplicates, like a page and its source file: one contains nearly all words of the other, and all of its numbers. */
export function areNearDuplicates(one: Pick<RankedCandidate, 'blocks'>, other: Pick<RankedCandidate, 'blocks'>): boolean {
  const [shorter, longer] = [one, other].map(({ blocks }) => new Set(blocks.flatMap(({ own }) => [...own]))).toSorted((a, b) => a.size - b.size); // prettier-ignore
  const missing = shorter!.difference(longer!);
  return (
    shorter!.size >= MIN_COMPARED_WORDS &&
    missing.size <= (1 - MIN_SHARED_WORDS) * shorter!.size &&
    ![...missing].some((term) => /\d/.test(term))
  );
}

/** Maximum words of an answer, including headings. */
export const MAX_ANSWER_WORDS = 120;

/**
 * If the scores of two passages differ by less, both are quoted, with half of the words each. Chosen between .08 and .16 on questions about real
 * documentation, manuals of other projects and SQuAD.
 */
const NEAR_TIE = 0.12;

/**
 * If it is not certain that the best passage answers, up to three are quoted, if enough words remain: shares of the words of a certain answer for the best
 * passage, for each other one, and for all. Of 93 uncertain answers (57 to everyday questions) 44 are right with these, 38 with equal shares, 39 with one passage.
 */
const MAX_CANDIDATES = 3;
const CANDIDATE_SHARES = { best: 0.62, other: 0.29, all: 1.12 };
const MIN_CANDIDATE_WORDS = 20;
/** Number of candidates to choose these from. */
const MAX_COMPARED = 20;
/** Maximum difference of the scores of the best passage and another one that is quoted with it. */
const MAX_BEHIND = 0.55;

/** Number of passages to try before one is truncated. */
const MAX_TRIED = 5;

/** A passage to quote, under its path. */
export interface Quotation extends QuotedPassage {
  source: number;
  /** The path in one line. */
  path: string;
}

/** The quotations for a question, best first, and the candidates. */
interface Choice {
  quotations: readonly Quotation[];
  /** Makes shorter quotations of the best candidates, for a question of which it is not certain that the best one answers it. */
  quoteCandidates(): readonly Quotation[];
  ranked: readonly RankedCandidate[];
  /** Compares texts with the question. */
  compare: Comparison;
}

interface ChooseOptions {
  sources: readonly GroundingSource[];
  /** Maximum words of all quotations. */
  words?: number;
  /** Earlier answers, which are not repeated. */
  previous_answers?: string | undefined;
  embedder?: Embedder | undefined;
  signal?: AbortSignal | undefined;
}

/** Normalizes a text for finding a quotation in it: without marks, citation numbers and repeated white space. */
const normalizeText = (text: string): string =>
  text
    .replace(/\[\d+\]/g, ' ')
    .replace(/[^\p{L}\p{N}]+/gu, ' ')
    .trim()
    .toLowerCase();

const excludeBlock = (block: QuoteBlock): QuoteBlock => ({ ...block, isRetrieved: false, section: -1 });

/**
 * Chooses what to quote: the best passage, and the next one if both fit equally. For a comparison of two things, it quotes a passage about each,
 * unless one is about both.
 */
export async function chooseQuotations(
  query: string,
  { sources, words = MAX_ANSWER_WORDS, previous_answers = '', embedder, signal }: ChooseOptions,
): Promise<Choice> {
  const earlier = normalizeText(previous_answers);
  const takeTurns = yieldToEventLoop(signal);
  const blocks: QuoteBlock[] = [];
  for (const [i, source] of sources.entries()) {
    for (const block of readQuoteBlocks(source, i)) {
      await takeTurns();
      blocks.push(earlier !== '' && earlier.includes(normalizeText(block.text)) ? excludeBlock(block) : block);
    }
  }
  const compare = createComparison(query, { embedder, signal });
  const ranked = await rankPassages(query, blocks, { sources, words, compare, signal });
  const [best] = ranked;
  if (!best) return { quotations: [], quoteCandidates: () => [], ranked, compare };
  const next = ranked.slice(1).find((candidate) => !areNearDuplicates(candidate, best));
  const second = findOtherSide(lastQuestion(query), ranked) ?? (next && best.score - next.score < NEAR_TIE ? next : undefined);
  const wanted = new Set(subjectTerms(lastQuestion(query)));
  const quote = (candidate: RankedCandidate, most: number) => quotationOf(candidate, { blocks, words: most, wanted });
  const choice = { quoteCandidates: () => quoteCandidates(ranked, { quote, words }), ranked, compare };
  const both = second ? [best, second].map((candidate) => quote(candidate, Math.floor(words / 2))) : [];
  if (second && !both.some(({ isBroken, isOpen }) => isBroken || isOpen)) return { quotations: both, ...choice };
  const one = ranked.slice(0, MAX_TRIED).values().map((candidate) => quote(candidate, words)); // prettier-ignore
  return { quotations: [one.find(({ isBroken }) => !isBroken) ?? quote(best, words)], ...choice };
}

/**
 * Quotes the best candidates that say something different: the best in all words if its sentences or steps would be cut otherwise, and of the others only what
 * can be quoted in whole sentences, rows or lines.
 */
function quoteCandidates(
  ranked: readonly RankedCandidate[],
  { quote, words }: { quote: (candidate: RankedCandidate, most: number) => Quotation; words: number },
): Quotation[] {
  const [best, ...others] = ranked.slice(0, MAX_COMPARED).filter(({ score }) => score >= ranked[0]!.score - MAX_BEHIND) as [
    RankedCandidate,
    ...RankedCandidate[],
  ];
  const short = quote(best, Math.ceil(words * CANDIDATE_SHARES.best));
  const isCut = short.isBroken || best.blocks.some((block) => isListStep(block) && block.at > short.blocks.at(-1)!.at);
  const quoted = [{ candidate: best, quotation: isCut ? quote(best, words) : short }];
  for (const candidate of others) {
    const used = quoted.reduce((sum, { quotation: { path, text } }) => sum + countWords(`${path} ${text}`), 0);
    const room = Math.min(Math.floor(words * CANDIDATE_SHARES.all) - used, Math.ceil(words * CANDIDATE_SHARES.other));
    if (quoted.length === MAX_CANDIDATES || room < MIN_CANDIDATE_WORDS) break;
    if (quoted.some((better) => areNearDuplicates(better.candidate, candidate))) continue;
    const quotation = quote(candidate, room);
    if (!quotation.isBroken) quoted.push({ candidate, quotation });
  }
  return quoted.map(({ quotation }) => quotation);
}

/** Quotes a candidate in at most `words` words, including its path, under the term that it defines, even if the quotation begins inside the definition. */
function quotationOf(
  { seed }: RankedCandidate,
  { blocks, words, wanted }: { blocks: readonly QuoteBlock[]; words: number; wanted: ReadonlySet<string> },
): Quotation {
  const path = headingOf(seed.path, words);
  const own = blocks.filter(({ source }) => source === seed.source);
  const gainOf = (block: QuoteBlock) => block.own.intersection(wanted).size;
  const passage = (term: string): QuotedPassage => {
    const room = words - countWords(path) - (term === '' ? 0 : countWords(`${term} …`));
    const { text, ...more } = renderPassage(growPassage(own, seed, { room, gainOf }), { all: own, room, wanted });
    const isNext = own[more.blocks[0]!.at - 1]?.kind === 'term';
    const lead = term === '' ? '' : `${plainText(term)}\n\n${isNext || text.startsWith('…') ? '' : '…\n\n'}`;
    return { ...more, text: lead + text };
  };
  const quoted = passage('');
  const { kind, term } = quoted.blocks[0]!;
  return { source: seed.source, path, ...(kind === 'term' || term === '' ? quoted : passage(term)) };
}

/** Whether a passage or its titles mention a thing. */
const mentions = ({ blocks }: RankedCandidate, thing: ReadonlySet<string>): boolean =>
  thing.size === 0 || blocks.some(({ own, context }) => [...thing].some((term) => own.has(term) || context.has(term)));

/** Finds the best passage about the compared thing that the best candidate does not mention; undefined if it mentions both or none. */
function findOtherSide(question: string, ranked: readonly RankedCandidate[]): RankedCandidate | undefined {
  const [best] = ranked;
  const compared = comparedSubjects(question);
  if (!best || !compared) return undefined;
  const missing = compared.filter((thing) => !mentions(best, thing));
  return missing.length === 1 ? ranked.find((candidate) => mentions(candidate, missing[0]!)) : undefined;
}
