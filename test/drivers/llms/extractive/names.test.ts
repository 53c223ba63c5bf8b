import { expect, test } from 'vitest';
import { missingFrom, namedIn } from '../../../../src/drivers/llms/extractive/names.ts';

const missing = (question: string, text: string) => {
  const { names, numbers } = missingFrom(namedIn(question), text);
  return [...names, ...numbers];
};

test('names are the words with a capital inside a question, and what stands in quotation marks; numbers have two digits or letters', () => {
  expect(namedIn('When did Ada Lovelace visit the Turin lecture of 1840 on 3 engines?')).toEqual({
    names: ['ada', 'lovelac', 'turin'],
    numbers: ['1840'],
  });
  expect(namedIn('Who wrote "the silver lantern"?').names).toEqual(['silver', 'lantern']);
  expect(namedIn('What does ERR-4042 mean?').numbers).toContain('err-4042');
});

test('a capital that begins a sentence, that everything has, or that German nouns have names nothing', () => {
  expect(namedIn('It hums. Pumps are loud?').names).toEqual([]);
  expect(namedIn('How Often Must The Filter Cartridge Be Replaced').names).toEqual([]);
  expect(namedIn('Wie oft muss die Filterpatrone der Pumpe ersetzt werden?').names).toEqual([]);
});

test('another name and another year are missing', () => {
  const text = 'The Helios 300 was built in Turin in 1987.';
  expect(missing('When was the Helios 300 built in Turin?', text)).toEqual([]);
  expect(missing('When was the Apollo 300 built in Turin?', text)).toEqual(['apollo']);
  expect(missing('What did the factory in Turin build in 1978?', text)).toEqual(['1978']);
  expect(missing('Who said "blue pump"?', text)).toEqual(['blue', 'pump']);
});

test('a name stands there by its initials, by its stem, and with another letter where it is long', () => {
  expect(missing('Who pays for the EU?', 'Members of the European Union pay.')).toEqual([]);
  expect(missing('What happened in Europe?', 'European factories closed.')).toEqual([]);
  expect(missing('Where is Reikjavik?', 'Reykjavik lies in the south-west.')).toEqual([]);
  expect(missing('Where is Riga?', 'Rega lies elsewhere.')).toEqual(['riga']);
});

test('a number stands there by its digits, a century by its years', () => {
  expect(missing('What closed in the 1950s?', 'In 1950 the mill closed.')).toEqual([]);
  expect(missing('What closed by the 1700s?', 'In the 18th century the mill closed.')).toEqual([]);
  expect(missing('What closed by the 1600s?', 'In the 18th century the mill closed.')).toEqual(['1600s']);
});
