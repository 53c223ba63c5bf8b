import { describe, expect, it } from 'vitest';
import { pptxFile } from '../../support/files.ts';
import { placeOf, read } from './read.ts';

const slides = [
  { title: 'Aqua 300 launch', bullets: ['Sixty litres', 'Two seals'] },
  {
    title: 'Prices',
    table: [
      ['Model', 'Price'],
      ['Aqua 300', '249 EUR'],
    ],
    notes: 'The discount ends in June.',
  },
  { title: 'Questions' },
];

describe('PPTX', () => {
  it('has the title, bullets, table and notes of each slide', async () => {
    const { text, metadata } = await read('pptx', pptxFile(slides));
    expect(text).toBe(
      [
        '## Aqua 300 launch',
        '- Sixty litres\n- Two seals',
        '## Prices',
        '| Model | Price |\n| --- | --- |\n| Aqua 300 | 249 EUR |',
        '> Notes: The discount ends in June.',
        '## Questions',
      ].join('\n\n'),
    );
    expect(metadata).toEqual({ pages: 3 });
  });

  it('knows the slide of every passage', async () => {
    const parsed = await read('pptx', pptxFile(slides));
    expect(['Sixty', '249 EUR', 'discount', 'Questions'].map((words) => placeOf(parsed, words)?.page)).toEqual([1, 2, 2, 3]);
    expect(parsed.marks).toHaveLength(3);
  });

  it('is named by its property, or else by its first slide', async () => {
    const core = { 'dc:title': 'Launch deck', 'dc:creator': 'Ida Berg' };
    expect(await read('pptx', pptxFile(slides, { core }))).toMatchObject({ title: 'Launch deck', metadata: { author: 'Ida Berg' } });
    expect((await read('pptx', pptxFile(slides))).title).toBe('Aqua 300 launch');
  });
});
