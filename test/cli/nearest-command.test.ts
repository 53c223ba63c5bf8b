import { describe, expect, it } from 'vitest';
import { meantCommand } from '../../src/cli/failure.ts';

const COMMANDS = ['ingest', 'retrieve', 'chat', 'delete', 'doctor', 'serve', 'collections list', 'collections drop', 'collections show'];

describe('the command that was meant', () => {
  it.each([
    ['search', 'retrieve'],
    ['ls', 'collections list'],
    ['ask', 'chat'],
    ['rm', 'delete'],
    ['add', 'ingest'],
    ['collections ls', 'collections list'],
  ])('%s is near %s in meaning', (given, meant) => expect(meantCommand(given.split(' '), COMMANDS)).toBe(meant));

  it.each([
    ['retreive', 'retrieve'],
    ['collections lst', 'collections list'],
    ['Chatt', 'chat'],
  ])('%s is near %s in letters', (given, meant) => expect(meantCommand(given.split(' '), COMMANDS)).toBe(meant));

  it('is none where nothing is near', () => expect(meantCommand(['nonsense'], COMMANDS)).toBeUndefined());
});
