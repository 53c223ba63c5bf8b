import { execFileSync } from 'node:child_process';
import { existsSync, lstatSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { packageRoot } from '../../src/core/project.ts';
import { folder, write } from '../support/folder.ts';
import { openOpenAiServer, type Behaviour } from '../support/openai-server.ts';
import { GATE, KB, kb, onTerminal, SEQUENCES, type Started, startKb } from '../support/program.ts';
import { runCommand } from '../support/run-command.ts';

const QUESTION = 'When is the gate locked?';
const CTRL = { c: '\u0003', d: '\u0004', z: '\u001a', up: '\u001b[A' };

/** A folder with two filled collections that no test changes. */
let home: string;
beforeAll(async () => {
  home = mkdtempSync(join(tmpdir(), 'kb-test-'));
  write(home, { 'docs/gate.md': GATE });
  for (const collection of ['default', 'other']) await runCommand(['ingest', '--docs', 'docs', '--collection', collection], { cwd: home });
});
afterAll(() => rmSync(home, { recursive: true, force: true }));

/** A model server, and the words that make kb use it. */
async function model(behaviour: Behaviour = {}) {
  const server = await openOpenAiServer(behaviour);
  onTestFinished(() => server.close());
  const words = [
    '--llm-provider',
    'openai_compatible',
    '--set',
    'chat.llm.model=m',
    '--set',
    `chat.llm.options={base_url: "${server.url}"}`,
  ];
  const prompts = () => server.requests.map(({ body }) => body.messages!.map(({ content }) => content).join('\n'));
  return { server, words, prompts };
}

/** A conversation on a terminal that waits for the first question; what it keeps is in a folder of the test's own. */
async function conversation(words: readonly string[] = [], { state = folder(), env = {} } = {}) {
  const line = `${KB} chat ${words.map((word) => `'${word}'`).join(' ')}`;
  const talk = onTerminal(line, { cwd: home, env: { XDG_STATE_HOME: state, ...env } });
  await talk.until(/› $/);
  /** Types, and waits for what comes after that. */
  const typed = async (keys: string, pattern: RegExp) => {
    const from = said(talk).length;
    talk.child.stdin!.write(keys);
    await expect.poll(() => said(talk).slice(from), { timeout: 30_000, interval: 30 }).toMatch(pattern);
    return said(talk).slice(from);
  };
  const leave = async () => {
    talk.child.stdin!.write(CTRL.d);
    return await talk.done;
  };
  return { talk, typed, leave, state };
}

/** What stands on a line for a while, and its wiping away. */
const WIPED = /(?:\u001b\[\d+m)*[A-Z][a-z0-9 ]+…(?:\u001b\[\d+m)*\r\u001b\[K/g;

/** What stays on the terminal. */
const said = ({ said: { out, error } }: Started): string => (out + error).replace(WIPED, '').replace(SEQUENCES, '').replaceAll('\r', '');

describe('a conversation on a terminal', () => {
  it('answers, shows its passages on demand, explains unknown commands, and ends with Ctrl-D', async () => {
    const { typed, leave } = await conversation();
    await typed(`${QUESTION}\r`, /locked at ten[\s\S]*\[1\] Gate — docs\/gate\.md[\s\S]*› $/);
    await typed('/help\r', /\/sources[\s\S]*\/clear[\s\S]*› $/);
    await typed('/sources\r', /\[1\] Gate[\s\S]*The gate is locked at ten[\s\S]*› $/);
    await typed('/sources 1\r', /The key hangs in\s+the office\.\s+› $/);
    await typed('/soruces\r', /There is no \/soruces\. Did you mean \/sources\?/);
    expect((await leave()).code).toBe(0);
  });

  it('draws Markdown word by word, and removes its status', async () => {
    const answer = '**It is** locked in the evening at `ten` by the keeper who lives beside it [1].\n\n- the key hangs in the office';
    const { words } = await model({ reply: () => answer });
    const { talk, typed, leave } = await conversation(words);
    const shown = await typed(`${QUESTION}\r`, /office[\s\S]*› $/);
    expect(shown).toContain('It is locked in the evening at ten by the keeper who lives\nbeside it [1].\n\n• the key hangs');
    expect(talk.said.out.match(WIPED)!.join()).toMatch(/Reading the question…[^]*Searching…[^]*Reading 1 passage…/);
    expect(shown).not.toContain('…');
    expect(talk.said.out).toContain('\u001b[1mIt\u001b[22m');
    await leave();
  });

  it('is interrupted by Ctrl-C, forgets that answer, and keeps what was typed ahead', async () => {
    const { server, words, prompts } = await model({
      reply: (_request, count) => (count === 1 ? { pieces: ['It begins ', 'here ', 'and goes on '], end: 'hang' } : 'Second answer [1].'),
    });
    const { typed, talk, leave } = await conversation(words);
    await typed(`${QUESTION}\r`, /It begins/);
    talk.child.stdin!.write('Who has');
    await typed(CTRL.c, /Stopped\.\n› Who has$/);
    await expect.poll(() => server.requests[0]!.isCut).toBe(true);
    await typed(' the key?\r', /Second answer[\s\S]*› $/);
    expect(prompts()).toHaveLength(2);
    expect(prompts()[1]).not.toContain('It begins');
    expect((await leave()).code).toBe(0);
  });

  it('answers a question that was typed during another answer', async () => {
    const { words } = await model({ reply: () => ({ pieces: ['An ', 'answer ', '[1].'], delay: 200 }) });
    const { typed, leave } = await conversation([...words, '--no-query-rewrite']);
    await typed(`${QUESTION}\rWho has the key?\r`, /An answer[\s\S]*› Who has the key\?\s+An answer[\s\S]*› $/);
    expect((await leave()).code).toBe(0);
  });

  it('drops a line at Ctrl-C, explains how to leave at an empty one, and leaves at the second', async () => {
    const { talk, typed } = await conversation();
    await typed('half a question', /half a question$/);
    await typed(CTRL.c, /› $/);
    await typed(CTRL.c, /To leave, press Ctrl-C again, or Ctrl-D\.\n› $/);
    talk.child.stdin!.write(CTRL.c);
    expect((await talk.done).code).toBe(0);
  });

  it('accepts several lines as one question: those that end in a backslash, and pasted ones', async () => {
    const { words, prompts } = await model({ reply: () => 'So [1].' });
    const { typed, leave } = await conversation([...words, '--no-query-rewrite']);
    await typed('When is \\\r', /… $/);
    await typed('the gate locked?\r', /So \[1\][\s\S]*› $/);
    expect(prompts().at(-1)).toContain('When is \nthe gate locked?');
    await typed('\u001b[200~Who has\rthe gate key?\r\u001b[201~', /… the gate key\?\n… $/);
    await typed('\r', /So \[1\][\s\S]*› $/);
    expect(prompts()).toHaveLength(2);
    expect(prompts().at(-1)).toContain('Who has\nthe gate key?');
    await leave();
  });

  it('completes with the tab key and recalls earlier questions with the arrow key, also in the next run', async () => {
    const first = await conversation();
    await first.typed('/coll', /\/coll$/);
    await first.typed('\t', /ection $/);
    await first.typed('ot', /ot$/);
    await first.typed('\t', /her$/);
    await first.typed('\r', /Ask about "other"/);
    await first.typed(`${QUESTION}\r`, /locked at ten[\s\S]*› $/);
    await first.leave();
    const next = await conversation(['--collection', 'other'], { state: first.state });
    expect(await next.typed(CTRL.up, /› .*\?$/)).toContain(QUESTION);
    await next.typed(CTRL.c, /› $/);
    expect((await next.leave()).code).toBe(0);
  });

  it('continues in the next run, per collection, readable by this user only', async () => {
    const { words, prompts } = await model({ reply: () => 'The keeper is Quokkaberry [1].' });
    const first = await conversation(words);
    await first.typed(`${QUESTION}\r`, /Quokkaberry[\s\S]*› $/);
    await first.leave();
    const kept = join(first.state, 'kb', 'chat', readdirSync(join(first.state, 'kb', 'chat'))[0]!, 'default.json');
    expect(said(first.talk).replace(/\s+/g, ' ')).toContain(`is kept in ${kept}. /clear forgets it, --no-history keeps none.`);
    expect(statSync(kept).mode & 0o777).toBe(0o600);
    const next = await conversation([...words, '--no-query-rewrite'], { state: first.state });
    expect(said(next.talk)).toMatch(/goes on\s+after 1 turn/);
    await next.typed('Who has the key?\r', /Quokkaberry[\s\S]*› $/);
    expect(prompts().at(-1)).toContain('The keeper is Quokkaberry');
    await next.typed('/collection other\r', /Ask about "other"\.\n/);
    await next.typed('Who has the key?\r', /Quokkaberry[\s\S]*› $/);
    expect(prompts().at(-1)).not.toContain('The keeper is Quokkaberry');
    await next.leave();
    const private_ = await conversation([...words, '--no-history'], { state: first.state });
    expect(said(private_.talk)).not.toContain('is kept in');
    await private_.typed(`${QUESTION}\r`, /Quokkaberry[\s\S]*› $/);
    expect(prompts().at(-1)).not.toContain('The keeper is Quokkaberry');
    await private_.leave();
    expect(JSON.parse(readFileSync(kept, 'utf8')).turns).toHaveLength(2);
  });

  it('prints an error of a turn and continues, without colours with NO_COLOR', async () => {
    const { words } = await model({ reply: (_request, count) => (count === 1 ? { status: 400 } : '**So** and `so` [1].') });
    const { talk, typed, leave } = await conversation(words, { env: { NO_COLOR: '1' } });
    await typed(`${QUESTION}\r`, /Error: [\s\S]*› $/);
    await typed('/model openai\r', /Error: [\s\S]*OPENAI_API_KEY[\s\S]*› $/);
    await typed(`${QUESTION}\r`, /So and `so` \[1\]\.[\s\S]*› $/);
    expect(talk.said.out).not.toMatch(/\u001b\[\d+m/);
    expect((await leave()).code).toBe(0);
  });

  it('shows what it waits for, and marks an answer that broke off', async () => {
    const { words } = await model({
      reply: (_request, count) =>
        count === 1 ? { status: 429, headers: { 'retry-after': '1' } } : { pieces: ['It is ', 'locked '], end: 'cut' },
    });
    const { talk, typed, leave } = await conversation(words);
    const shown = await typed(`${QUESTION}\r`, /› $/);
    expect(talk.said.error + talk.said.out).toContain('Waiting 1 s, then trying again (2 of 4)');
    expect(shown).toMatch(/It is\n… \(the answer broke off\)\n[\s\S]*Error: The answer broke off:[\s\S]*was discarded/);
    await leave();
  });

  it('is suspended by Ctrl-Z and continues with fg, with the typed text', async () => {
    const line = `set -m; ${KB} chat --no-history; echo "the shell again"; fg; echo "ended with $?"`;
    const talk = onTerminal(line, { cwd: home });
    const typed = async (keys: string, pattern: RegExp) => {
      const from = said(talk).length;
      talk.child.stdin!.write(keys);
      await expect.poll(() => said(talk).slice(from), { timeout: 30_000, interval: 30 }).toMatch(pattern);
    };
    await talk.until(/› $/);
    await typed('When is the', /When is the$/);
    await typed(CTRL.z, /the shell again\n[^]*› When is the$/);
    expect(talk.said.out).toMatch(/\u001b\[\?2004l[^]*the shell again[^]*\u001b\[\?2004h/);
    await typed(' gate locked?\r', /locked at ten[^]*› $/);
    await typed(CTRL.d, /ended with 0\n/);
    expect((await talk.done).code).toBe(0);
  });

  it('continues after Ctrl-C if the end of a paste got lost, and ends with exit as with /exit', async () => {
    const { talk, typed } = await conversation(['--no-history']);
    await typed('\u001b[200~half of it\r', /half of it\n… $/);
    await typed(CTRL.c, /› $/);
    await typed(`${QUESTION}\r`, /locked at ten[^]*› $/);
    talk.child.stdin!.write('exit\r');
    expect((await talk.done).code).toBe(0);
  });

  it('ends at a second Ctrl-C if work ignores the first', async () => {
    const program = join(packageRoot, 'test/support/keyboard-process.ts');
    const work = onTerminal(`'${process.execPath}' '${program}'`, { cwd: home });
    await work.until(/working/);
    work.child.stdin!.write(CTRL.c);
    await work.until(/asked to stop/);
    const again = setInterval(() => work.child.stdin!.write(CTRL.c), 200);
    const { code, out } = await work.done.finally(() => clearInterval(again));
    expect(code).toBe(130);
    expect(out).toContain('\u001b[?2004l');
  });

  it('explains what to do if its output goes elsewhere', async () => {
    const talk = onTerminal(`${KB} chat --no-history | tee log`, { cwd: home });
    await talk.until(/Ask about "default"\.[^]*Ctrl-D\s+ends\./);
    talk.child.stdin!.write(`${QUESTION}\n`);
    await talk.until(/locked at ten[^]*\[1\] Gate/);
    talk.child.stdin!.write(CTRL.d);
    expect((await talk.done).code).toBe(0);
    expect(readFileSync(join(home, 'log'), 'utf8')).not.toContain('\u001b');
  });
});

describe('a conversation without a terminal', () => {
  it('reads its questions from a pipe, line by line, and stores nothing', async () => {
    const cwd = home;
    const ended = await kb(['chat', '--quiet'], { cwd, input: `${QUESTION}\n/sources\nWho has the key?\n/exit\nWhen?\n` });
    expect(ended).toMatchObject({ code: 0, error: '' });
    expect(ended.out.match(/^\[1\] Gate — docs\/gate\.md · line 3$/gm)).toHaveLength(3);
    expect(ended.out).not.toContain('\u001b');
    expect(existsSync(join(home, '.state', 'kb', 'chat'))).toBe(false);
  });

  it('loses no turn if two of them use one file', async () => {
    const file = join(folder(), 'talk.json');
    const ask = () => kb(['chat', '--history-file', file], { cwd: home, input: `${QUESTION}\nWho has the key?\nWhere is the key?\n` });
    const ended = await Promise.all([ask(), ask()]);
    expect(ended.map(({ code, error }) => [code, error.replace(/^Ask about.*\n/, '')])).toEqual([
      [0, ''],
      [0, ''],
    ]);
    expect(JSON.parse(readFileSync(file, 'utf8')).turns).toHaveLength(6);
  });

  it('is a usage error if nothing is piped in', async () => {
    const plain = await runCommand(['chat'], { cwd: home, input: '\n' });
    expect(plain).toMatchObject({ code: 2, out: '', error: expect.stringMatching(/^Error: There is no question\./) });
    const json = await runCommand(['chat', '--json'], { cwd: home, input: '\n' });
    expect(json.code).toBe(2);
    expect(JSON.parse(json.out)).toMatchObject({ error: { message: expect.stringContaining('There is no question.') } });
  });

  it('prints one JSON document per line, and nothing else, with --json', async () => {
    const ended = await runCommand(['chat', '--json'], { cwd: home, input: `${QUESTION}\n/help\nHello\n` });
    const answers = ended.out
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(answers).toMatchObject([{ intent: 'rag' }, { intent: 'greeting' }]);
    expect(answers[1].history).toHaveLength(4);
  });

  it('is stored in a named file and continued from it; a file of another kind is not changed', async () => {
    const { words, prompts } = await model({ reply: () => 'The keeper is Quokkaberry [1].' });
    const cwd = folder();
    const file = join(cwd, 'talk.json');
    const ask = (name = file) =>
      runCommand(['chat', ...words, '--no-query-rewrite', '--history-file', name], { cwd: home, input: `${QUESTION}\n` });
    expect((await ask()).code).toBe(0);
    expect((await ask()).code).toBe(0);
    expect(prompts()[0]).not.toContain('Quokkaberry');
    expect(prompts()[1]).toContain('Quokkaberry');
    const notes = join(cwd, 'notes.md');
    writeFileSync(notes, '# Notes\n');
    expect((await ask(notes)).error).toContain('stays as it is');
    expect(readFileSync(notes, 'utf8')).toBe('# Notes\n');
    expect((await runCommand(['chat', '--no-history', '--history-file', file], { cwd: home })).code).toBe(2);
  });

  it('is not stored in a pipe', async () => {
    const pipe = join(folder(), 'pipe');
    execFileSync('mkfifo', [pipe]);
    const ended = await runCommand(['chat', '--history-file', pipe], { cwd: home, input: `${QUESTION}\n` });
    expect(ended).toMatchObject({ code: 0, out: expect.stringContaining('locked at ten') });
    expect(ended.error).toMatch(/it is a pipe or a device\. This conversation is not kept\./);
    expect(lstatSync(pipe).isFIFO()).toBe(true);
  });

  it('ends with 1 if a question got no answer', async () => {
    const { words } = await model({ reply: (_request, count) => (count === 1 ? { status: 400 } : 'So [1].') });
    const ended = await runCommand(['chat', ...words], { cwd: home, input: `${QUESTION}\nWho has the key?\n` });
    expect(ended).toMatchObject({ code: 1, error: expect.stringContaining('Error: '), out: expect.stringContaining('So [1].') });
  });

  it('ends with the first Ctrl-C while it waits for a question', async () => {
    const talk = startKb(['chat'], { cwd: home });
    talk.child.stdin!.write(`${QUESTION}\n`);
    await talk.until(/locked at ten/);
    talk.child.kill('SIGINT');
    expect((await talk.done).code).toBe(130);
  });
});

describe('a single question', () => {
  it('is a usage error if it is empty, after its result with --json', async () => {
    const { code, error } = await runCommand(['chat', ' '], { cwd: home });
    expect([code, error]).toEqual([2, expect.stringContaining('missing or empty')]);
    const json = await runCommand(['chat', '', '--json'], { cwd: home });
    expect([json.code, JSON.parse(json.out).errors[0].stage]).toEqual([2, 'validate']);
  });

  it('is a turn of the conversation in a named file, readable by its owner only; other files are rejected unchanged', async () => {
    const { words, prompts } = await model({ reply: () => 'The keeper is Quokkaberry [1].' });
    const file = join(folder(), 'talk.json');
    const ask = (name: string) =>
      runCommand(['chat', QUESTION, ...words, '--no-query-rewrite', '--history-file', name, '--json'], { cwd: home });
    const turns = [await ask(file), await ask(file)].map(({ code, out }) => [code, JSON.parse(out).history.length]);
    expect([turns, statSync(file).mode & 0o777]).toEqual([
      [
        [0, 2],
        [0, 4],
      ],
      0o600,
    ]);
    expect([prompts()[0], prompts()[1]].map((prompt) => prompt!.includes('Quokkaberry'))).toEqual([false, true]);
    expect((await ask('/dev/null')).code).toBe(0);
    writeFileSync(file, 'a letter');
    expect(await ask(file)).toMatchObject({ code: 2, out: expect.stringContaining('holds no conversation of kb') });
    expect(readFileSync(file, 'utf8')).toBe('a letter');
  });

  it.each([0, 20])('is found and answered on a terminal of %i columns', async (columns) => {
    const line = `stty cols ${columns}; ${KB} retrieve '${QUESTION}' --explain && ${KB} chat '${QUESTION}' && echo ended`;
    const { out } = await onTerminal(line, { cwd: home }).done;
    expect(out).toMatch(/ended/);
    expect(out.split('\n').filter((part) => part.trim().length === 1).length).toBeLessThan(5);
  });

  it('is answered as in a conversation: drawn on a terminal, plain elsewhere', async () => {
    const { words } = await model({ reply: () => '**Bold** and `code` [1].' });
    const line = `${KB} chat '${QUESTION}' ${words.map((word) => `'${word}'`).join(' ')}`;
    const drawn = await onTerminal(line, { cwd: home }).done;
    expect(drawn.out).toContain('\u001b[1mBold\u001b[22m and \u001b[36mcode\u001b[39m');
    expect(drawn.out).toMatch(/Searching…/);
    const plain = await runCommand(['chat', QUESTION, ...words], { cwd: home });
    expect(plain.out).toMatch(/^\*\*Bold\*\* and `code` \[1\]\.\n\nLow confidence: .*\n\n\[1\] Gate — docs\/gate\.md/);
    expect(plain.error).toBe('');
  });
});
