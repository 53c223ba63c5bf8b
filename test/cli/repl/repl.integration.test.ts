import { existsSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { mergeLayers } from '../../../src/core/settings.ts';
import type { CommandContext } from '../../../src/cli/command-context.ts';
import { commands, isCommand, addSlash, runReplCommand, completeLine } from '../../../src/cli/repl/repl.ts';
import { ConversationMemory } from '../../../src/cli/repl/conversation-memory.ts';
import { openSession, settingsOf } from '../../../src/cli/repl/session.ts';
import { createEngine } from '../../../src/engine/engine.ts';
import { Config, DEFAULTS } from '../../../src/schema/config.ts';
import type { Source } from '../../../src/schema/items.ts';
import { engineIn, result, WORDS } from '../../support/engine.ts';
import { folder, write } from '../../support/folder.ts';
import { paper } from '../../support/screen.ts';

const source = (citation: number, text: string): Source => ({
  id: `c${citation}`,
  title: 'Gate',
  score: 0.5,
  metadata: { source: 'gate.md' },
  citation,
  cited: citation === 1,
  text,
  location: { line_start: 1, line_end: 3 },
});

const TURN = {
  question: 'When is the\ngate locked?',
  answer: 'At **ten** [1].',
  sources: [source(1, '# Gate\n\nLocked at ten.'), source(2, 'A \u001b[31mred passage.')],
};

/** A folder whose store holds the collections `manuals` and `minutes`; no test changes it. */
let shelf: string;
beforeAll(async () => {
  shelf = mkdtempSync(join(tmpdir(), 'kb-test-'));
  for (const collection of ['manuals', 'minutes']) {
    const engine = createEngine({ config: Config.parse(mergeLayers(DEFAULTS, { ...WORDS, collection })), home: shelf });
    await result(engine, 'ingest', { markdown: [{ source: 'gate', text: 'The gate is locked at ten.' }] });
    await engine.close();
  }
});
afterAll(() => rmSync(shelf, { recursive: true, force: true }));

/** A conversation of one turn about `manuals`, a folder of its own, and what it says to a line. */
async function conversation({ columns }: { columns?: number } = {}) {
  const home = folder();
  const engine = engineIn(shelf, { ...WORDS, collection: 'manuals' });
  const screen = paper({ columns });
  const memory = new ConversationMemory({ fileOf: () => undefined, isNamed: false, warn: screen.warn });
  const context = { engine, screen, signal: new AbortController().signal, flags: {}, loaded: { home: shelf } } as unknown as CommandContext;
  const session = openSession(context, {}, memory);
  session.conversation = { ...session.conversation, turns: [TURN], history: [{ role: 'user', content: 'x' }] };
  const said = async (line: string): Promise<string> => {
    screen.out.length = 0;
    expect(await runReplCommand(line, session)).toBe(true);
    return screen.out.join('\n');
  };
  return { home, session, said };
}

describe('a line', () => {
  it.each([
    ['/help', true],
    ['/save! x.md', true],
    ['/top-k 5', true],
    ['/nothing', true],
    ['/top_k 5', true],
    ['/sources2', true],
    ['/save!talk.md', true],
    ['/save!/tmp/talk.md', true],
    ['/model=openai/gpt', true],
    ['/etc/hosts: what is it?', false],
    ['/2 of what?', false],
    ['/healthz: what does it return?', false],
    ['/usr, /bin and /etc: what for?', false],
    ['/login?', false],
    ['/foo.bar', false],
    ['/api?key=1 fails', false],
    ['/help是什么', false],
    ['/collection2/readme.md what is in it', false],
    ['a /help', false],
  ])('%s is a command: %s', (line, is) => {
    expect(isCommand(line)).toBe(is);
  });
});

describe('a single word', () => {
  it.each([
    ['exit', '/exit'],
    ['Quit', '/quit'],
    ['help', '/help'],
    ['exit code 3?', 'exit code 3?'],
    ['How do I quit', 'How do I quit'],
    ['/help', '/help'],
  ])('%s means %s', (line, meant) => {
    expect(addSlash(line)).toBe(meant);
  });
});

describe('the commands of a conversation', () => {
  it('are all listed by /help, which fits the terminal', async () => {
    const { said } = await conversation({ columns: 50 });
    const help = await said('/help');
    for (const name of Object.keys(commands)) expect(help).toContain(name);
    for (const line of help.split('\n')) expect(line.length).toBeLessThanOrEqual(50);
    expect(help).toMatch(/^\/save FILE {10}write the conversation as\n {20}Markdown/m);
  });

  it('are suggested for a misspelt one', async () => {
    const { said } = await conversation();
    expect(await said('/souces')).toBe('There is no /souces. Did you mean /sources?');
    expect(await said('/top_k 5')).toBe('There is no /top_k. Did you mean /top-k?');
    expect(await said('/sources2')).toBe('There is no /sources2. Did you mean /sources 2?');
    expect(await said('/save!talk.md')).toBe('There is no /save!talk.md. Did you mean /save! talk.md?');
    expect(await said('/model=openai/gpt')).toBe('There is no /model=openai/gpt. Did you mean /model openai/gpt?');
    expect(await said('/constructor')).toBe('There is no /constructor. /help shows what there is.');
  });

  it('end the conversation with /exit and /quit', async () => {
    const { session } = await conversation();
    expect(await runReplCommand('/exit', session)).toBe(false);
    expect(await runReplCommand('/quit', session)).toBe(false);
  });

  it('show the passages behind the last answer: a list, or one in full', async () => {
    const { session, said } = await conversation();
    expect(await said('/sources')).toBe(
      [
        '[1] Gate — gate.md · lines 1–3',
        '    Locked at ten.',
        '[2] Gate — gate.md · lines 1–3 (not cited)',
        '    A red passage.',
        '/sources 1 shows the whole passage.',
      ].join('\n'),
    );
    expect(await said('/sources 1')).toBe('[1] Gate — gate.md · lines 1–3\n# Gate\n\nLocked at ten.\n\n');
    expect(await said('/sources 2')).toContain('A red passage.');
    await expect(said('/sources 3')).rejects.toThrow('There is no source 3: the last answer has 1, 2.');
    await expect(said('/sources x')).rejects.toThrow('/sources takes a whole number from 1, not "x".');
    session.conversation = { ...session.conversation, turns: [TURN, { question: 'Thanks', answer: 'You are welcome.', sources: [] }] };
    expect(await said('/sources')).toBe('The last answer used no sources.');
    session.conversation = { ...session.conversation, turns: [] };
    expect(await said('/sources')).toBe('There are no sources yet.');
  });

  it('switch the collection, each with its own conversation', async () => {
    const { session, said } = await conversation();
    expect(await said('/collection')).toBe('Questions go to "manuals". Other collections: minutes.');
    await expect(said('/collection minute')).rejects.toMatchObject({ code: 'not_found', hint: 'Did you mean "minutes"?' });
    await expect(said('/collection nowhere')).rejects.toMatchObject({ code: 'not_found', hint: 'Collections: manuals, minutes.' });
    session.memory.keep('manuals', session.conversation);
    expect(await said('/collection minutes')).toBe('Ask about "minutes".');
    expect(session.conversation.turns).toEqual([]);
    expect(settingsOf(session).collection).toBe('minutes');
    expect(await said('/collection manuals')).toBe('Ask about "manuals". The conversation goes on after 1 turn; /clear begins anew.');
    expect(session.conversation.turns).toEqual([TURN]);
  });

  it('choose the answerer: a provider, its model, or another model of the same one', async () => {
    const { session, said } = await conversation();
    expect(await said('/model')).toBe('Answers come from local.');
    await expect(said('/model gpt')).rejects.toThrow('local quotes the sources and has no models, and "gpt" is no provider.');
    await expect(said('/model opanai')).rejects.toMatchObject({ hint: 'Did you mean openai?' });
    await expect(said('/model local/x')).rejects.toThrow('local quotes the sources and has no models.');
    expect(await said('/model ollama')).toBe('Answers come from ollama, its default model.');
    expect(await said('/model small')).toBe('Answers come from ollama / small.');
    expect(await said('/model ollama/meta/llama')).toBe('Answers come from ollama / meta/llama.');
    expect(settingsOf(session).chat.llm).toMatchObject({ provider: 'ollama', model: 'meta/llama' });
    expect(await said('/model local')).toBe('Answers come from local.');
  });

  it('report a missing key or address at once, and keep the present answerer', async () => {
    const { said } = await conversation();
    await said('/model ollama/small');
    vi.stubEnv('OPENAI_API_KEY', '');
    onTestFinished(() => void vi.unstubAllEnvs());
    await expect(said('/model openai')).rejects.toMatchObject({ code: 'setup', message: expect.stringContaining('OPENAI_API_KEY') });
    await expect(said('/model openai_compatible/m')).rejects.toMatchObject({ code: 'configuration' });
    expect(await said('/model')).toBe('Answers come from ollama / small.');
    vi.stubEnv('OPENAI_API_KEY', 'test-key');
    expect(await said('/model openai')).toBe('Answers come from openai, its default model.');
  });

  it('choose the number of passages, and keep it if the new one is invalid', async () => {
    const { session, said } = await conversation();
    expect(await said('/top-k 7')).toBe('Each question looks for 7 passages.');
    await expect(said('/top-k 99999')).rejects.toMatchObject({ code: 'usage', message: expect.stringContaining('top_k') });
    await expect(said('/top-k -1')).rejects.toThrow('/top-k takes a whole number');
    expect(await said('/top-k')).toBe('Each question looks for 7 passages.');
    expect(settingsOf(session).retrieval.top_k).toBe(7);
  });

  it('show the conversation, and forget it', async () => {
    const { session, said } = await conversation();
    expect(await said('/history')).toBe('› When is the\ngate locked?\nAt **ten** [1].\n\n\n');
    session.conversation = { ...session.conversation, turns: [TURN, { ...TURN, question: 'Second?' }] };
    expect(await said('/history 1')).toMatch(/^› Second\?/);
    expect(await said('/clear')).toBe('The conversation begins anew.');
    expect(session.conversation).toEqual({ history: [], turns: [], asked: [] });
    expect(session.memory.load('manuals').turns).toEqual([]);
    expect(await said('/history')).toBe('Nothing was said yet.');
  });

  it('save a conversation about several collections with the collection of each turn', async () => {
    const { home, session, said } = await conversation();
    const file = join(home, 'talk.md');
    session.conversation = {
      ...session.conversation,
      turns: [TURN, { question: 'And?', answer: 'So.', sources: [], collection: 'minutes' }],
    };
    await said(`/save ${file}`);
    const text = readFileSync(file, 'utf8');
    expect(text).toMatch(/^# Conversation about manuals and minutes\n\n## When is the gate locked\?\n\nAsked of manuals:\n\nAt/);
    expect(text).toContain('## And?\n\nAsked of minutes:\n\nSo.');
  });

  it('forget only their own turns if another conversation writes to the same file', async () => {
    const { home, session, said } = await conversation();
    const open = () => new ConversationMemory({ fileOf: () => join(home, 'talk.json'), isNamed: true, warn: () => {} });
    const other = { ...TURN, question: 'Theirs?' };
    session.memory = open();
    session.conversation = session.memory.load('manuals');
    open().keep('manuals', { history: [], turns: [other], asked: [] });
    session.conversation = { ...session.conversation, turns: [TURN] };
    session.memory.keep('manuals', session.conversation);
    expect(await said('/clear')).toBe('The conversation begins anew. In the file 1 turn of another kb chat stays.');
    expect(open().load('manuals').turns).toEqual([other]);
    expect(session.conversation.turns).toEqual([]);
  });

  it('save the conversation with its sources, and overwrite nothing unless told to', async () => {
    const { home, said } = await conversation();
    const [file, data] = [join(home, 'talk.md'), join(home, 'talk.json')];
    expect(await said(`/save ${file}`)).toBe(`Wrote 1 turn to ${file}.`);
    const text =
      '# Conversation about manuals\n\n## When is the gate locked?\n\nAt **ten** [1].\n\nSources:\n\n- [1] Gate — gate.md · lines 1–3\n';
    expect(readFileSync(file, 'utf8')).toBe(text);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    await expect(said(`/save ${file}`)).rejects.toMatchObject({ hint: `/save! ${file} replaces it.` });
    expect(await said(`/save! ${file}`)).toContain('Wrote 1 turn');
    await said(`/save ${data}`);
    expect(JSON.parse(readFileSync(data, 'utf8'))).toEqual({ collection: 'manuals', turns: [TURN] });
    await expect(said('/save')).rejects.toThrow('Into which file?');
    await expect(said(`/save ${join(home, 'no', 'talk.md')}`)).rejects.toThrow("talk.md can't be written: no such folder.");
    await expect(said(`/save! ${home}`)).rejects.toThrow("can't be written: it is a folder.");
    await said('/clear');
    expect(await said(`/save ${join(home, 'none.md')}`)).toBe('There is nothing to save yet.');
    expect(existsSync(join(home, 'none.md'))).toBe(false);
  });
});

describe('the tab key', () => {
  it('completes commands, collections, providers and files, but no questions', async () => {
    const { home, session } = await conversation();
    const candidates = async (line: string) => (await completeLine(line, session)).candidates;
    expect(await candidates('/s')).toEqual(['/sources ', '/save ', '/save! ']);
    expect(await candidates('/collection ')).toEqual(['manuals', 'minutes']);
    expect(await completeLine('/collection mi', session)).toEqual({ candidates: ['minutes'], replaced: 'mi' });
    expect(await candidates('/model open')).toContain('openai/');
    write(home, { 'talk one.md': '', 'talk.md': '', 'talks/x.md': '', '.hidden': '', 'talk\u001b[2J.md': '' });
    expect(await candidates(`/save ${home}/ta`)).toEqual([`${home}/talk.md`, `${home}/talks/`]);
    expect(await candidates(`/save! ${home}/.h`)).toEqual([`${home}/.hidden`]);
    expect(await candidates(`/save ${home}/talks/`)).toEqual([`${home}/talks/x.md`]);
    expect(await candidates(`/save ${home}/nowhere/x`)).toEqual([]);
    expect(await candidates('/clear ')).toEqual([]);
    expect(await candidates('a question')).toEqual([]);
    expect(await candidates('')).toEqual([]);
  });
});
