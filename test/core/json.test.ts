import { expect, it } from 'vitest';
import { explainJsonError } from '../../src/core/json.ts';

it.each([
  ['', 'is not JSON: it ends too early'],
  ['{"a": [1', 'is not JSON: it ends too early'],
  ['{"a": "x', 'is not JSON: it ends too early'],
  ['{"a": 1} x', 'is not JSON at character 10'],
  ['a: 1', 'is not JSON'],
  ['\0', 'is not JSON'],
])('says in words where %j stops being JSON', (text, problem) => {
  try {
    JSON.parse(text);
  } catch (cause) {
    expect(explainJsonError(text, cause)).toBe(problem);
    return;
  }
  expect.fail('it is JSON');
});
