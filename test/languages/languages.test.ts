import { describe, expect, it, test } from 'vitest';
import { fallbacksFor, languageOf } from '../../src/languages/detect.ts';
import type { DirectIntent, Language } from '../../src/languages/language.ts';
import { languageOrEnglish, LANGUAGES } from '../../src/languages/languages.ts';
import { conjunctionIn } from '../../src/languages/question.ts';
import { directReply } from '../../src/stages/chat/dialogue/intent.ts';
import { endsWithAbbreviation, lastSentenceEnd } from '../../src/text/sentences.ts';
import { readDate } from '../../packages/documents/src/dates.ts';

// Every language of the list has to behave; who adds one adds its file and its line there, and nothing here.

/** The texts of a value that are blank, by their paths. */
function blanksIn(value: unknown, path: string): string[] {
  if (typeof value === 'string') return value.trim() === '' ? [path] : [];
  if (typeof value !== 'object' || value === null || value instanceof RegExp) return [];
  const entries = Object.entries(value);
  return entries.length === 0 ? [path] : entries.flatMap(([key, inner]) => blanksIn(inner, `${path}.${key}`));
}

const withoutAccents = (text: string): string => text.normalize('NFKD').replace(/\p{M}/gu, '');

/** The code of the first language that has a phrase. */
const ownerOf = (phrase: string, intent: DirectIntent): string =>
  LANGUAGES.find(({ smallTalk }) => withoutAccents(smallTalk[intent][0]).split('|').includes(withoutAccents(phrase)))!.code;

describe.each(LANGUAGES.map((language): [string, Language] => [language.code, language]))('%s', (code, language) => {
  it('fills every field', () => {
    expect(blanksIn(language, code)).toEqual([]);
    expect(language.code).toMatch(/^[a-z]{2}$/);
    expect(languageOrEnglish(code)).toBe(language);
  });

  it('answers its small talk in its own language, and has no message that is small talk', () => {
    for (const [intent, [phrases]] of Object.entries(language.smallTalk) as [DirectIntent, Language['smallTalk'][DirectIntent]][])
      for (const phrase of phrases.split('|')) {
        const reply = languageOrEnglish(ownerOf(phrase, intent)).smallTalk[intent][1];
        expect(directReply(phrase), phrase).toEqual({ intent, reply });
      }
    for (const message of Object.values(language.messages)) expect(directReply(message)).toBeUndefined();
  });

  it('has messages of its own that are detected by its function words', () => {
    const asked = language.marks.functionWords.split(' ').toReversed().join(' ');
    expect(languageOf(asked)).toBe(code);
    expect(fallbacksFor(asked)).toBe(language.messages);
    expect(language.messages.narrower).toMatch(/\?$/);
    expect(language.messages.part).toContain('{part}');
    expect(language.messages.written_in).toContain('{language}');
    const others = LANGUAGES.filter((other) => other !== language).flatMap(({ messages }) => Object.values(messages));
    for (const message of Object.values(language.messages)) expect(others).not.toContain(message);
  });

  it('does not end a sentence after its abbreviations', () => {
    for (const abbreviation of language.sentences.abbreviations.split(' ')) {
      const text = `Ulm ${abbreviation}. Ulm. Ulm`;
      expect(endsWithAbbreviation(`Ulm ${abbreviation}.`), abbreviation).toBe(true);
      expect(lastSentenceEnd(text, 0, text.length), abbreviation).toBe(text.length - ' Ulm'.length);
      expect(lastSentenceEnd(text, 0, text.length - ' Ulm. Ulm'.length), abbreviation).toBe(-1);
    }
    for (const abbreviation of language.sentences.softAbbreviations.split(' ')) expect(abbreviation).toBe(abbreviation.toLowerCase());
  });

  it('has twelve months, and reads dates with their names', () => {
    for (const names of [language.months, language.shortMonths]) {
      const months = names.split(' ');
      expect(months).toHaveLength(12);
      for (const [i, spellings] of months.entries())
        for (const name of spellings.split('|'))
          for (const written of [`3 ${name} 2024`, `3. ${name.toUpperCase()} 2024`, `${language.weekdays.split('|')[2]}., 3 ${name} 2024`])
            expect(readDate(written), written).toBe(`2024-${String(i + 1).padStart(2, '0')}-03`);
    }
    expect(language.weekdays.split('|').length).toBeGreaterThanOrEqual(7);
  });

  it('has a hundred different written numbers', () => {
    const forms = language.numbers.flatMap((spellings) => spellings.split('|'));
    expect(language.numbers).toHaveLength(100);
    expect(new Set(forms).size).toBe(forms.length);
  });

  it('does not split a question at a conjunction alone', () => {
    for (const word of language.followUps.conjunctions.split('|')) expect(conjunctionIn(`Ulm, ${word} Ulm?`)).toBeUndefined();
  });
});

test('names of months mean the same month in all languages', () => {
  const months = LANGUAGES.flatMap(({ months: long, shortMonths }) => [long, shortMonths]).flatMap((names) =>
    names.split(' ').flatMap((spellings, i) => spellings.split('|').map((name) => [name.toLowerCase(), i] as const)),
  );
  for (const [name, i] of months) expect(new Map(months).get(name), name).toBe(i);
});

test('English replaces a language that is not fully supported', () => {
  expect(languageOrEnglish('fi').code).toBe('en');
  expect(languageOrEnglish(undefined).code).toBe('en');
});
