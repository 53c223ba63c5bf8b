import { describe, expect, it } from 'vitest';
import { docxFile, wordParagraph as p, wordTable } from '../../../support/files.ts';
import { read } from '../read.ts';

describe('DOCX', () => {
  it('has headings, lists, tables and links', async () => {
    const link = '<w:hyperlink r:id="rOrder"><w:r><w:t>order form</w:t></w:r></w:hyperlink>';
    const parts = [
      p('Service manual', { style: 'Title' }),
      p('Pumps', { style: 'Heading1' }),
      p('Keep ERR_4042 in mind.'),
      p('Descaling', { style: 'Heading2' }),
      p('Empty the tank', { list: { id: 2, level: 0 } }),
      p('Fill in the acid', { list: { id: 2, level: 0 } }),
      p('gloves', { list: { id: 1, level: 0 } }),
      p('rubber ones', { list: { id: 1, level: 1 } }),
      p('', { raw: link }),
      wordTable([
        ['Part', 'Number'],
        ['Pump | seal', 'P-4711'],
      ]),
    ];
    const { text, title } = await read('docx', docxFile(parts.join(''), { links: { rOrder: 'https://pump.example/order' } }));
    expect(text).toBe(
      [
        '# Service manual',
        '# Pumps',
        'Keep ERR_4042 in mind.',
        '## Descaling',
        '1. Empty the tank\n2. Fill in the acid',
        '- gloves\n  - rubber ones',
        '[order form](https://pump.example/order)',
        '| Part | Number |\n| --- | --- |\n| Pump \\| seal | P-4711 |',
      ].join('\n\n'),
    );
    expect(title).toBe('Service manual');
  });

  it('has its properties in the metadata, and its title before the first heading', async () => {
    const core = {
      'dc:title': 'Plan & budget',
      'dc:creator': 'Ida Berg',
      'dcterms:created': '2024-03-05T10:15:00Z',
      'dc:description': 'For 2024',
      'dc:language': 'en',
    };
    const { title, metadata } = await read('docx', docxFile(p('Heading', { style: 'Heading1' }) + p('Body.'), { core }));
    expect(title).toBe('Plan & budget');
    expect(metadata).toEqual({ author: 'Ida Berg', created: '2024-03-05T10:15:00.000Z', description: 'For 2024', lang: 'en' });
  });

  it('has merged cells in their columns', async () => {
    const table = wordTable([
      ['Model', ['Power', '<w:gridSpan w:val="2"/>']],
      [['Aqua 300', '<w:vMerge w:val="restart"/>'], 'heater', '1450 W'],
      [['', '<w:vMerge/>'], 'pump', '48 W'],
    ]);
    expect((await read('docx', docxFile(table))).text.split('\n').slice(2)).toEqual([
      '| Aqua 300 | heater | 1450 W |',
      '|  | pump | 48 W |',
    ]);
  });

  it('is read with the changes that were made to it', async () => {
    const raw =
      '<w:r><w:t xml:space="preserve">Keep it for </w:t></w:r><w:del w:id="1"><w:r><w:delText>twelve</w:delText></w:r></w:del><w:ins w:id="2"><w:r><w:t>ninety</w:t></w:r></w:ins><w:r><w:t xml:space="preserve"> days.</w:t></w:r>';
    expect((await read('docx', docxFile(p('', { raw })))).text).toBe('Keep it for ninety days.');
  });
});
