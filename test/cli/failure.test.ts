import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { KbError, type ErrorCode } from '../../src/core/errors.ts';
import { EXIT, exitCodeOf, formatError, suggestCommand, suggestFlags } from '../../src/cli/failure.ts';

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

describe('the printed error', () => {
  const said = 'bad \u001b]0;PWNED\u0007 \u001b[2Jthing';

  it('contains no sequence for the terminal', () => {
    expect(formatError(new KbError('invalid', said, { hint: 'Ask \u009b31magain.' }))).toBe('Error: bad  thing Ask again.');
    expect(formatError(new KbError('aborted', said))).toBe('bad  thing');
    expect(formatError(new Error(said))).not.toMatch(/[\u0007\u001b]/);
  });

  it('contains none in its stack either', () => {
    vi.stubEnv('KB_DEBUG', '1');
    onTestFinished(() => void vi.unstubAllEnvs());
    const text = formatError(new Error(said));
    expect(text).toContain('failure.test.ts');
    expect(text).not.toMatch(/[\u0007\u001b]/);
  });
});

const COMMANDS = ['ingest', 'retrieve', 'chat', 'delete', 'doctor', 'serve', 'collections list', 'collections drop', 'collections show'];

describe('the suggested command', () => {
  it.each([
    ['search', 'retrieve'],
    ['ls', 'collections list'],
    ['ask', 'chat'],
    ['rm', 'delete'],
    ['add', 'ingest'],
    ['collections ls', 'collections list'],
  ])('%s is near %s in meaning', (given, meant) => expect(suggestCommand(given.split(' '), COMMANDS)).toBe(meant));

  it.each([
    ['retreive', 'retrieve'],
    ['collections lst', 'collections list'],
    ['Chatt', 'chat'],
  ])('%s is near %s in letters', (given, meant) => expect(suggestCommand(given.split(' '), COMMANDS)).toBe(meant));

  it('is missing if no command is near', () => expect(suggestCommand(['nonsense'], COMMANDS)).toBeUndefined());
});

describe('a flag that was probably meant', () => {
  const retrieve = {
    command: 'retrieve',
    flags: ['embedding-model', 'embedding-provider', 'rerank', 'storage-url', 'top-k'],
    args: ['query'],
  };
  it.each([
    ['use-rerank', 'Did you mean --rerank?'],
    ['model', 'Did you mean --embedding-model?'],
    ['url', 'Did you mean --storage-url?'],
    ['topk', 'Did you mean --top-k?'],
    ['query', 'It stands without a flag: kb retrieve QUERY.'],
    ['zebra', 'Try --help.'],
    ['constructor', 'Try --help.'],
  ])('is found for --%s', (flag, suggestion) => {
    expect(suggestFlags(flag, retrieve)).toBe(suggestion);
  });

  it('may be one of several', () => {
    const chat = { command: 'chat', flags: ['embedding-model', 'llm-model'], args: ['query'] };
    expect(suggestFlags('model', chat)).toBe('Did you mean --embedding-model or --llm-model?');
  });
});
