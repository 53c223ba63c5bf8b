import { expect, it } from 'vitest';
import { codeTracker } from '../../../src/text/markdown/partial-markdown.ts';

/** What of a text's letters and digits stands in code. */
function inCode(text: string): string {
  const code = codeTracker();
  return [...text].filter((letter) => code.step(letter) && /[\p{L}\p{N}]/u.test(letter)).join('');
}

it.each([
  ['a `b` c', 'b'],
  ['a ``b`c`` d', 'bc'],
  ['```js\nb\n```\nc', 'jsb'],
  ['~~~\nb[0]\n~~~\nc', 'b0'],
  ['a ~~b~~ c ~ d', ''],
  ['```\n~~~ b\n```\nc', 'b'],
  ['~~~\nb ``` c\n~~~\nd', 'bc'],
  ['a `b\n\nc', 'b'],
  ['a \\`b', ''],
  ['a \\\\`b` c', 'b'],
  ['a `b\\` c', 'b'],
])('codeTracker finds the code in %j: «%s»', (text, expected) => {
  expect(inCode(text)).toBe(expected);
});
