import { describe, expect, it } from 'vitest';
import { basicForms, credentialsIn, redactor } from '../../src/core/secrets.ts';

describe('credentials in what was sent', () => {
  const cases: [string, string, string, string[], boolean?][] = [
    ['a token behind its scheme', 'Authorization', 'Bearer sk-12345', ['sk-12345']],
    [
      'a user and a password',
      'authorization',
      `Basic ${btoa('ann:s3cret')}`,
      ['ann:s3cret', btoa('ann:s3cret').replace(/=+$/, ''), 's3cret'],
    ],
    ['a key', 'x-api-key', 'tk-4b1d', ['tk-4b1d']],
    ['a key whose name does not say so, given to one site', 'X-Team', 'tk-4b1d77aa09', ['tk-4b1d77aa09'], true],
    ['cookies', 'cookie', 'lang=de; session=c00kie-77', ['c00kie-77']],
    ['a word as password', 'password', 'harbour', []],
    ['what chooses a language', 'lang', 'de-DE', []],
    ['a field to sort by', 'sort_key', 'published', []],
    ['a version', 'X-Api-Version', '2022-11-28', [], true],
  ];
  it.each(cases)('are found: %s', (_what, name, value, found, isGiven = false) => {
    expect(credentialsIn(name, value, { isGiven })).toEqual(found);
  });
});

describe('a text without credentials', () => {
  it('is undefined where none were sent', () => {
    expect(redactor([])).toBeUndefined();
  });

  it('has a mark in the place of each, however it is written', () => {
    const redact = redactor([...basicForms('pilot:Skjær-7f3e91'), 'tk_4b*1d77'])!;
    const said = [
      `Basic ${Buffer.from('pilot:Skjær-7f3e91').toString('base64')}, nothing else`,
      'pilot:Skjær-7f3e91',
      'the password Skjær-7f3e91.',
      'https://a.example/?p=Skj%C3%A6r-7f3e91&q=1',
      'Skjær\\-7f3e91 and tk\\_4b\\*1d77 in Markdown',
      'xtk_4b*1d77x',
    ];
    expect(said.map(redact)).toEqual([
      'Basic [redacted], nothing else',
      '[redacted]',
      'the password [redacted].',
      'https://a.example/?p=[redacted]&q=1',
      '[redacted] and [redacted] in Markdown',
      'x[redacted]x',
    ]);
  });

  it('keeps words that a short one is a part of, and all else', () => {
    expect(redactor(['ab-12'])!('ab-12, cab-123, the pilot')).toBe('[redacted], cab-123, the pilot');
  });

  it('takes time in proportion to the text', () => {
    const text = 'tk-4b1d77aa0\\'.repeat(50_000);
    expect(redactor(['tk-4b1d77aa09'])!(text)).toBe(text);
  });
});
