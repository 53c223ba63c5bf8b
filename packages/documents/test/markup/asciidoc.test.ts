import { describe, expect, it } from 'vitest';
import { asciidocToMarkdown } from '../../src/markup/asciidoc.ts';

const markdown = (...lines: string[]) => asciidocToMarkdown(lines.join('\n')).text.split('\n');

describe('the AsciiDoc parser', () => {
  it('converts headings, notes and lists', () => {
    expect(
      markdown('= Pump', ':toc:', '', '== Start', '', 'NOTE: Wear gloves.', '', '* One', '** Two', '. First', '', 'Lid:: Above.'),
    ).toEqual(['# Pump', '', '', '## Start', '', '**Note:** Wear gloves.', '', '- One', '  - Two', '1. First', '', '**Lid** Above.']);
  });

  it('converts titles that are underlined', () => {
    expect(markdown('grow(1)', '=======', '', 'NAME', '----', 'grow - makes plants larger', '', '----', 'code', '----')).toEqual([
      '# grow(1)',
      '',
      '',
      '## NAME',
      '',
      'grow - makes plants larger',
      '',
      '````',
      'code',
      '````',
    ]);
  });

  it('keeps code unchanged, with its title and language', () => {
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

  it('converts a table with its header', () => {
    expect(markdown('|===', '|Code |Meaning', '', '|E24 |Too hot', '|===')).toEqual([
      '',
      '| Code | Meaning |',
      '| --- | --- |',
      '| E24 | Too hot |',
      '',
    ]);
  });

  it('converts a table whose cells have lines of their own, span others or continue', () => {
    const lines = [
      '.Codes',
      '[cols="1,2a,1", options="header"]',
      '|===',
      '|Code',
      '|Meaning',
      '|Since',
      '',
      '.2+|E24',
      '|Too *hot*:',
      'wait',
      '|1',
      '',
      '|Too',
      'cold \\| wet|2',
      '2+^|any | 3',
      '|===',
      'End.',
    ];
    const { text, marks } = asciidocToMarkdown(lines.join('\n'));
    expect(text.split('\n').filter(Boolean)).toEqual([
      '**Codes**',
      '| Code | Meaning | Since |',
      '| --- | --- | --- |',
      '| E24 | Too *hot*: wait | 1 |',
      '| E24 | Too cold \\| wet | 2 |',
      '| any |  | 3 |',
      'End.',
    ]);
    expect(marks.find(({ at }) => text.slice(at).startsWith('| E24 | Too cold'))?.line).toBe(13);
    const last = marks.at(-1)!;
    expect(last.line! + text.slice(last.at, text.indexOf('End.')).split('\n').length - 1).toBe(17);
  });

  it('converts a table without a header, and a CSV table', () => {
    expect(markdown('|===', '|a |b|c', '|c |d|e', '|===').filter(Boolean)).toEqual([
      '|  |  |  |',
      '| --- | --- | --- |',
      '| a | b | c |',
      '| c | d | e |',
    ]);
    expect(markdown('[%header,format=csv]', '|===', 'Name,Size', '"Lid, red",3', '|===').filter(Boolean)).toEqual([
      '| Name | Size |',
      '| --- | --- |',
      '| Lid, red | 3 |',
    ]);
  });

  it('replaces attributes, but not in code', () => {
    expect(
      markdown(
        ':url: https://x.example',
        ':Guide: {url}/guide',
        'See {guide}[the guide] of C{pp} and {unknown}.',
        '----',
        '{url}',
        '----',
      ).filter(Boolean),
    ).toEqual(['See [the guide](https://x.example/guide) of C++ and {unknown}.', '````', '{url}', '````']);
    const bomb = [
      ':a0: aaaaaaaaaa',
      ...Array.from({ length: 50 }, (_, i) => `:a${i + 1}: ${`{a${i}}`.repeat(10)}`),
      '{a50}'.repeat(100_000),
    ];
    expect(markdown(...bomb).at(-1)!.length).toBeLessThan(2_000_000);
  });

  it('converts links and references to text, and removes comments', () => {
    expect(markdown('See https://x.example[Home^], link:a.html[A] and <<lid,the lid>>.', '// hidden', '////', 'hidden', '////')).toEqual([
      'See [Home](https://x.example), [A](a.html) and the lid.',
      '',
      '',
      '',
      '',
    ]);
  });
});
