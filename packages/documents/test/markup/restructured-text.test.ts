import { describe, expect, it } from 'vitest';
import { restructuredToMarkdown } from '../../src/markup/restructured-text.ts';

const markdown = async (...lines: string[]) => (await restructuredToMarkdown(lines.join('\n'))).text.split('\n');

describe('the reStructuredText parser', () => {
  it('assigns heading levels in the order in which adornments are first used', async () => {
    expect(await markdown('====', 'Pump', '====', '', 'Water', '-----', '', 'Hot', '~~~', '', 'Steam', '-----')).toEqual([
      '',
      '# Pump',
      '',
      '',
      '## Water',
      '',
      '',
      '### Hot',
      '',
      '',
      '## Steam',
      '',
    ]);
  });

  it('fences code without moving its lines', async () => {
    expect(await markdown('Run it::', '', '    pump --start', '', '      # all', '', 'Then wait.')).toEqual([
      'Run it:',
      '```',
      'pump --start',
      '',
      '  # all',
      '```',
      'Then wait.',
    ]);
    expect(await markdown('.. code-block:: sh', '   :linenos:', '', '   pump', 'Wait.')).toEqual(
      ['', '', '```sh', 'pump\n```', 'Wait.'].flatMap((line) => line.split('\n')),
    );
  });

  it('reads code of any length', async () => {
    const lines = ['Log::', '', ...Array.from({ length: 1_000_000 }, () => '    a'), '', 'End.'];
    expect((await markdown(lines.join('\n'))).slice(-3)).toEqual(['a', '```', 'End.']);
  });

  it('converts notes, options and version changes with their text', async () => {
    expect(
      await markdown('.. note:: Wear gloves.', '', '.. option:: -x, --exclude', '', '   Leaves out files.', '', '.. versionadded:: 2.1'),
    ).toEqual(['**Note:** Wear gloves.', '', '**`-x, --exclude`**', '', '   Leaves out files.', '', '**Added in version:** 2.1']);
  });

  it('leaves out comments, targets and directives of Sphinx', async () => {
    expect(
      (
        await markdown('.. _start:', '', '.. toctree::', '   :maxdepth: 2', '', '   a', '', '.. not shown', '   at all', '', 'Text.')
      ).filter(Boolean),
    ).toEqual(['Text.']);
  });

  it('converts links and roles to text, and literals to code', async () => {
    expect(await markdown('See :ref:`the guide <guide>`, :func:`~pump.run`, `Home <https://x.example>`_, ``a_b`` and |name|.')).toEqual([
      'See the guide, `pump.run`, [Home](https://x.example), `a_b` and name.',
    ]);
  });

  it('replaces substitutions by their text', async () => {
    const source = ['Runs |os|, not |it|.', '', '.. |os| replace:: on ``a|b``', '', '===  ====', 'a    |os|', '===  ===='];
    expect((await markdown(...source)).filter(Boolean)).toEqual([
      'Runs on `a|b`, not it.',
      '|  |  |',
      '| --- | --- |',
      '| a | on `a\\|b` |',
    ]);
    const long = [`.. |a| replace:: ${'x'.repeat(10_000)}`, ...Array.from({ length: 1000 }, () => '|a|')];
    expect((await markdown(...long)).join('').length).toBeLessThan(1_100_000);
  });

  it('keeps indented text from becoming code', async () => {
    expect(await markdown('term', '     What it means.')).toEqual(['term', '   What it means.']);
  });

  it('names the included file if there is nothing else', async () => {
    expect(await markdown('.. The changes.', '', '.. include:: ../CHANGES.rst')).toEqual(['', '', '../CHANGES.rst']);
    expect(await markdown('.. only:: html', '', '   .. include:: ../CHANGES.rst')).toEqual(['', '', '../CHANGES.rst']);
  });

  it('reads deeply nested blocks in linear time', async () => {
    expect((await markdown('.. note:: One', '', '   .. tip:: Two', '', '      Three.', '', 'Four.')).filter(Boolean)).toEqual([
      '**Note:** One',
      '**Tip:** Two',
      '   Three.',
      'Four.',
    ]);
    const nested = Array.from({ length: 200 }, (_, depth) => `${' '.repeat(depth)}.. note:: n`);
    const { text } = await restructuredToMarkdown(Array.from({ length: 1000 }, () => nested.join('\n')).join('\n'));
    expect(text.match(/\*\*Note:\*\* n/g)).toHaveLength(200_000);
  });
});
