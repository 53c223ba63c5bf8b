import { describe, expect, it } from 'vitest';
import { newConversation, withAsked, withTurn, type Conversation } from '../../../src/cli/repl/conversation.ts';
import type { ChatResult } from '../../../src/schema/answers.ts';

const answered = (answer: string, length = 2) =>
  ({ answer, sources: [], history: Array.from({ length }, (_, i) => ({ role: 'user', content: `m${i}` })) }) as unknown as ChatResult;

describe('a conversation', () => {
  it('grows by a turn that has an answer, and by no other', () => {
    const one = withTurn(newConversation(), { question: 'Why?' }, answered('So.'));
    expect(one.turns).toEqual([{ question: 'Why?', answer: 'So.', sources: [] }]);
    expect(one.history).toHaveLength(2);
    expect(withTurn(one, { question: 'And?' }, answered('', 4))).toBe(one);
  });

  it('keeps no more than fits: of turns, of messages, of characters, but always the last turn', () => {
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

  it('brings back what was typed in one line, once, the latest first', () => {
    let talk = newConversation();
    for (const line of ['one', 'two\nlines', 'one']) talk = withAsked(talk, line);
    expect(talk.asked).toEqual(['one', 'two lines']);
    for (let i = 0; i < 600; i++) talk = withAsked(talk, `q${i}`);
    expect(talk.asked).toHaveLength(500);
  });
});
