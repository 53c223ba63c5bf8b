import { describe, expect, it } from 'vitest';
import { describe as described, toEnvelope, isAbort, KbError, toErrorItem } from '../../src/core/errors.ts';

describe('an error', () => {
  it('is described with its hint', () => {
    expect(described(new KbError('usage', 'It is so.', { hint: 'Do that.' }))).toBe('It is so. Do that.');
    expect(described(new KbError('usage', 'It is so.'))).toBe('It is so.');
    expect(described(new Error('plain'))).toBe('plain');
    expect(described('text')).toBe('text');
  });

  it('has an envelope whose type tells its kind', () => {
    expect(toEnvelope(new KbError('usage', 'It is so.', { hint: 'Do that.' }))).toEqual({
      error: { type: 'ValueError', message: 'It is so. Do that.' },
    });
    expect(toEnvelope(new KbError('setup', 'x')).error.type).toBe('SetupError');
    expect(toEnvelope(new TypeError('x')).error.type).toBe('RuntimeError');
  });

  it('becomes an item that says whether a retry may succeed', () => {
    const where = { source: 'a.md', source_kind: 'path', stage: 'convert' } as const;
    expect(toErrorItem(new KbError('unavailable', 'Busy.', { isRetryable: true, attempts: 4 }), where)).toEqual({
      ...where,
      error: 'Busy.',
      isRetryable: true,
      attempts: 4,
    });
    expect(toErrorItem(new Error('x'), where)).toEqual({ ...where, error: 'x', isRetryable: false, attempts: 1 });
  });

  it('keeps its cause, and differs from an abort', () => {
    const cause = new Error('x');
    expect(new KbError('internal', 'y', { cause }).cause).toBe(cause);
    expect('cause' in new KbError('internal', 'y')).toBe(false);
    expect([new KbError('aborted', 'x'), new DOMException('x', 'AbortError'), new KbError('internal', 'x'), 'x'].map(isAbort)).toEqual([
      true,
      true,
      false,
      false,
    ]);
  });
});
