import { describe, expect, it } from 'vitest';
import { newConversation, withInputLine, withTurn, type Conversation } from '../../../src/cli/repl/conversation.ts';
import { ConversationMemory } from '../../../src/cli/repl/conversation-memory.ts';
import type { ChatResult } from '../../../src/schema/answers.ts';
import { existsSync, lstatSync, mkdirSync, readdirSync, readFileSync, statSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { folder } from '../../support/folder.ts';

const answered = (answer: string, length = 2) =>
  ({ answer, sources: [], history: Array.from({ length }, (_, i) => ({ role: 'user', content: `m${i}` })) }) as unknown as ChatResult;

describe('a conversation', () => {
  it('grows only by turns that have an answer', () => {
    const one = withTurn(newConversation(), { question: 'Why?' }, answered('So.'));
    expect(one.turns).toEqual([{ question: 'Why?', answer: 'So.', sources: [] }]);
    expect(one.history).toHaveLength(2);
    expect(withTurn(one, { question: 'And?' }, answered('', 4))).toBe(one);
  });

  it('limits turns, messages and characters, but always keeps the last turn', () => {
    let talk: Conversation = newConversation();
    for (let i = 0; i < 130; i++) talk = withTurn(talk, { question: `q${i}` }, answered('So.', 300));
    expect(talk.turns).toHaveLength(100);
    expect(talk.turns.at(-1)!.question).toBe('q129');
    expect(talk.history).toHaveLength(200);
    expect(talk.history.at(-1)!.content).toBe('m299');
    for (let i = 0; i < 3; i++) talk = withTurn(talk, { question: `long${i}` }, answered('x'.repeat(400_000)));
    expect(talk.turns.map(({ question }) => question)).toEqual(['long1', 'long2']);
    talk = withTurn(talk, { question: 'longest' }, answered('x'.repeat(2_000_000)));
    expect(talk.turns.map(({ question }) => question)).toEqual(['longest']);
  });

  it('recalls each input line once, in one line, the latest first', () => {
    let talk = newConversation();
    for (const line of ['one', 'two\nlines', 'one']) talk = withInputLine(talk, line);
    expect(talk.asked).toEqual(['one', 'two lines']);
    for (let i = 0; i < 600; i++) talk = withInputLine(talk, `q${i}`);
    expect(talk.asked).toHaveLength(500);
  });
});

const talk: Conversation = {
  history: [
    { role: 'user', content: 'Why?' },
    { role: 'assistant', content: 'So.' },
  ],
  turns: [{ question: 'Why?', answer: 'So.', sources: [] }],
  asked: ['Why?'],
};

function memory({ home = folder(), isNamed = false, isKept = true } = {}) {
  const warnings: string[] = [];
  const fileOf = (collection: string) => (isKept ? join(home, 'chat', `${collection}.json`) : undefined);
  const open = () => new ConversationMemory({ fileOf, isNamed, warn: (text) => warnings.push(text) });
  return { home, warnings, open, memory: open(), file: fileOf('manuals') ?? '' };
}

describe('the memory of conversations', () => {
  it.each([
    ['a plain list', []],
    ['a list with instructions', [{ role: 'system', content: 'Earlier they spoke of skis.' }]],
  ])('continues %s of messages of another program', (_, before) => {
    const messages = [...before, { role: 'user', content: 'What?', ts: 1 }, { role: 'assistant', content: 'Dogs.', id: 'm1' }];
    const file = join(folder({ 'talk.json': JSON.stringify(messages) }), 'talk.json');
    const named = new ConversationMemory({ fileOf: () => file, isNamed: true, warn: (text) => expect.unreachable(text) });
    const conversation = named.load('default');
    expect(conversation.turns).toEqual([{ question: 'What?', answer: 'Dogs.', sources: [] }]);
    expect(conversation.history.map(({ role, content }) => [role, content.split('\n').at(-1)])).toEqual([
      ...before.map(({ content }) => ['user', content]),
      ['user', 'What?'],
      ['assistant', 'Dogs.'],
    ]);
    named.keep('default', { ...conversation, turns: [...conversation.turns, { question: 'And?', answer: 'Cats.', sources: [] }] });
    expect(named.load('default').turns.map(({ answer }) => answer)).toEqual(['Dogs.', 'Cats.']);
  });

  it('leaves a list alone that is no conversation', () => {
    const file = join(folder({ 'talk.json': '[{"role":"robot","content":"x"}]' }), 'talk.json');
    const told: string[] = [];
    expect(new ConversationMemory({ fileOf: () => file, isNamed: true, warn: (text) => told.push(text) }).load('default').turns).toEqual(
      [],
    );
    expect([told.length, readFileSync(file, 'utf8')]).toEqual([1, '[{"role":"robot","content":"x"}]']);
  });

  it('returns what was stored, per collection, readable by this user only', () => {
    const { home, memory: first, open, file, warnings } = memory();
    expect(first.load('manuals')).toEqual(newConversation());
    first.keep('manuals', talk);
    expect(open().load('manuals')).toEqual(talk);
    expect(open().load('other')).toEqual(newConversation());
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(statSync(join(home, 'chat')).mode & 0o777).toBe(0o700);
    expect(readdirSync(join(home, 'chat'))).toEqual(['manuals.json']);
    expect(warnings).toEqual([]);
  });

  it('keeps conversations without a file while the program runs', () => {
    const { home, memory: held, open } = memory({ isKept: false });
    held.keep('manuals', talk);
    expect(held.load('manuals')).toEqual(talk);
    expect(open().load('manuals')).toEqual(newConversation());
    expect(readdirSync(home)).toEqual([]);
  });

  it.each([['{"version":1,"turns":'], ['[1]'], ['{"version":2}'], ['How long?\n/help\n']])('sets an unreadable file aside: %s', (text) => {
    const { memory: kept, open, file, warnings } = memory();
    kept.keep('manuals', talk);
    writeFileSync(file, text);
    const next = open();
    expect(next.load('manuals')).toEqual(newConversation());
    expect(warnings).toEqual([expect.stringContaining(`set aside as ${file}.broken`)]);
    expect(readFileSync(`${file}.broken`, 'utf8')).toBe(text);
    next.keep('manuals', talk);
    expect(open().load('manuals')).toEqual(talk);
  });

  it('leaves a named file with other contents alone', () => {
    const { memory: named, file, warnings } = memory({ isNamed: true });
    mkdirSync(join(file, '..'));
    writeFileSync(file, '# My notes\n');
    expect(named.load('manuals')).toEqual(newConversation());
    named.keep('manuals', talk);
    expect(readFileSync(file, 'utf8')).toBe('# My notes\n');
    expect(warnings).toEqual([expect.stringContaining('stays as it is')]);
  });

  it.each([
    ['that is there', true],
    ['that is not there yet', false],
  ])('writes to the file %s that a link names, and leaves the link', (_, isThere) => {
    const { home, memory: named, file, open } = memory({ isNamed: true });
    const real = join(home, 'kept.json');
    if (isThere) writeFileSync(real, '');
    mkdirSync(join(home, 'chat'));
    symlinkSync('../kept.json', file);
    named.keep('manuals', talk);
    expect(lstatSync(file).isSymbolicLink()).toBe(true);
    expect(JSON.parse(readFileSync(real, 'utf8'))).toMatchObject({ collection: 'manuals', asked: ['Why?'] });
    expect(statSync(real).mode & 0o777).toBe(0o600);
    expect(open().load('manuals')).toEqual(talk);
    expect([readdirSync(home).toSorted(), readdirSync(join(home, 'chat'))]).toEqual([['chat', 'kept.json'], ['manuals.json']]);
  });

  it('reports that it cannot write through a link that leads to itself', () => {
    const { home, memory: named, file, warnings } = memory({ isNamed: true });
    mkdirSync(join(home, 'chat'));
    symlinkSync('manuals.json', file);
    named.keep('manuals', talk);
    expect(warnings).toEqual([expect.stringContaining("can't be kept")]);
  });

  it('is not written through a link that somebody laid at the name of its draft', () => {
    const { home, memory: kept, file } = memory();
    mkdirSync(join(home, 'chat'));
    const trap = join(home, 'trap');
    writeFileSync(trap, 'untouched');
    symlinkSync(trap, `${file}.${process.pid}.new`);
    kept.keep('manuals', talk);
    expect(readFileSync(trap, 'utf8')).toBe('untouched');
    expect(lstatSync(file).isSymbolicLink()).toBe(false);
  });

  it('begins in an empty file', () => {
    const { memory: named, file, warnings, open } = memory({ isNamed: true });
    mkdirSync(join(file, '..'));
    writeFileSync(file, '');
    expect(named.load('manuals')).toEqual(newConversation());
    named.keep('manuals', talk);
    expect(open().load('manuals')).toEqual(talk);
    expect(warnings).toEqual([]);
  });

  it('reports once that it cannot write, and continues without a file', () => {
    const { home, memory: kept, warnings } = memory();
    writeFileSync(join(home, 'chat'), 'a file where the folder would be');
    kept.keep('manuals', talk);
    kept.keep('manuals', talk);
    expect(warnings).toEqual([expect.stringContaining("can't be kept")]);
    expect(kept.load('manuals')).toEqual(talk);
  });

  it('reports that it cannot read, and overwrites nothing', () => {
    const { memory: kept, file, warnings } = memory();
    mkdirSync(file, { recursive: true });
    expect(kept.load('manuals')).toEqual(newConversation());
    kept.keep('manuals', talk);
    expect(warnings).toEqual([expect.stringContaining(`${file} can't be read: it is a folder`)]);
    expect(existsSync(file)).toBe(true);
  });

  it('loses no turn of two concurrent conversations, and shows each the other when it is read again', () => {
    const { open, file, warnings } = memory({ isNamed: true });
    const said = (before: Conversation, question: string): Conversation => ({
      history: [...before.history, { role: 'user', content: question }, { role: 'assistant', content: 'So.' }],
      turns: [...before.turns, { question, answer: 'So.', sources: [] }],
      asked: [question, ...before.asked],
    });
    const [one, other] = [open(), open()];
    let first = said(one.load('manuals'), 'one');
    let second = said(other.load('manuals'), 'two');
    one.keep('manuals', first);
    other.keep('manuals', second);
    one.keep('manuals', (first = said(first, 'three')));
    one.keep('manuals', first);
    other.keep('manuals', (second = said(second, 'four')));
    const kept = open().load('manuals');
    expect(kept.turns.map(({ question }) => question)).toEqual(['one', 'two', 'three', 'four']);
    expect(kept.history.map(({ content }) => content)).toEqual(['one', 'So.', 'two', 'So.', 'three', 'So.', 'four', 'So.']);
    expect(kept.asked.toSorted()).toEqual(['four', 'one', 'three', 'two']);
    expect(first.turns).toHaveLength(2);
    expect(one.forget('manuals', first)).toBe(2);
    expect(
      open()
        .load('manuals')
        .turns.map(({ question }) => question),
    ).toEqual(['two', 'four']);
    other.keep('manuals', said(second, 'five'));
    expect(
      open()
        .load('manuals')
        .turns.map(({ question }) => question),
    ).toEqual(['two', 'four', 'five']);
    expect([open().load('manuals').asked.includes('three'), open().load('manuals').asked.includes('four')]).toEqual([false, true]);
    expect(readdirSync(join(file, '..'))).toEqual(['manuals.json']);
    expect(warnings).toEqual([]);
  });

  it('forgets the whole conversation if nobody else writes to it', () => {
    const { memory: kept, open } = memory();
    kept.load('manuals');
    kept.keep('manuals', talk);
    const next = open();
    expect(next.forget('manuals', next.load('manuals'))).toBe(0);
    expect(open().load('manuals')).toEqual(newConversation());
  });

  it('forgets nothing that somebody else has put in place of its file', () => {
    const { memory: named, file, warnings } = memory({ isNamed: true });
    named.load('manuals');
    named.keep('manuals', talk);
    writeFileSync(file, '# Notes\n');
    named.forget('manuals', talk);
    expect(readFileSync(file, 'utf8')).toBe('# Notes\n');
    expect(warnings).toEqual([expect.stringContaining('something else was written to it')]);
  });

  it('keeps a summary of older turns as long as nobody else writes', () => {
    const { memory: kept, open } = memory();
    kept.load('manuals');
    kept.keep('manuals', talk);
    const summary = [{ role: 'user' as const, content: 'Summary of the conversation so far:\n- user: Why?' }];
    kept.keep('manuals', { ...talk, history: summary });
    expect(open().load('manuals').history).toEqual(summary);
  });

  it('overwrites nothing that somebody else has put in place of its file', () => {
    const { memory: named, file, warnings } = memory({ isNamed: true });
    named.load('manuals');
    named.keep('manuals', talk);
    writeFileSync(file, '# Notes\n');
    named.keep('manuals', { ...talk, asked: ['more'] });
    expect(readFileSync(file, 'utf8')).toBe('# Notes\n');
    expect(warnings).toEqual([expect.stringContaining('something else was written to it')]);
  });

  it('waits for the holder of a lock, but not for an abandoned one', () => {
    const { memory: kept, file, open } = memory();
    mkdirSync(`${file}.lock`, { recursive: true });
    utimesSync(`${file}.lock`, new Date(), new Date(Date.now() - 60_000));
    kept.keep('manuals', talk);
    expect(open().load('manuals')).toEqual(talk);
    expect(existsSync(`${file}.lock`)).toBe(false);
  });
});
