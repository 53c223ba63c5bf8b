import { expect, it } from 'vitest';
import { pdfFile, type PdfText } from '../support/pdf-file.ts';
import { read } from '../support/read.ts';

const left = [
  'The pump is checked at every visit, and its',
  'state is noted in the log that lies beside it,',
  'with the name of the person who has checked',
  'it and the hour at which this was done by her',
  'or him. What is not noted has not been done,',
  'as every auditor will say. The log is kept.',
];
const right = [
  'The boiler is checked once a week, while it is',
  'cold, by two persons, one of whom holds the',
  'lamp while the other one looks at the valves,',
  'the gauges and the joints. A joint that drips',
  'is tightened by a quarter turn, and looked at',
  'again on the next day by the same two people.',
];
const columns = (x: number): PdfText[] =>
  left.flatMap((text, i) => [
    { text, x: 72, y: 700 - 12 * i, size: 10 },
    { text: right[i]!, x, y: 700 - 12 * i, size: 10 },
  ]);

it('reads two columns that are drawn line by line one after the other', async () => {
  expect((await read('pdf', pdfFile([columns(320)]))).text).toBe(`${left.join(' ')}\n\n${right.join(' ')}`);
});

it('joins the lines of a narrow column although others span the page', async () => {
  const across =
    'A line that reaches across both of the columns of this page, from the left edge of the one to the right edge of the other one';
  const page: PdfText[] = [
    { text: across, x: 72, y: 740, size: 10 },
    ...left.map((text, i) => ({ text, x: 72, y: 700 - 12 * i, size: 10 })),
    ...right.map((text, i) => ({ text, x: 330, y: 700 - 12 * i, size: 10 })),
  ];
  expect((await read('pdf', pdfFile([page]))).text).toBe(`${across}\n\n${left.join(' ')}\n\n${right.join(' ')}`);
});

it('moves a heading that is drawn late above its text', async () => {
  const page: PdfText[] = [
    ...left.map((text, i) => ({ text, x: 72, y: 600 - 12 * i, size: 10 })),
    ...right.map((text, i) => ({ text, x: 320, y: 600 - 12 * i, size: 10 })),
    { text: 'The Care of Boilers', x: 72, y: 700, size: 24 },
  ];
  expect((await read('pdf', pdfFile([page]))).text).toBe(`# The Care of Boilers\n\n${left.join(' ')}\n\n${right.join(' ')}`);
});
