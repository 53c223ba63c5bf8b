import { expect, it } from 'vitest';
import { pdfFile, type PdfText } from '../support/pdf-file.ts';
import { read } from '../support/read.ts';

const letters = 'abcdefgh';
/** The text of a page, none of whose lines another page has. */
const body = (index: number): PdfText[] => [
  { text: `Step ${letters[index]} of the work is this one,`, y: 700 },
  { text: `and then comes the ${letters[index]}th of the next.`, y: 686 },
];

const times = (text: string, words: string): number => text.split(words).length - 1;

it('keeps a header of several pages once, and what differs beside it', async () => {
  const sections = ['1.1. TANK', '1.1. TANK', '1.2. PUMP', '1.3. VALVE', '1.3. VALVE', '1.4. FILTER AND ITS LID'];
  const head = (title: string): PdfText[] => [
    { text: 'CHAPTER 1. CARE', x: 72, y: 780, font: 'bold' },
    { text: title, x: 400, y: 780, font: 'bold' },
  ];
  const { text } = await read('pdf', pdfFile(sections.map((title, i) => [...head(title), ...body(i)])));
  expect(text).toMatch(/^CHAPTER 1\. CARE 1\.1\. TANK\n\nStep a[^]*PUMP[^]*Step c[^]*FILTER AND ITS LID\n\nStep f/);
  expect(times(text, 'CHAPTER')).toBe(1);
  expect(text).not.toContain('#');
});

it('keeps headers and footers of a letter of two pages', async () => {
  const page = (i: number): PdfText[] => [{ text: 'Contract 4471', y: 780 }, ...body(i), { text: 'Call 0800 55 12', y: 30 }];
  const { text } = await read('pdf', pdfFile([page(0), page(1)]));
  expect([times(text, 'Contract 4471'), times(text, 'Call 0800 55 12')]).toEqual([2, 2]);
});

it('keeps lines in the middle of pages, and lines in the margin without a gap to the text', async () => {
  const page = (i: number): PdfText[] => [
    { text: `Station ${i} lies by the sea,`, y: 780 },
    { text: 'and the harbour is closed in winter.', y: 766 },
    { text: 'A keeper lives in it, and so do his goats.', y: 752 },
    { text: `It was opened in ${1840 + i}.`, y: 738 },
    { text: 'The next inspection is due in March.', y: 500 },
    { text: 'It is the end of the line.', y: 486 },
  ];
  const { text } = await read('pdf', pdfFile([1, 2, 3, 4].map(page)));
  expect(times(text, 'and the harbour is closed in winter.')).toBe(4);
  expect(times(text, 'The next inspection is due in March.')).toBe(4);
  expect(text).toContain('Station 3 lies');
});

it('keeps lines whose numbers do not count the pages', async () => {
  const page = (i: number): PdfText[] => [{ text: `Account ${[18, 7, 93, 41][i]} of the harbour office`, y: 780 }, ...body(i)];
  const { text } = await read('pdf', pdfFile([0, 1, 2, 3].map(page)));
  for (const number of [18, 7, 93, 41]) expect(text).toContain(`Account ${number} of`);
});

it('joins a sentence that continues on the next page, before the footer in between', async () => {
  const page = (i: number): PdfText[] => [
    { text: `${letters[i]} and the pump of the machine is looked after at every visit of the men who`, y: 700 },
    { text: 'Harbour office, Quay 9', y: 30 },
  ];
  const { text } = await read('pdf', pdfFile([0, 1, 2].map(page)));
  expect(text).toMatch(/of the men who b and the pump [^]* of the men who c and [^]*who\n\nHarbour office, Quay 9$/);
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

it('keeps lines below the number on left pages once, and what is beside the numbers of both sides', async () => {
  const pages = [...letters].map((_, i) => [
    ...body(i),
    { text: `Then it is oiled with ${letters[i]}.`, y: 400 },
    { text: i % 2 ? `${i + 1} AQUA` : `${['CARE', 'REPAIR', 'PARTS', 'ORDERS'][i / 2]} ${i + 1}`, y: 60 },
    ...(i % 2 ? [{ text: 'See example.com for more', y: 30 }] : []),
  ]);
  const { text } = await read('pdf', pdfFile(pages));
  for (const words of ['AQUA', 'CARE', 'REPAIR', 'PARTS', 'ORDERS', 'See example.com']) expect(times(text, words)).toBe(1);
});

it.each([
  ['3', (page: number) => String(page)],
  ['- iv -', (page: number) => `- ${['i', 'ii', 'iii', 'iv', 'v'][page - 1]} -`],
  ['Page 3 of 5', (page: number) => `Page ${page} of 5`],
  ['Seite 3', (page: number) => `Seite ${page}`],
  ['B-3', (page: number) => `B-${page}`],
])('removes numbers of pages such as "%s"', async (_, numberOf) => {
  const page = (i: number): PdfText[] => [...body(i), { text: numberOf(i + 1), y: 30 }];
  const { text } = await read('pdf', pdfFile([0, 1, 2, 3, 4].map(page)));
  expect(text.split('\n').every((line) => line === '' || /^Step|^and then/.test(line))).toBe(true);
});
