import { describe, expect, it } from 'vitest';
import { KbError, type ErrorCode } from '../../src/base/errors.ts';
import { EXIT, exitCodeOf } from '../../src/cli/failure.ts';

describe('the exit code', () => {
  const codes: [ErrorCode, number][] = [
    ['usage', 2],
    ['configuration', 2],
    ['setup', 2],
    ['not_found', 1],
    ['conflict', 1],
    ['unauthorized', 1],
    ['unavailable', 1],
    ['invalid', 1],
    ['internal', 1],
    ['aborted', 130],
  ];
  it.each(codes)('of %s is %i', (code, exit) => {
    expect(exitCodeOf(new KbError(code, 'x'))).toBe(exit);
  });

  it('of anything else is that of failed work', () => {
    expect(exitCodeOf(new Error('x'))).toBe(EXIT.failed);
    expect(exitCodeOf('x')).toBe(EXIT.failed);
    expect(exitCodeOf(new DOMException('x', 'AbortError'))).toBe(EXIT.interrupted);
  });
});
