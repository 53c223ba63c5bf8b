import { describe, expect, it } from 'vitest';
import type { KbError } from '../../src/core/errors.ts';
import { parseYaml } from '../../src/core/yaml.ts';

const failure = (text: string): KbError => {
  try {
    parseYaml(text, { where: 'a.yaml', hint: 'Fix it.', code: 'configuration' });
  } catch (error) {
    return error as KbError;
  }
  throw new Error('it was parsed');
};

describe('YAML', () => {
  it('is read as a value, and JSON as well', () => {
    for (const text of ['a: [1, x]', '{"a": [1, "x"]}']) expect(parseYaml(text, { where: 'a.yaml' })).toEqual({ a: [1, 'x'] });
    expect(parseYaml(`${'['.repeat(60)}${']'.repeat(60)}`, { where: 'a.yaml' })).toBeInstanceOf(Array);
  });

  // compared with all before it, each key would take a minute
  it('may have sixty thousand keys', () => {
    const text = Array.from({ length: 60_000 }, (_, i) => `a${i}: {x: 1}\n`).join('');
    expect(Object.keys(parseYaml(text, { where: 'a.yaml' }) as object)).toHaveLength(60_000);
  });

  it.each([
    ['has a mistake', 'a: 1\nb: [', /^a\.yaml, line 2: this is not YAML: .*[^.]\.$/],
    ['repeats a key', 'a:\n  b: 1\n  c: 2\n  b: 3', /^a\.yaml, line 4: this is not YAML: Map keys must be unique\.$/],
    ['is too deep for the parser', '['.repeat(50_000), /^a\.yaml, line 1: this is not YAML: it is nested too deeply\.$/],
    ['is too deep for those who use it', `${'['.repeat(70)}${']'.repeat(70)}`, /^a\.yaml: it is nested too deeply: at most 64 levels/],
    ['contains itself', '&a [*a, *a, *a]', /^a\.yaml: it is nested too deeply/],
    ['has an alias of nothing', 'a: *b', /^a\.yaml(?:, line 1)?: this is not YAML: /],
  ])('is refused with its place and the reason if it %s', (_, text, message) => {
    expect(failure(text)).toMatchObject({ message: expect.stringMatching(message), hint: 'Fix it.', code: 'configuration' });
  });
});
