import { expect, it } from 'vitest';
import { pdfFile } from '../support/pdf-file.ts';
import { read } from '../support/read.ts';

it('keeps the targets of links', async () => {
  const line = [
    { text: 'Order at our', x: 72, y: 700 },
    { text: 'shop', x: 150, y: 700 },
    { text: 'or ask the people', x: 184, y: 700 },
  ];
  const links = [
    { url: 'https://shop.example.com/parts(1)', rect: [149, 698, 178, 712] },
    { url: 'https://example.com/people', rect: [240, 698, 300, 712] },
  ] as const;
  const { text } = await read('pdf', pdfFile([[...line, 'The people know.', 'See https://example.com too.']], { links }));
  expect(text.split('\n')[0]).toBe(
    'Order at our [shop](https://shop.example.com/parts%281%29) or ask the [people](https://example.com/people) The people know.',
  );
});

it('leaves out links to files and programs, and those whose text is their address', async () => {
  const line = 'https://example.com/manual is the manual.';
  const links = [
    { url: 'https://example.com/manual', rect: [72, 698, 215, 712] },
    { url: 'file:///etc/passwd', rect: [220, 698, 300, 712] },
    { url: 'javascript:alert(1)', rect: [220, 698, 300, 712] },
  ] as const;
  expect((await read('pdf', pdfFile([[{ text: line, y: 700 }]], { links }))).text).toBe(line);
});

it('links whole words after any letters, without the full stop behind them', async () => {
  const line = 'If it still fails, till it is filled: Software RAID HOWTO. See it.';
  const [before, upTo] = [135.4, 264.0]; // in points: of Helvetica, of 12 points
  const links = [{ url: 'https://example.com/raid', rect: [72 + before, 698, 72 + upTo, 712] }] as const;
  const { text } = await read('pdf', pdfFile([[{ text: line, y: 700 }]], { links }));
  expect(text).toContain('is filled: [Software RAID HOWTO](https://example.com/raid). See');
});

it('inserts one link for several areas over the same words', async () => {
  const areas = [0, 1, 2].map((shift) => ({ url: 'https://example.com/guide', rect: [149 + shift, 698, 178 + shift, 712] as const }));
  const line = [
    { text: 'Order at our', x: 72, y: 700 },
    { text: 'shop', x: 150, y: 700 },
    { text: 'today', x: 184, y: 700 },
  ];
  expect((await read('pdf', pdfFile([line], { links: areas }))).text).toBe('Order at our [shop](https://example.com/guide) today');
});
