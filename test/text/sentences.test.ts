import { expect, test } from 'vitest';
import { isSentenceContinued, sentencesOf } from '../../src/text/sentences.ts';

/** Whether the sentence goes on at the mark `|`, asked before and behind the blank that follows. */
function isOpen(marked: string): boolean {
  const end = marked.indexOf('|');
  const text = marked.replace('|', '');
  const open = isSentenceContinued(text, end);
  expect(isSentenceContinued(text, end + 1), marked).toBe(open);
  return open;
}

test.each([
  'Die Kündigung muss bis zum 30.| September eingehen.',
  'Vom 24.| Dezember bis 2. Januar geschlossen.',
  'Vom 24. Dezember bis 2.| Januar geschlossen.',
  'Wohnung, 3.| Etage links',
  'Im 19.| Jahrhundert gebaut.',
  'Am 5.| Werktag ist Schluss.',
  'Jeden 2.| Samstag ist Markt.',
  'Der Chor singt im 2.| Stock.',
  'Die Mannschaft spielt z.| B. in Kiel.',
  'Städte, z. B.| Kiel',
  'Das heißt, d. h.| Kiel',
  'Die Praxis hat die Tel.| 0431 1234.',
  'Tel.| +49 431 1234',
  'nach § 5 Abs.| 2 der Satzung',
  'Der Laden ist in der Hafenstr.| 12.',
  'Zugelassen für max.| 8 Personen.',
  'Die Frist beträgt ca.| 10 Tage.',
])('continues a German sentence: %s', (marked) => {
  expect(isOpen(marked)).toBe(true);
});

test.each([
  'It was built in 1990.| The next one was not.',
  'There were 12.| The others left.',
  'There were 12.| August was hot.',
  'I am 12.| Nobody believes it.',
  '1.| Open the lid.',
  '1.| Stock the shelves.',
  'Geöffnet von 8 bis 12.| Die Werkstatt nicht.',
  'Er kam am 5.| Danach ging er.',
  'Platz 3.| Kiel gewann.',
  'Sie wohnt in der Hafenstr.| Der Laden auch.',
  'Nach Abs. 2.| Der Vorstand tagt.',
  'He trained his abs.| 12 others did not.',
])('ends a sentence: %s', (marked) => {
  expect(isOpen(marked)).toBe(false);
});

test('ends every sentence at an empty line', () => {
  expect(isSentenceContinued('Es endet am 30.\n\nSeptember', 15)).toBe(false);
});

test('keeps a question with the sentence after it', () => {
  expect(sentencesOf('Is it worth it? Usually not. It costs 9 euros.')).toEqual(['Is it worth it? Usually not.', 'It costs 9 euros.']);
});
