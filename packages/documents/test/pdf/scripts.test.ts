import { describe, expect, it } from 'vitest';
import { pdfFile } from '../support/pdf-file.ts';
import { read } from '../support/read.ts';

/** A font whose codes, from 33 on, stand for these texts. */
const fontOf = (...texts: string[]): Record<number, string> => Object.fromEntries(texts.map((text, i) => [33 + i, text]));
const codes = (count: number): string => Array.from({ length: count }, (_, i) => (33 + i).toString(16)).join('');
const draw = (font: string, hex: string, y = 700): string => `BT /${font} 12 Tf 72 ${y} Td <${hex}> Tj ET`;

describe('Arabic in a PDF', () => {
  it('has the letters of ligatures in their order', async () => {
    // drawn from left to right: the last letter first
    const glyphs = ['ة', 'م', 'لا', 'س', 'ل', 'ا'];
    expect((await read('pdf', pdfFile([draw('F4', codes(6))], { fonts: [fontOf(...glyphs)] }))).text).toBe('السلامة');
  });

  it('keeps words with "al-", which look like a reversed ligature', async () => {
    const glyphs = ['ب', 'ا', 'ب', 'ل', 'ا'];
    expect((await read('pdf', pdfFile([draw('F4', codes(5))], { fonts: [fontOf(...glyphs)] }))).text).toBe('الباب');
  });

  it('has plain letters instead of their forms', async () => {
    const glyphs = ['ﻻ', 'ﺃ'];
    expect((await read('pdf', pdfFile([draw('F4', codes(2))], { fonts: [fontOf(...glyphs)] }))).text).toBe('ألا');
  });
});

describe('a page of a PDF whose characters cannot be read', () => {
  const readable = draw('F1', Buffer.from('The first page can be read by every program.').toString('hex'));

  it('is listed if they are of no script', async () => {
    const fonts = [fontOf(...Array.from({ length: 40 }, (_, i) => String.fromCharCode(0xe000 + i)))];
    const { pictured_pages, text } = await read('pdf', pdfFile([readable, draw('F4', codes(40))], { fonts }));
    expect(pictured_pages).toEqual([2]);
    expect(text).toContain('The first page');
  });

  it('is listed if they are drawn and have no text', async () => {
    const fonts = [fontOf(...Array.from({ length: 40 }, () => '\u0001'))];
    expect((await read('pdf', pdfFile([readable, draw('F4', codes(40))], { fonts }))).pictured_pages).toEqual([2]);
  });

  it('is not listed if it has formulas or numbers', async () => {
    const formulas = draw('F1', Buffer.from('(a+b)*(c-d)/[e%f] <> {g&h} #$@! ((1+2)*3) == "9" ?').toString('hex'));
    const numbers = draw('F1', Buffer.from('12.5 (3,4) -7 +8 {9} [10] 11% 12% 13% $14 $15').toString('hex'));
    const { pictured_pages } = await read('pdf', pdfFile([readable, formulas, numbers]));
    expect(pictured_pages).toBeUndefined();
  });
});
