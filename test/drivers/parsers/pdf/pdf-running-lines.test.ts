import { expect, it } from 'vitest';
import { pdfFile, type PdfText } from '../../../support/pdf-file.ts';
import { read } from '../read.ts';

const letters = 'abcdefgh';
/** The text of a page, none of whose lines another page has. */
const body = (index: number): PdfText[] => [
  { text: `Step ${letters[index]} of the work is this one,`, y: 700 },
  { text: `and then comes the ${letters[index]}th of the next.`, y: 686 },
];

it('removes the header of a section with one page if other sections repeat theirs', async () => {
  const sections = ['1.1. TANK', '1.1. TANK', '1.2. PUMP', '1.3. VALVE', '1.3. VALVE', '1.4. FILTER AND ITS LID'];
  const head = (title: string): PdfText[] => [
    { text: 'CHAPTER 1. CARE', x: 72, y: 780, font: 'bold' },
    { text: title, x: 400, y: 780, font: 'bold' },
  ];
  const { text } = await read('pdf', pdfFile(sections.map((title, i) => [...head(title), ...body(i)])));
  expect(text).not.toMatch(/CHAPTER|PUMP|FILTER/);
  expect(text.match(/Step/g)).toHaveLength(6);
});

it('removes headers that repeat headings, even if they differ on each page', async () => {
  const titles = ['Tank', 'Pump', 'Valve', 'Filter'];
  const pages = titles.map((title, i) => [
    { text: `1.${i + 1}. ${title.toUpperCase()}`, y: 780 },
    { text: `1.${i + 1} ${title}`, size: 18, y: 740 },
    ...body(i),
  ]);
  const { text } = await read('pdf', pdfFile(pages));
  expect(text).not.toMatch(/TANK|PUMP|VALVE|FILTER/);
  expect(text).toContain('1.2 Pump');
});

it('keeps the titles of slides, even if some continue on the next slide', async () => {
  const titles = ['Tank', 'Pump', 'Pump', 'Valve', 'Filter', 'Lid'];
  const { text } = await read('pdf', pdfFile(titles.map((title, i) => [{ text: title, size: 20, y: 780 }, ...body(i)])));
  expect(text).toMatch(/Tank[^]*Valve[^]*Filter[^]*Lid/);
});

it('keeps the first lines of pages in the font of the text', async () => {
  const titles = ['Tank', 'Pump', 'Valve', 'Filter'];
  const { text } = await read('pdf', pdfFile(titles.map((title, i) => [{ text: title, y: 780 }, ...body(i)])));
  expect(text).toMatch(/Tank[^]*Pump[^]*Valve[^]*Filter/);
});

it('removes lines below the number on left pages, and the numbers of both sides', async () => {
  const pages = [...letters].map((_, i) => [
    ...body(i),
    { text: i % 2 ? `${i + 1} AQUA` : `${['CARE', 'REPAIR', 'PARTS', 'ORDERS'][i / 2]} ${i + 1}`, y: 60 },
    ...(i % 2 ? [{ text: 'See example.com for more', y: 30 }] : []),
  ]);
  expect((await read('pdf', pdfFile(pages))).text).not.toMatch(/AQUA|CARE|REPAIR|PARTS|ORDERS|example/);
});
