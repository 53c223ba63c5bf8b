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

/** Says which language a text is in, in that of the question; undefined where both are the same, or one of them can't be told. */
export function sourceLanguageNote(question: string, text: string): string | undefined {
  const [asked, written] = [languageOf(question), languageOf(text.replace(/```[^]*?(?:```|$)|`[^`]*`/g, ' '))];
  if (asked === undefined || written === undefined || asked === written) return undefined;
  const language = asked in SAYS ? asked : 'en';
  const name = new Intl.DisplayNames([language], { type: 'language' }).of(written) ?? written;
  return SAYS[language]!(name);
}
