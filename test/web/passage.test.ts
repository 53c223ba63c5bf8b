import { describe, expect, it } from 'vitest';
import { bareText, findQuotedBlock, wordsOf, sectionAround } from '../../web/passage.ts';

describe('the block that supports a statement', () => {
  const blocks = ['The machine is guaranteed.', 'The boilers are guaranteed for 60 months.', 'Descale it every nine weeks.'];

  it('contains most of its words', () => {
    expect(findQuotedBlock(blocks, 'Boilers have a guarantee of 60 months')).toBe(1);
  });

  it('is the shorter of two that contain as many', () => {
    expect(findQuotedBlock([`Descale it every nine weeks. ${'More of it. '.repeat(30)}`, blocks[2]!], 'descale every nine weeks')).toBe(1);
  });

  it('is none if no block matches', () => {
    expect([
      findQuotedBlock(blocks, 'an unrelated sentence about trains'),
      findQuotedBlock(blocks, '…'),
      findQuotedBlock([], 'boilers'),
    ]).toEqual([-1, -1, -1]);
  });

  it('is found in a script without spaces', () => {
    expect(findQuotedBlock(['机器每九周除垢一次。', '锅炉保修六十个月。'], '锅炉的保修是六十个月')).toBe(1);
  });
});

describe('words and bare text', () => {
  it('contain no punctuation', () => {
    expect(wordsOf('Part OVP-1054, please!')).toEqual(['part', 'ovp', '1054', 'please']);
    expect(bareText('**60 months** | Boilers')).toBe('60monthsboilers');
  });
});

const long = (name: string) => `${name} ${'and so on, '.repeat(400)}`;

describe('the section around a passage', () => {
  const text = `# Manual\n\n${long('Introduction')}\n\n## Care\n\nWipe it.\n\n### Filter\n\nReplace the filter monthly.\n\n## Storage\n\nKeep it dry.`;

  it('reaches from its heading to the next of that level, with short parent sections', () => {
    expect(sectionAround(text, 'Replace the filter monthly.')).toBe('## Care\n\nWipe it.\n\n### Filter\n\nReplace the filter monthly.');
  });

  it('is the whole of a short document', () => {
    expect(sectionAround('# Warranty\n\nTwo years.\n\n## Claims\n\nWrite to us.', 'Two years.')).toBe(
      '# Warranty\n\nTwo years.\n\n## Claims\n\nWrite to us.',
    );
  });

  it('is found if the passage repeats a table header', () => {
    const table = `## Parts\n\n| Part | Name of it |\n| --- | --- |\n| 1 | ${long('Lid')} |\n| 2 | A gasket of silicone |\n\n## Next\n\nOther.`;
    expect(sectionAround(table, '| Part | Name of it |\n| --- | --- |\n| 2 | A gasket of silicone |')).toMatch(/^## Parts[^]*silicone \|$/);
  });

  it('does not take a comment in code for a heading', () => {
    const code = `# Setup\n\n${long('Before')}\n\n## Steps\n\n\`\`\`sh\n# not a heading\nrun it\n\`\`\`\n\nDone with that.`;
    expect(sectionAround(code, 'Done with that.')).toMatch(/^## Steps\n\n```sh\n# not a heading/);
  });

  it('is cut to paragraphs around the passage if it is very long', () => {
    const section = `# Log\n\n${Array.from({ length: 40 }, (_, i) => long(`Entry ${i}`)).join('\n\n')}`;
    const shown = sectionAround(section, long('Entry 20'));
    expect(shown.length).toBeLessThan(20_000);
    expect(shown).toContain('Entry 20 ');
    expect(shown).toMatch(/^Entry \d+ /);
  });

  it('is the passage itself if the document no longer contains it', () => {
    expect(sectionAround('# Other', 'A passage that was changed since.')).toBe('A passage that was changed since.');
  });
});
