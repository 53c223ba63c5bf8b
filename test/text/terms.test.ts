import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { queryTerms, searchedTerms, terms } from '../../src/text/terms.ts';

describe('terms', () => {
  it('are stems in lower case, in the order of the words', () => {
    expect(terms('Replacing the FILTERS (twice), then: "rinse"!')).toEqual(['replac', 'the', 'filter', 'twice', 'then', 'rins']);
  });

  it('keep an identifier whole beside its parts', () => {
    expect(terms('ERR-4042')).toEqual(['err-4042', 'err', '4042']);
    expect(terms('Call `foo_bar()`.')).toEqual(['call', 'foo_bar', 'foo', 'bar']);
    expect(terms('since v2.3.1,')).toEqual(['sinc', 'v2.3.1', 'v2', '3', '1']);
    expect(terms('jane.doe@example.org')).toEqual(['jane.doe@example.org', 'jane', 'doe', 'exampl', 'org']);
    expect(terms('/usr/lib/foo_bar.ts')).toEqual(['usr', 'lib', 'foo_bar.ts', 'foo_bar', 'foo', 'bar', 'ts']);
    expect(terms('https://example.org/a-b?c=1')).toEqual(['https', 'example.org', 'exampl', 'org', 'a-b', 'a', 'b', 'c', '1']);
  });

  it('keep an identifier whole among words without spaces', () => {
    expect(terms('错误F-117是')).toEqual(['f-117', '错误', '错', '误', 'f', '117', '是']);
    expect(terms('エラーv2.3.1、')).toContain('v2.3.1');
    expect(terms('F-是')).toEqual(['f', '是']);
  });

  it('distinguish names with signs (C++) from their letters', () => {
    expect(terms('C, C++ and C#')).toEqual(['c', 'c++', 'c', 'and', 'c#', 'c']);
  });

  it('split camel case, but not abbreviations', () => {
    expect(terms('readOnlyFile')).toEqual(expect.arrayContaining(['read', 'onli', 'file']));
    expect(terms('mRNA pH IDs')).toEqual(['mrna', 'ph', 'id']);
  });

  it.each([
    ['accents', 'naïve Straße Ångström Łódź', 'naive strasse Angstrom Lodz'],
    ['composed and decomposed letters', 'caf\u00e9', 'cafe\u0301'],
    ['full width and ligatures', 'ＡＢＣ１２ ﬁlter', 'abc12 filter'],
    ['typographic apostrophes and dashes', 'the user’s ERR‑4042', "the user's ERR-4042"],
    ['possessives', "the pump's seal", 'the pump seal'],
    ['marks that nobody sees', 'fil\u00adter pu\u200bmp', 'filter pump'],
    ['groups of digits', '1,234,567 items', '1234567 items'],
    ['vowel points', 'مُحَمَّد', 'محمد'],
  ])('are the same regardless of %s', (_, one, other) => {
    expect(terms(one)).toEqual(terms(other));
  });

  it('are pairs of letters and single letters for scripts without spaces', () => {
    expect(terms('绿茶好')).toEqual(['绿茶', '茶好', '绿', '茶', '好']);
    expect(terms('茶')).toEqual(['茶']);
    expect(terms('iPhone用户')).toEqual(['iphon', '用户', '用', '户']);
    expect(terms('한국')).toEqual(['한국', '한', '국']);
    expect(terms('가게')).toEqual(terms('가게'.normalize('NFD')));
  });

  it('are the words of other languages', () => {
    expect(terms('Ёлка ждёт')).toEqual(['елка', 'ждет']);
    expect(terms('नमस्ते दुनिया')).toEqual(['नमस्ते', 'दुनिया']);
  });

  it('are empty without words', () => {
    expect(terms('')).toEqual([]);
    expect(terms(' \n\t … — !? 🙂 \u0000')).toEqual([]);
  });

  it('have no white space and no capitals, are not empty, and are the same each time, for any text', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', maxLength: 200 }), (text) => {
        const found = terms(text);
        for (const term of found) {
          expect(term).toMatch(/^\S{1,100}$/);
          expect(term).toBe(term.toLowerCase());
        }
        expect(terms(text)).toEqual(found);
      }),
    );
  });

  it('are those of the parts between white space, whatever was analysed before', () => {
    const run = fc.oneof(
      fc.string({ minLength: 1 }),
      fc.string({ unit: 'grapheme', minLength: 1 }),
      fc.stringMatching(/^[A-Za-z0-9_.-]{1,40}$/),
    );
    fc.assert(
      fc.property(fc.array(run), (runs) => {
        expect(terms(runs.join(' '))).toEqual(runs.flatMap((one) => terms(one)));
      }),
    );
  });

  it('are correct for many words that share cache slots', () => {
    const words = Array.from({ length: 40_000 }, (_, i) => `w${i}`);
    expect(words.filter((word) => terms(word)[0] !== word)).toEqual([]);
    expect(terms(words.join(' ')).filter((term, i) => term !== words[i])).toEqual([]);
  });

  it('have a limited length', () => {
    expect(terms('x'.repeat(5_000))).toEqual(['x'.repeat(100)]);
    expect(terms(`${'a1'.repeat(80)}-${'b2'.repeat(80)}`).every((term) => term.length <= 100)).toBe(true);
  });
});

describe('the terms of a query', () => {
  it('do not include function words', () => {
    expect(queryTerms('How do I replace the filter?')).toEqual(['replac', 'filter']);
    expect(queryTerms("I'm told it doesn't open, and they’ve paid")).toEqual(['told', 'open', 'paid']);
    expect(queryTerms("What's the user's ERR-4042 about?")).toEqual(['user', 'err-4042', 'err', '4042']);
  });

  it('include function words if there are no others', () => {
    expect(queryTerms('To be or not to be')).toEqual(['to', 'be', 'or', 'not', 'to', 'be']);
    expect(queryTerms('who are you')).toEqual(['who', 'are', 'you']);
  });

  it('are limited to a thousand for a search', () => {
    const words = Array.from({ length: 3_000 }, (_, i) => `w${i}`);
    expect(searchedTerms(words.join(' '))).toEqual(words.slice(0, 1_000));
  });

  it('are computed for a hundred thousand letters without a space', () => {
    expect(queryTerms('保修'.repeat(50_000)).length).toBeGreaterThan(100_000 - 2);
  });

  it('do not include single letters of a pair', () => {
    expect(queryTerms('绿茶')).toEqual(['绿茶']);
    expect(queryTerms('茶')).toEqual(['茶']);
    expect(queryTerms('猫 トイレ')).toEqual(['猫', 'トイ', 'イレ']);
  });

  it('are among the terms of every text that contains the query', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), (text) => {
        const all = new Set(terms(`before ${text} after`));
        for (const term of queryTerms(text)) expect(all).toContain(term);
      }),
    );
  });
});

it.each([
  ['LLMs', 'LLM'],
  ['llms', 'LLM'],
  ['CPUs', 'cpu'],
  ['PDFs', 'pdf'],
])('reduces the plural of an acronym: %s', (plural, acronym) => {
  expect(terms(plural)).toEqual(terms(acronym));
});

it('keeps names that end with s', () => {
  for (const name of ['dns', 'DNS', 'TLS', 'css', 'https']) expect(terms(name)).toEqual([name.toLowerCase()]);
});
