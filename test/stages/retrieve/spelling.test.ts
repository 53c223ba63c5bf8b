import { expect, test } from 'vitest';
import { correctSpelling } from '../../../src/stages/retrieve/spelling.ts';

const texts = [
  'How to enable WAL mode: the default of the limit is 1 GB. The interval of polling.',
  'The maximum size of the stream, and the values that differ between pages. The postgres database. Polling is off by default.',
];

test.each([
  ['how do i enabel wal mode', 'how do i enable wal mode'],
  ['defalut limt', 'default limit'],
  ['Poling intervl?', 'polling interval?'],
  ['the diffrent values of postgers', undefined], // a word of this is not theirs
  ['what differs betwen the postgers values', 'what differs between the postgres values'],
  ['maximun size', 'maximum size'],
  ['is teh size limted', undefined], // "limited" is not theirs
  ['what is teh maximun size', 'what is the maximum size'],
])('corrects a misspelling of a word in the texts: %s', (query, right) => {
  expect(correctSpelling(query, texts)).toBe(right);
});

test.each([
  ['all words are there', 'default limit of the interval'],
  ['a plural', 'limits of intervals'],
  ['a short word that differs by a changed letter', 'how much steal'],
  ['another beginning', 'befault'],
  ['a short word of swapped letters that is a word of its own', 'the maximum of the gbi'],
  ['a name', 'Who is Postgers of Limt?'],
  ['a code', 'max_wal_sise and E-1234x in config.yml'],
  ['something else is asked about', 'steam enabel sourdough'],
  ['another language', 'Was ist die Polling-Methode und wie ist das Intervall?'],
  ['words that only ask', 'how often is the limit'],
  ['another script', '数据库的默认值'],
])('keeps the query: %s', (_, query) => {
  expect(correctSpelling(query, texts)).toBeUndefined();
});

test('prefers the most frequent of equally near words', () => {
  expect(correctSpelling('sorces', ['The sources.', 'The sources.', 'The scores, sore.', 'The forces.'])).toBe('sources');
});

test('corrects a word without its hyphen', () => {
  expect(correctSpelling('How do I connect it to wifi?', ['Wi-Fi and app: connect it.'])).toBe('How do I connect it to wi-fi?');
});

test('corrects nothing if nothing was found', () => {
  expect(correctSpelling('defalut', [])).toBeUndefined();
});
