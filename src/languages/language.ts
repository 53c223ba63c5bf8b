/** What a message may be that asks nothing. */
export type DirectIntent = 'greeting' | 'thanks' | 'farewell' | 'acknowledgement';

/** For each intent its phrases, divided by `|`, and the reply. Capitals, accents and punctuation of a phrase do not matter. */
export type SmallTalk = Readonly<Record<DirectIntent, readonly [phrases: string, reply: string]>>;

/**
 * Sentences in place of an answer: the sources hold none; none but what was said before; asks for a narrower question; a refusal; `{part}` of several questions
 * has none; the sources are written in `{language}`. Then why an answer is to be trusted less, and what stands above other passages to look at.
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

/** What tells a language from others that share its letters. Words are divided by blanks. */
export interface LanguageMarks {
  /** Words that hardly any question does without: question words, articles, forms of "to be". */
  functionWords: string;
  /** First words of questions. */
  beginnings?: string;
  /** Words that decide where two languages have as many of the others. */
  leans?: string;
  /** Letters or signs that no other language has. */
  mark?: RegExp;
}

/** How questions are asked. Strings are alternatives of a regular expression for whole words, unless they say otherwise. */
interface QuestionPatterns {
  /** How a question or request without a question mark begins: not only whole words. */
  asks: string;
  /** Words before a question, or after it, that ask nothing: "please". */
  courtesies: string;
  /** Function words that are terms of the subject all the same: "kostet". Divided by blanks. */
  telling?: string;
  /** Words beside the function words that are no terms of the subject. Divided by blanks. */
  idle?: string;
  /** A question word (`word`) with what makes it ask for a measure: "how long". Global. */
  measure: RegExp;
  /** Asks for a number, a time or a price. */
  figures: string;
  /** Words that answer as a number does: "free". */
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
  /** What may be asked about a thing beside what it is: its "default". */
  aspects: string;
  /** Headings of introductions. */
  introductions: string;
  /** Asks how `one` differs from `other`, or `from`. */
  compares: readonly RegExp[];
  /** Words before the place of what is compared: "in Postgres". */
  where: string;
  /** Joins a second question to the first: ", and how long …". */
  joint: RegExp;
}

/** How a question refers to those before it. Strings are alternatives for whole words, the last four words divided by blanks. */
export interface FollowUpWords {
  /** Begin a question that goes on with the last one: "and". */
  conjunctions: string;
  /** Questions that go on with the last one by themselves: "why". */
  askingOn?: string;
  /** Pronouns of the third person. */
  pronouns?: string;
  /** Other words that point back: "that", "there", "then". */
  pointers: string;
  /** Ends of questions that point back: "use one". */
  pointingEnds?: string;
  prepositions: string;
  articles: string;
  /** Words that make a question a sentence of its own: question words and verbs that begin one. */
  asking: string;
  /** Verbs that a whole question has. */
  verbs: string;
  /** Words that name no thing. */
  vague?: string;
  /** Ask for more of the same: "more", "again". */
  more: string;
  /** Ask for a reason. */
  reasons: string;
  /** Function words that ask for something new. */
  asksElse: string;
}

/** Phrases that models write in place of what they were asked for, compared in lower case. `‹`, `›`: the edges of a word; `…`: up to 90 characters of a sentence. */
export interface ModelPhrases {
  /** The sources do not answer; one pattern each. */
  refusals: readonly string[];
  /** After a refusal: an answer follows. */
  turns: string;
  /** How a politeness beside a refusal begins. */
  politeness: string;
  /** Names of a search query, and of a remark about it: "query", "note". */
  queries: string;
  remarks: string;
  /** How a model begins to decline the work. */
  excuses: string;
}

/** Where sentences do not end. Words are divided by blanks. */
interface SentenceRules {
  /** Abbreviations, without their last full stop, that end no sentence. */
  abbreviations: string;
  /** Abbreviations that may end one, where a text had better be cut elsewhere. In lower case. */
  softAbbreviations: string;
  /** Words that begin a sentence, as regular expressions. */
  openers: string;
  /** Of a language that writes ordinals with a full stop ("30. September"): words before them, and what they count beside months, as regular expressions. */
  ordinals?: { before: string; counted: string };
  /** Alternatives for what goes on behind its full stop whatever follows, and for what does before a number. */
  continued?: { always: string; beforeNumber: string };
}

/** A language that kb knows completely. One file each; `languages.ts` lists them. */
export interface Language {
  /** ISO 639-1. */
  code: string;
  marks: LanguageMarks;
  /** Whether every noun begins with a capital, so that capitals do not tell names. */
  capitalNouns?: boolean;
  smallTalk: SmallTalk;
  /** Words that may stand beside small talk, divided by `|`. */
  fillers: string;
  messages: FallbackMessages;
  questions: QuestionPatterns;
  followUps: FollowUpWords;
  models: ModelPhrases;
  sentences: SentenceRules;
  /** The numbers from 0 to 99 as they are written out, spellings divided by `|`. */
  numbers: readonly string[];
  /** The twelve months, divided by blanks, spellings of one by `|`. */
  months: string;
  /** The same, shortened. */
  shortMonths: string;
  /** How the names of weekdays begin, divided by `|`. */
  weekdays: string;
}
