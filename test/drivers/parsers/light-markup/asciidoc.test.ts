import { describe, expect, it } from 'vitest';
import { asciidocToMarkdown } from '../../../../src/drivers/parsers/light-markup/asciidoc.ts';

const markdown = (...lines: string[]) => asciidocToMarkdown(lines.join('\n')).split('\n');

describe('AsciiDoc', () => {
  it('has headings, notes and lists', () => {
    expect(
      markdown('= Pump', ':toc:', '', '== Start', '', 'NOTE: Wear gloves.', '', '* One', '** Two', '. First', '', 'Lid:: Above.'),
    ).toEqual(['# Pump', '', '', '## Start', '', '**Note:** Wear gloves.', '', '- One', '  - Two', '1. First', '', '**Lid** Above.']);
  });

  it('has code as it stands, under its title and with its language', () => {
    expect(markdown('.Start it', '[source,sh]', '----', 'pump --start', '== no heading', '----')).toEqual([
      '**Start it**',
      '',
      '````sh',
      'pump --start',
      '== no heading',
      '````',
    ]);
    expect(markdown('----', 'open')).toEqual(['````', 'open', '````']);
    expect(markdown('```ruby', 'pump.start', '```', '== Then')).toEqual(['````ruby', 'pump.start', '````', '## Then']);
  });

  it('has a table with its header', () => {
    expect(markdown('|===', '|Code |Meaning', '', '|E24 |Too hot', '|===')).toEqual([
      '',
      '| Code | Meaning |',
      '| --- | --- |',
      '| E24 | Too hot |',
      '',
    ]);
  });

  it('has links and references as what they say, and no comments', () => {
    expect(markdown('See https://x.example[Home^], link:a.html[A] and <<lid,the lid>>.', '// hidden', '////', 'hidden', '////')).toEqual([
      'See [Home](https://x.example), [A](a.html) and the lid.',
      '',
      '',
      '',
      '',
    ]);
  });
});
