import { stem } from './stem.ts';

/** Scripts without spaces between words, and Hangul, whose particles are attached to words. Their text is split into pairs of letters. */
const UNSPACED =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}ー々〆]+/gu;
/** Words and numbers, also joined by punctuation: identifiers, file names, versions, addresses. */
const JOINED = /[\p{L}\p{N}\p{M}]+(?:[-_.@'][\p{L}\p{N}\p{M}]+)*(?:\+\+|#(?![\p{L}\p{N}]))?/gu;
/** The same for ASCII only, which is several times faster. */
const JOINED_ASCII = /[a-z0-9]+(?:[-_.@'][a-z0-9]+)*(?:\+\+|#(?![a-z0-9]))?/gi;
const ASCII_WORD = /^[a-z]+$/;
// oxlint-disable-next-line no-control-regex
const ASCII = /^[\x00-\x7f]*$/;
/** Letters without a Unicode decomposition, with their usual transcription. */
const FOLDED: Record<string, string> = { ß: 'ss', æ: 'ae', œ: 'oe', ø: 'o', ł: 'l', đ: 'd', ð: 'd', þ: 'th', ı: 'i' };
/** Maximum length of a term: nobody searches for longer ones, and an index of them would be as large as the text. */
const MAX_TERM_LENGTH = 100;

/** Unifies compatibility forms (full width, ligatures), and removes accents, vowel points and invisible marks. Keeps capitals. */
function normalizeLetters(text: string): string {
  return text
    .normalize('NFKD')
    .replace(/[\u0300-\u036f\u0591-\u05bd\u064b-\u065f\u0670\u00ad\u200b-\u200f\u2060\ufeff]/g, '')
    .normalize('NFC')
    .replace(/[ßẞæœøłđðþı]/gi, (letter) => FOLDED[letter.toLowerCase()]!)
    .replace(/[\u2018\u2019\u02bc]/g, "'")
    .replace(/[\u2010-\u2015\u2212]/g, '-');
}

/** The pairs of adjacent letters, and the single letters, so that a word of one letter is found. */
function letterPairs(run: string): string[] {
  const letters = [...run];
  const found = letters.slice(1).map((letter, i) => letters[i]! + letter);
  return found.concat(letters);
}

/** Stems by word: most words occur in many spellings. */
const stems = new Map<string, readonly string[]>();
const MAX_STEMS = 100_000;

function stemTerms(word: string): readonly string[] {
  let found = stems.get(word);
  if (!found) {
    found = [stem(word.slice(0, MAX_TERM_LENGTH))];
    if (stems.size >= MAX_STEMS) stems.clear();
    if (word.length < MAX_TERM_LENGTH) stems.set(word, found);
  }
  return found;
}

/** The terms of an unjoined word: stemmed if English, unchanged if a number or another language, in pairs if unspaced. */
function wordTerms(word: string): readonly string[] {
  if (ASCII_WORD.test(word)) return stemTerms(word);
  if (ASCII.test(word) || word.search(UNSPACED) < 0) return [word.slice(0, MAX_TERM_LENGTH)];
  const found: (readonly string[])[] = [];
  let end = 0;
  for (const { 0: run, index } of word.matchAll(UNSPACED)) {
    if (index > end) found.push(wordTerms(word.slice(end, index)));
    found.push(letterPairs(run));
    end = index + run.length;
  }
  if (end < word.length) found.push(wordTerms(word.slice(end)));
  return found.flat();
}

/** The boundary between the words of `readOnlyFile`; none in `mRNA` or `pH`. */
const CAMEL_CASE_BOUNDARY = /(?<=[a-z]{2})(?=[A-Z][a-zA-Z])/;

/** The plural of an acronym: `LLMs`, `CPUs`; and of one in lower case that has no vowel, `llms`. */
const ACRONYMS = /^(?:[A-Z]{2,}|(?=[a-z]{4})(?!https$)[b-df-hj-np-tv-xz]+(?<!s))s$/;

/** The terms of a word in lower case and of its camel-case parts. The plural of an acronym becomes the acronym. */
function casedTerms(given: string): readonly string[] {
  const word = ACRONYMS.test(given) && given.length > 2 ? given.slice(0, -1) : given;
  const lower = word.toLowerCase();
  const whole = wordTerms(lower);
  if (lower === word) return whole;
  const humps = word.split(CAMEL_CASE_BOUNDARY);
  return humps.length > 1 ? whole.concat(humps.flatMap((hump) => wordTerms(hump.toLowerCase()))) : whole;
}

/** The identifiers in words that are written without spaces: `F-117` of `F-117是什么`. */
const identifiersAmongUnspaced = (whole: string): string[] =>
  whole
    .split(UNSPACED)
    .map((part) => part.replace(/^[-_.@']+/, '').replace(/(?<![-_.@'+#])[-_.@'+#]+$/, ''))
    .filter((part) => part !== whole && /[-_.@]/.test(part));

/** The terms of an identifier: the whole, its compound parts, its words. `a.b_c-d` gives itself, `b_c-d`, and `a`, `b`, `c`, `d`. */
function joinedTerms(joined: string): readonly string[] {
  const whole = joined.includes("'") ? joined.replace(/'s?(?![\p{L}\p{N}])/giu, '') : joined;
  const words = whole.split(/[-_.@'+#]+/).filter(Boolean);
  if (words.length === 1 && words[0] === whole) return casedTerms(whole);
  const inner = words.length > 2 ? whole.split(/[.@']/).filter((part) => part !== whole && /[-_]/.test(part)) : [];
  const among = ASCII.test(whole) ? [] : identifiersAmongUnspaced(whole);
  const kept = [...new Set([whole, ...inner, ...among])].filter(
    (part) => part.length <= MAX_TERM_LENGTH && (ASCII.test(part) || part.search(UNSPACED) < 0),
  );
  return kept.map((part) => part.toLowerCase()).concat(words.flatMap(casedTerms));
}

/** A word with only punctuation around it, which is most of a text and needs no further analysis. */
const PLAIN_WORD = /^[("'[*]*([A-Za-z]+)[)"'\].,;:!?*]*$/;

/** The terms of a run of text without white space. */
function analyseRun(run: string): readonly string[] {
  const plain = PLAIN_WORD.exec(run)?.[1];
  if (plain) return casedTerms(plain);
  const text = ASCII.test(run) ? run : normalizeLetters(run);
  const grouped = text.includes(',') ? text.replace(/(?<=\d),(?=\d{3}(?!\d))/g, '') : text;
  return (grouped.match(ASCII.test(grouped) ? JOINED_ASCII : JOINED) ?? []).flatMap(joinedTerms);
}

/**
 * Slots of the cache of analysed runs (text without white space). A text repeats its words, so nearly all are found there. A run is stored in the
 * slot of its FNV-1a hash and is replaced by the next one there: the table stays small, and a lookup allocates no string.
 */
const CACHE_SIZE = 1 << 17;
/** Maximum length of a cached run; longer ones seldom repeat. */
const MAX_CACHED_LENGTH = 32;
const analysedRuns: ({ run: string; terms: readonly string[] } | undefined)[] = Array(CACHE_SIZE).fill(undefined);

function analyseAndCache(run: string, place: number): readonly string[] {
  const found = analyseRun(run);
  if (run.length <= MAX_CACHED_LENGTH) analysedRuns[place] = { run, terms: found };
  return found;
}

const isSpace = (code: number): boolean => code === 32 || (code >= 9 && code <= 13) || (code > 127 && /\s/.test(String.fromCharCode(code)));

/**
 * Lists the search terms of a text: its words, normalized and stemmed, in order, without white space. Identifiers are listed whole and in
 * parts (`ERR-4042`: `err-4042`, `err`, `4042`), so that merely similar ones share fewer terms. Texts and queries are analysed in the same way.
 */
export function terms(text: string): string[] {
  const found: string[] = [];
  let start = 0;
  let hash = 0;
  for (let at = 0; at <= text.length; at++) {
    const code = at < text.length ? text.charCodeAt(at) : 32;
    if (!isSpace(code)) {
      hash = Math.imul(hash ^ code, 16_777_619);
      continue;
    }
    if (at > start) {
      const place = hash & (CACHE_SIZE - 1);
      const before = analysedRuns[place];
      const isKnown = before && before.run.length === at - start && text.startsWith(before.run, start);
      for (const term of isKnown ? before.terms : analyseAndCache(text.slice(start, at), place)) found.push(term);
    }
    start = at + 1;
    hash = 0;
  }
  return found;
}

/** English function words, stemmed by `terms`. */
const FUNCTION_WORDS = new Set(
  terms(
    `a about after again all also am an and any are as at be because been before being but by can could did do does doing don for from had has have having he her here
    hers him his how i if in into is it its itself just let ll me my no nor not of off on once only or our ours out over own please re s same she should so
    some such t tell than that the their theirs them then there these they this those through to too under until up us ve very was we were what when where which while who whom
    whose why will with would you your yours aren couldn didn doesn hadn hasn haven isn shouldn wasn weren wouldn`,
  ),
);

/** The end of an English contraction, such as "I'm", "won't", "they've". The part before it is a word of its own. */
const CONTRACTED = /(?<=[a-z])['\u2019](?:d|ll|m|re|t|ve)(?![\p{L}\p{N}])/giu;

/** The content terms of a text: without English function words, and without single letters of unspaced scripts that are part of a pair. */
export function ownTerms(text: string): string[] {
  const all = terms(text.replace(CONTRACTED, ''));
  const paired = new Set(all.filter((term) => term.search(UNSPACED) === 0 && term.length > 1).flatMap((term) => [...term]));
  return all.filter((term) => !FUNCTION_WORDS.has(term) && !paired.has(term));
}

/** Lists the terms of a query: its content words, or all words if it has none. */
export function queryTerms(text: string): string[] {
  const telling = ownTerms(text);
  return telling.length > 0 ? telling : terms(text);
}

/** Maximum terms of a search: a longer query is a pasted text, and each term takes time in the index. */
const MAX_SEARCHED = 1_000;

/** The terms to search for: the first content terms of a query. */
export const searchedTerms = (query: string): string[] => queryTerms(query).slice(0, MAX_SEARCHED);

/** FNV-1a over the UTF-16 units of a term, 32 bits without sign. */
export function hashTerm(term: string): number {
  let hash = 0x811c9dc5;
  for (let at = 0; at < term.length; at++) hash = Math.imul(hash ^ term.charCodeAt(at), 0x01000193);
  return hash >>> 0;
}
