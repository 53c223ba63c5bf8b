import { describe, expect, it } from 'vitest';
import { sectionAround } from '../../web/section.ts';

const long = (name: string) => `${name} ${'and so on, '.repeat(400)}`;

describe('the section around a passage', () => {
  const text = `# Manual\n\n${long('Introduction')}\n\n## Care\n\nWipe it.\n\n### Filter\n\nReplace the filter monthly.\n\n## Storage\n\nKeep it dry.`;

  it('reaches from its heading to the next one of that level, with short sections above it', () => {
    expect(sectionAround(text, 'Replace the filter monthly.')).toBe('## Care\n\nWipe it.\n\n### Filter\n\nReplace the filter monthly.');
  });

  it('is the whole of a short document', () => {
    expect(sectionAround('# Warranty\n\nTwo years.\n\n## Claims\n\nWrite to us.', 'Two years.')).toBe(
      '# Warranty\n\nTwo years.\n\n## Claims\n\nWrite to us.',
    );
  });

  it('is found where the passage repeats the head of its table', () => {
    const table = `## Parts\n\n| Part | Name of it |\n| --- | --- |\n| 1 | ${long('Lid')} |\n| 2 | A gasket of silicone |\n\n## Next\n\nOther.`;
    expect(sectionAround(table, '| Part | Name of it |\n| --- | --- |\n| 2 | A gasket of silicone |')).toMatch(/^## Parts[^]*silicone \|$/);
  });

  it('takes no comment in code for a heading', () => {
    const code = `# Setup\n\n${long('Before')}\n\n## Steps\n\n\`\`\`sh\n# not a heading\nrun it\n\`\`\`\n\nDone with that.`;
    expect(sectionAround(code, 'Done with that.')).toMatch(/^## Steps\n\n```sh\n# not a heading/);
  });

  it('is cut to paragraphs around the passage where it is very long', () => {
    const section = `# Log\n\n${Array.from({ length: 40 }, (_, i) => long(`Entry ${i}`)).join('\n\n')}`;
    const shown = sectionAround(section, long('Entry 20'));
    expect(shown.length).toBeLessThan(20_000);
    expect(shown).toContain('Entry 20 ');
    expect(shown).toMatch(/^Entry \d+ /);
  });

  it('is the passage itself where the document no longer has it', () => {
    expect(sectionAround('# Other', 'A passage that was changed since.')).toBe('A passage that was changed since.');
  });
});
