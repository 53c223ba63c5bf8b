import { describe, expect, it } from 'vitest';
import { folder } from '../support/folder.ts';
import { kb, KB, onTerminal, SEQUENCES, start } from '../support/program.ts';
import { runCommand } from '../support/run-command.ts';

describe('the help of kb', () => {
  it('is the same with help as with --help', async () => {
    const cwd = folder();
    const [help, plain, chat, its] = await Promise.all(
      [['help'], ['--help'], ['help', 'chat'], ['chat', '--help']].map((words) => kb(words, { cwd })),
    );
    expect(help).toEqual({ ...plain, code: 0 });
    expect(chat).toEqual({ ...its, code: 0 });
    expect((await kb(['help', 'search'], { cwd })).error).toContain('"kb retrieve"');
  });

  it('prints the version with -v, too', async () => {
    const cwd = folder();
    const long = await kb(['--version'], { cwd });
    expect(long).toMatchObject({ code: 0, out: expect.stringMatching(/\d+\.\d+\.\d+/) });
    expect(await kb(['-v'], { cwd })).toEqual(long);
  });

  it('suggests the command that was meant, and ends with 2', async () => {
    const cwd = folder();
    expect(await kb(['search', 'steam'], { cwd })).toMatchObject({ code: 2, error: expect.stringContaining('"kb retrieve"') });
    expect(await kb(['collections', 'lst'], { cwd })).toMatchObject({ code: 2, error: expect.stringContaining('"kb collections list"') });
  });

  it('generates completions for the shell', async () => {
    const cwd = folder();
    const { code, out } = await kb(['autocomplete', 'script', 'bash'], { cwd });
    expect([code, out]).toEqual([0, expect.stringContaining('KB_AC_BASH_SETUP_PATH')]);
  });

  it('lets bash complete file names if nothing else fits', async () => {
    const cwd = folder();
    const env = { XDG_CACHE_HOME: cwd };
    expect((await kb(['autocomplete', 'bash'], { cwd, env })).code).toBe(0);
    const { out: script } = await kb(['autocomplete', 'script', 'bash'], { cwd, env });
    const sourced = await start(['bash', '-c', 'source rc; complete -p kb'], { cwd: folder({ rc: script }), env, input: '' }).done;
    expect(sourced).toMatchObject({ code: 0, error: '', out: 'complete -o default -F _kb_autocomplete kb\n' });
  });

  it('a spinner is shown while it waits, on a terminal only', async () => {
    const cwd = folder();
    const { out } = await onTerminal(`${KB} doctor`, { cwd }).done;
    expect(out).toMatch(/Checking/);
    const edited = await onTerminal(`echo '{"id": "ghost", "text": "Boo."}' | ${KB} edit`, { cwd }).done;
    expect(edited.out).toMatch(/Editing/);
    const piped = await runCommand(['doctor'], { cwd });
    expect(piped.error.replace(SEQUENCES, '')).not.toContain('Checking');
    const quiet = await onTerminal(`${KB} doctor --quiet`, { cwd }).done;
    expect(quiet.out).not.toMatch(/Checking/);
  });
});
