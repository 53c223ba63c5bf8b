import type { DateWords } from '@citekb/documents/dates';
/** Kinds of messages that ask nothing. */
export type DirectIntent = 'greeting' | 'thanks' | 'farewell' | 'acknowledgement';

/** Phrases and the reply for each intent. Phrases are separated by `|`; their capitals, accents and punctuation do not matter. */
type SmallTalk = Readonly<Record<DirectIntent, readonly [phrases: string, reply: string]>>;

/**
 * Messages in place of an answer or beside it. In place of one: the sources do not answer (`nothing`), or say no more than before (`no_more`);
 * a request for a narrower question (`narrower`); a refusal (`refused`); no answer to `{part}` of several questions (`part`). Beside one: the
 * sources are written in `{language}` (`written_in`), why the answer is less reliable, an introduction to further passages (`see_also`).
 */
export type FallbackMessages = Readonly<
  Record<
    | 'nothing'
    | 'no_more'
    | 'narrower'
    | 'refused'
    | 'part'
    | 'written_in'
    | 'uncited'
    | 'unsupported'
    | 'uncertain'
    | 'little'
    | 'see_also',
    string
  >
>;

/** How people ask which documents are stored, and the answer. */
interface SourceListPhrases {
  /** Questions: alternatives of a regular expression for a whole message in lower case, without accents and punctuation. */
  asked: string;
  /** The sentence before the list; `{count}` is the number of all documents. */
  heading: string;
  /** The sentence after a list that leaves out `{count}` documents. */
  more: string;
  /** The answer if nothing is stored. */
  empty: string;
}

/** What distinguishes a language from others with the same letters. Words are separated by blanks. */
export interface LanguageMarks {
  /** Words that almost every question contains: question words, articles, forms of "to be". */
  functionWords: string;
  /** First words of questions. */
  beginnings?: string;
  /** Words that decide between languages with the same score. */
  tieBreakers?: string;
  /** Letters or signs that no other language has. */
  mark?: RegExp;
}

/** How questions are asked. Strings are alternatives of a regular expression for whole words, unless they say otherwise. */
interface QuestionPatterns {
  /** Beginnings of questions and requests without a question mark; they may end inside a word. */
  openings: string;
  /** Polite words before or after a question: "please". */
  courtesies: string;
  /** Function words that count as content words: "kostet". Separated by blanks. */
  contentWords?: string;
  /** Stop words beyond the function words. Separated by blanks. */
  stopWords?: string;
  /** A question word (`word`) and the word that makes it ask for a measure: "how long". Global. */
  measure: RegExp;
  /** Asks for a number, a time or a price. */
  figures: string;
  /** Words that answer like a number: "free". */
  figureWords: string;
  /** Asks for a time or a period. */
  times: string;
  /** Units of time, behind a number. */
  timeUnits: string;
  /** Asks for a default, a limit or a size. */
  values: string;
  /** Asks for a table of contents, an index or a change log. */
  listing: string;
  /** Asks what `what` is or means. */
  meaning: RegExp;
  /** Properties of a thing that a question may ask for: its "default". */
  aspects: string;
  /** Headings of introductions. */
  introductions: string;
  /** Asks how `one` differs from `other`, or `from`. */
  compares: readonly RegExp[];
  /** Prepositions before the place or context of a comparison: "in Postgres". */
  locatives: string;
  /** Joins a second question to the first: ", and how long …". */
  joint: RegExp;
}

/** How a question refers to earlier ones. Strings are alternatives for whole words; the last four are words separated by blanks. */
export interface FollowUpWords {
  /** Words that begin a question that continues the last one: "and". */
  conjunctions: string;
  /** Questions of one word that continue the last one: "why". */
  askingOn?: string;
  /** Pronouns of the third person. */
  pronouns?: string;
  /** Other words that point back: "that", "hers". */
  pointers: string;
  /** Adverbs that may or may not point back: "there" in "How do I get there by bus?". */
  adverbs: string;
  prepositions: string;
  articles: string;
  /** Words that make a question a complete sentence: question words and verbs that begin one. */
  asking: string;
  /** Verbs of a complete question. */
  verbs: string;
  /** Words that name no subject: "How much would I get?". */
  vague?: string;
  /** Ask for more of the same: "more", "again". */
  more: string;
  /** Ask for a reason. */
  reasons: string;
  /** Function words that ask for something new. */
  asksElse: string;
}

/**
 * Phrases that models write instead of the requested text, compared in lower case. `‹`, `›`: the edges of a word; `…`: up to 90 characters
 * of a sentence.
 */
export interface ModelPhrases {
  /** Statements that the sources do not answer, one pattern each. */
  refusals: readonly string[];
  /** Conjunctions after a refusal that introduce an answer: "but". */
  contrasts: string;
  /** How a polite phrase beside a refusal begins. */
  politeness: string;
  /** Names of a search query, and of a remark about it: "query", "note". */
  queries: string;
  remarks: string;
  /** How a model begins to decline a task. */
  excuses: string;
}

/** Where sentences do not end. Words are divided by blanks. */
interface SentenceRules {
  /** Abbreviations, without their last full stop, that end no sentence. */
  abbreviations: string;
  /** Abbreviations that may end a sentence, at which a text is cut only if there is no better place. In lower case. */
  softAbbreviations: string;
  /** Words that begin a sentence, as regular expressions. */
  openers: string;
  /**
   * For a language that writes ordinals with a full stop ("30. September"): words before them, and what they count besides months, as
   * regular expressions.
   */
  ordinals?: { before: string; counted: string };
  /** Alternatives for words whose full stop never ends a sentence, and for those whose full stop does not before a number. */
  continued?: { always: string; beforeNumber: string };
}

/** A language that kb supports fully. One file each; `languages.ts` lists them. */
export interface Language extends DateWords {
  /** ISO 639-1. */
  code: string;
  marks: LanguageMarks;
  /** Whether every noun has a capital, so that capitals do not reveal names. */
  capitalNouns?: boolean;
  smallTalk: SmallTalk;
  /** Words that may stand beside small talk, divided by `|`. */
  fillers: string;
  messages: FallbackMessages;
  sourceList: SourceListPhrases;
  questions: QuestionPatterns;
  followUps: FollowUpWords;
  models: ModelPhrases;
  sentences: SentenceRules;
  /** The numbers from 0 to 99 as they are written out, spellings divided by `|`. */
  numbers: readonly string[];
}
