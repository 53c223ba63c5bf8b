/** How much of a text is looked at on either side of a full stop, in characters. */
const REACH = 48;

const word = (words: string): string => `(?:${words.trim().split(/\s+/).join('|')})(?![\\p{L}\\p{N}])`;

/** What stands before an ordinal in German, and hardly before a number that ends a sentence: «am 30. September». The English «I am 12.» does end. */
const ORDINAL = new RegExp(
  String.raw`(?<![\p{L}\p{N}])(?<!\bI[^\S\n])(?:am|im|zum|zur|vom|beim|der|die|das|den|dem|des|ab|bis|seit|jede[mnrs]?|eine?[mnrs]?|diese[mnrs]?|(?:sein|ihr|unser)e[mnrs]?)[^\S\n]+\d{1,2}\.$`,
  'iu',
);

/** What begins a sentence and is never counted: «von 8 bis 12. Die Werkstatt …». */
const OPENER = new RegExp(
  `^${word(`Der Die Das Den Dem Des Dies Diese[mnrs]? Ein Eine[mnrs]? Kein Keine[mnrs]? Jede[mnrs]? Sie Wir Ich Ihr Ihre[mnrs]? Unsere?[mnrs]? Man Alle Alles
    Viele Danach Dann Dort Damit Dabei Daher Dazu Darum Deshalb Dadurch Denn Doch Dennoch Nach Vor Seit Bis Bei Beim Mit Ohne Für Auf Aus Von Vom Zum Zur Und Oder Aber
    Auch Nur Wer Was Wie Wann Wenn Weil Bitte Hier Nicht Sonst Unter Über Während Wegen Zwischen Ist Sind Wird Kann
    The There They This That These Those When For And But Our Her His You`)}`,
  'u',
);

const NUMBER = /(?<![\p{L}\p{N}.,])\d{1,2}\.$/u;

/** What an ordinal counts in German, whatever stands before it. Words that are English, too, are none where English follows: «There were 12. August was hot.» */
const COUNTED = new RegExp(
  `^${word(`Januar Jänner Februar März April Mai Juni Juli August September Oktober November Dezember Jahrhunderts? Jahrtausends? Stock Stockwerks? Etage Klasse
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
export function goesOn(text: string, end: number): boolean {
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
