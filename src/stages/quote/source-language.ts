import { languageOf } from '../../base/language.ts';

/** How it is said which language the sources are in; English where a language is not among these. */
const SAYS: Readonly<Record<string, (language: string) => string>> = {
  en: (language) => `The sources are in ${language}.`,
  de: (language) => `Die Quellen sind auf ${language}.`,
  fr: (language) => `Les sources sont en ${language}.`,
  es: (language) => `Las fuentes están en ${language}.`,
  it: (language) => `Le fonti sono in ${language}.`,
  pt: (language) => `As fontes estão em ${language}.`,
  nl: (language) => `De bronnen zijn in het ${language}.`,
};

/** The language of prose: code tells nothing. */
const languageOfProse = (text: string): string | undefined => languageOf(text.replace(/```[^]*?(?:```|$)|`[^`]*`/g, ' '));

/**
 * Says which language a text is in, in that of the question; undefined where both are the same, or one of them can't be told. Where the text does not tell,
 * as a command or a table, those that stand around it do, in their order.
 */
export function sourceLanguageNote(question: string, text: string, around: readonly string[] = []): string | undefined {
  const asked = languageOf(question);
  if (asked === undefined) return undefined;
  const written = [text, ...around].values().map(languageOfProse).find((language) => language !== undefined); // prettier-ignore
  if (written === undefined || asked === written) return undefined;
  const language = asked in SAYS ? asked : 'en';
  const name = new Intl.DisplayNames([language], { type: 'language' }).of(written) ?? written;
  return SAYS[language]!(name);
}
