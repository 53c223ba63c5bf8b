import { isSpace, skipSpace } from './markdown/lines.ts';

/** How much of a text is looked at on either side of a full stop, in characters. */
const REACH = 48;

const anyWord = (words: string): string => `(?:${words.trim().split(/\s+/).join('|')})(?![\\p{L}\\p{N}])`;

/** What stands before an ordinal in German, and hardly before a number that ends a sentence: «am 30. September». The English «I am 12.» does end. */
const ORDINAL = new RegExp(
  String.raw`(?<![\p{L}\p{N}])(?<!\bI[^\S\n])(?:am|im|zum|zur|vom|beim|der|die|das|den|dem|des|ab|bis|seit|jede[mnrs]?|eine?[mnrs]?|diese[mnrs]?|(?:sein|ihr|unser)e[mnrs]?)[^\S\n]+\d{1,2}\.$`,
  'iu',
);

/** What begins a sentence and is never counted: «von 8 bis 12. Die Werkstatt …». */
const OPENER = new RegExp(
  `^${anyWord(`Der Die Das Den Dem Des Dies Diese[mnrs]? Ein Eine[mnrs]? Kein Keine[mnrs]? Jede[mnrs]? Sie Wir Ich Ihr Ihre[mnrs]? Unsere?[mnrs]? Man Alle Alles
    Viele Danach Dann Dort Damit Dabei Daher Dazu Darum Deshalb Dadurch Denn Doch Dennoch Nach Vor Seit Bis Bei Beim Mit Ohne Für Auf Aus Von Vom Zum Zur Und Oder Aber
    Auch Nur Wer Was Wie Wann Wenn Weil Bitte Hier Nicht Sonst Unter Über Während Wegen Zwischen Ist Sind Wird Kann
    The There They This That These Those When For And But Our Her His You`)}`,
  'u',
);

const NUMBER = /(?<![\p{L}\p{N}.,])\d{1,2}\.$/u;

/** What an ordinal counts in German, whatever stands before it. Words that are English, too, are none where English follows: «There were 12. August was hot.» */
const COUNTED = new RegExp(
  `^${anyWord(`Januar Jänner Februar März April Mai Juni Juli August September Oktober November Dezember Jahrhunderts? Jahrtausends? Stock Stockwerks? Etage Klasse
    Obergeschoss(?:es)? Untergeschoss(?:es)? OG UG Quartals? Halbjahr(?:es)? Auflage Bundesliga Liga Weltkrieg(?:s|es)? Lebensjahr(?:es)? Schuljahr(?:es)? Semesters?
    Geburtstag(?:s|es)? Woche Monat(?:s|es)?`)}(?!\\s+(?:is|was|are|were|has|had|will|the|your|up|of|and)\\b)`,
  'u',
);

/** German abbreviations that no sentence ends with. */
const ABBREVIATION =
  /(?<![\p{L}\p{N}])(?:z\.\s?B|z\.\s?T|d\.\s?h|u\.\s?a|v\.\s?a|u\.\s?U|i\.\s?d\.\s?R|bzw|ca|vgl|bspw|evtl|ggf|inkl|exkl|zzgl|abzgl|einschl|sog|geb|Nr|Hrn?|Okt|Dez)\.$/u;

/** The first letter of an abbreviation with blanks: the `z.` of «z. B.» */
const FIRST_LETTER = /(?<![\p{L}\p{N}.])\p{Ll}\.$/u;
const NEXT_LETTER = /^\p{L}\.(?![\p{L}\p{N}])/u;

/** Abbreviations before a number only: «Tel. 0431», «§ 5 Abs. 2», «Hafenstr. 12», «max. 8 Personen». */
const BEFORE_NUMBER = /(?:(?<![\p{L}\p{N}])(?:Tel|Abs|Art|Kap|Ziff|Abt|Abb|Anm|Bd|Kl|gem|lt|max|min|mind)|[Ss]tr)\.$/u;
const NUMBERED = /^(?:\+\d|\(?\d|§|Nr\.)/;

/**
 * Whether a sentence goes on behind a full stop though a capital letter or a figure follows, by German ways of writing: an ordinal («bis zum 30. September»,
 * «im 2. Stock») or an abbreviation («z. B.», «Abs. 2»). `end` is an index behind the full stop, before or behind the blanks that follow it. No sentence goes on
 * behind an empty line.
 */
export function isSentenceContinued(text: string, end: number): boolean {
  const before = text.slice(Math.max(0, end - REACH), end).trimEnd();
  const behind = text.slice(end, end + REACH);
  if (!before.endsWith('.') || /^\s*\n\s*\n/.test(behind)) return false;
  const next = behind.trimStart();
  if (NUMBER.test(before) && COUNTED.test(next)) return true;
  if (ORDINAL.test(before)) return /^\p{Lu}[\p{L}-]{2}/u.test(next) && !OPENER.test(next);
  return (
    ABBREVIATION.test(before) ||
    (FIRST_LETTER.test(before) && NEXT_LETTER.test(next)) ||
    (BEFORE_NUMBER.test(before) && NUMBERED.test(next))
  );
}

/** What may end a sentence, with the quotes and brackets that close with it; bounded, so that a row of dots is no trap. Scripts without spaces between sentences need none behind it. */
const SENTENCE_END = /[.!?…]{1,8}["'”’»)\]*_]{0,8}(?=\s)|[。！？｡]{1,8}["'”’」』）】》]{0,8}|[؟۔।॥።]/g;

/** Words before a full stop that end no sentence, in the languages that manuals are most often written in. */
const ABBREVIATIONS = new Set(
  'e.g i.e cf vs ca approx dr mr mrs ms prof st no nr fig figs vol ed eds pp p al inc ltd bzw usw z.b d.h vgl abb bspw evtl ggf inkl max min tel art sec ch p.ex env m mme etc'.split(
    ' ',
  ),
);

/** Where the last sentence within `from` to `to` ends (exclusive); -1 where none does. */
export function lastSentenceEnd(text: string, from: number, to: number): number {
  let best = -1;
  for (const end of sentenceEnds(text, from, to)) best = end;
  return best;
}

/** Where the first sentence that begins after `from` begins, before `to`; -1 where none does. */
export function firstSentenceStart(text: string, from: number, to: number): number {
  for (const end of sentenceEnds(text, from, to)) {
    const start = skipSpace(text, end, to);
    return start < to ? start : -1;
  }
  return -1;
}

function* sentenceEnds(text: string, from: number, to: number): Generator<number, void, void> {
  // one character more, for the white space behind a sentence that ends at `to`
  const window = text.slice(from, to + 1);
  for (const { 0: marks, index } of window.matchAll(SENTENCE_END)) {
    const end = from + index + marks.length;
    if (end <= to && !(marks.startsWith('.') && isWithinSentence(text, from + index, end))) yield end;
  }
}

/** Whether the full stop at `dot` belongs to an abbreviation, an initial, an ordinal or the number of a list, or the sentence goes on in lower case. */
function isWithinSentence(text: string, dot: number, end: number): boolean {
  const next = text.charAt(skipSpace(text, end, Math.min(text.length, end + 40)));
  if (next !== next.toUpperCase() || isSentenceContinued(text, end)) return true;
  let start = dot;
  while (start > 0 && dot - start < 12 && !isSpace(text.charCodeAt(start - 1)) && text[start - 1] !== '(') start -= 1;
  const word = text.slice(start, dot);
  if (/^\d+$/.test(word)) return start === 0 || text[start - 1] === '\n';
  return /^\p{Lu}$/u.test(word) || ABBREVIATIONS.has(word.toLowerCase());
}
