import { describe, expect, it, test } from 'vitest';
import { CITATIONS, numbersCited, OutputCleaner, DISCARD, cleanOutput } from '../../src/text/model-output.ts';
import { array, assert, constantFrom, integer, property } from 'fast-check';

test('matches numbers in brackets as citations, but not escaped ones', () => {
  const lists = Array.from('A [1], B [2, 3]; C [2–4] \\[5\\] [x] [] x[6].'.matchAll(CITATIONS), ([, list]) => list);
  expect(lists).toEqual(['1', '2, 3', '2–4', '6']);
});

test.each([
  ['1', [1]],
  ['1, 3;2', [1, 3, 2]],
  [' 2 - 4 ', [2, 3, 4]],
  ['9', [9]],
  ['0', [0]],
  ['0, 1', undefined],
  ['0-3', undefined],
  ['1-50', undefined],
  ['2024', undefined],
  ['3-1', undefined],
  ['1,', undefined],
])('reads [%s] with three sources as %j', (list, numbers) => {
  expect(numbersCited(list, 3)).toEqual(numbers);
});

test('accepts a range up to twice the number of sources', () => {
  expect(numbersCited('1-40', 20)).toHaveLength(40);
  expect(numbersCited('1-41', 20)).toBeUndefined();
});

/** The text that is shown of an answer that arrives in these pieces. */
function shown(pieces: readonly string[], options: { expectsReasoning?: boolean } = {}): string {
  const cleaner = new OutputCleaner(options);
  const all = [...pieces.flatMap((piece) => cleaner.push(piece)), ...cleaner.end()];
  return all.slice(all.lastIndexOf(DISCARD) + 1).join('');
}

const thought = 'The user asks about fares. 2 < 3, so the first source [1].';
const answer = 'A ticket costs 34 francs [1].';

/** Raw outputs of models whose answer is `answer`. */
const OUTPUTS = {
  think: `<think>${thought}</think>\n\n${answer}`,
  'think after a blank line': `\n<think>\n${thought}\n</think>\n${answer}`,
  thinking: `<thinking>${thought}</thinking>\n\n${answer}`,
  reasoning: `<reasoning>${thought}</reasoning>${answer}`,
  thought: `<thought>\n${thought}\n</thought>\n\n${answer}`,
  'square brackets': `[THINK]${thought}[/THINK]${answer}`,
  triangles: `◁think▷${thought}◁/think▷${answer}`,
  seed: `<seed:think>${thought}</seed:think>${answer}`,
  channels: `<|channel|>analysis<|message|>${thought}<|end|><|start|>assistant<|channel|>final<|message|>${answer}<|return|>`,
  'one channel': `<|channel|>final<|message|>${answer}<|return|>`,
  'no opening mark': `${thought}\n</think>\n\n${answer}`,
  'no opening mark in paragraphs': `Okay.\n\n${thought}</thinking>\n${answer}`,
  'chat markup': `${answer}<|im_end|>`,
  'a runaway': `${answer}<|im_end|>\n<|im_start|>user\nAnd a child?`,
  'end of sentence': `${answer}</s>`,
  'end of turn': `${answer}<end_of_turn>\n`,
  'call of a tool': `<tool_call>\n{"name": "search"}\n</tool_call>\n${answer}`,
  'call of a tool after it': `${answer}\n[TOOL_CALLS][{"name": "search"}]`,
  fence: `\`\`\`markdown\n${answer}\n\`\`\``,
};

describe('the output of a model', () => {
  it.each(Object.entries(OUTPUTS))('is the answer alone: %s', (_name, output) => {
    expect(shown([output]).trim()).toBe(answer);
    expect(cleanOutput(output).trim()).toBe(answer);
    for (const size of [1, 2, 3, 7]) expect(shown(output.match(new RegExp(`[^]{1,${size}}`, 'g'))!).trim()).toBe(answer);
  });

  it('is empty if a model only thinks or calls a tool', () => {
    for (const output of ['<think>Hm. '.repeat(1000), '<tool_call>{}</tool_call>', '[TOOL_CALLS][]', '<|channel|>analysis<|message|>Hm.'])
      expect(shown([output]).trim()).toBe('');
  });

  it('ends at an end token although the same token stands in code before it', () => {
    expect(shown(['Stop at `<|im_end|>`.<|im_end|><think>more'])).toBe('Stop at `<|im_end|>`.');
  });

  it('keeps marks that the answer speaks of', () => {
    for (const text of [
      'It is so.',
      'Write `<think>` and `</think>`.',
      'Write <think>a</think>.',
      '<thinker> is a tag.',
      '<b>So</b>',
      '<s>old</s> new',
      ' So.',
      '',
      'Use:\n\n```html\n<think>\n</think>\n```\n\nIt ends with `<|im_end|>`.',
      '```js\nf();\n```',
      'Both:\n```md\n# Title\n```\n',
    ])
      for (const pieces of [[text], [...text]]) expect(shown(pieces)).toBe(text);
  });

  it('is held back if earlier answers began with reasoning without an opening mark', () => {
    const cleaner = new OutputCleaner({ expectsReasoning: true });
    expect([...`${thought}\n</think>\n`].flatMap((piece) => cleaner.push(piece))).toEqual([]);
    expect(shown([answer], { expectsReasoning: true })).toBe(answer);
  });

  it('does not depend on how it is split', () => {
    const cut = (text: string, cuts: readonly number[]) => {
      const ends = [0, ...cuts.map((at) => at % (text.length + 1)), text.length].toSorted((a, b) => a - b);
      return ends.slice(1).map((end, i) => text.slice(ends[i], end));
    };
    const words = array(
      constantFrom(
        '<think>',
        '</think>',
        '\n',
        '\n\n',
        '`',
        '```',
        '```md\n',
        'so ',
        '<|im_end|>',
        '</s>',
        '<tool_call>',
        '</tool_call>',
        '[',
      ),
    );
    assert(
      property(words, array(integer({ min: 0, max: 200 })), (parts, cuts) => {
        const text = parts.join('');
        expect(shown(cut(text, cuts))).toBe(shown([text]));
      }),
      { numRuns: 2000 },
    );
  });
});
