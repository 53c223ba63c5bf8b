import { describe, expect, it } from 'vitest';
import type { AnswerConfidence } from '../../src/schema/answers.ts';
import { confidenceNote } from '../../web/conversation.ts';

const note = (answer_confidence: AnswerConfidence, problems: string[] = []) =>
  confidenceNote({ answer_confidence, intent: 'rag', problems });

describe('the confidence note', () => {
  it('says how often such answers are right', () => {
    expect(note({ level: 'high', reason: 'retrieval_quality_pass', probability: 0.947 })?.text).toContain('About 95 in 100');
    expect(note({ level: 'high', reason: 'retrieval_quality_pass' })?.text).not.toContain('in 100');
  });

  it.each([
    ['answer_uncertain', 'may not answer it'],
    ['citations_unsupported', 'not every sentence is supported'],
    ['retrieval_quality_low_confidence', 'only weak matches'],
  ] as const)('warns of low confidence (%s)', (reason, said) => {
    const warning = note({ level: 'low', reason });
    expect(warning?.level).toBe('low');
    expect(warning?.text).toContain(said);
  });

  it('says that a question is not answered', () => {
    expect(note({ level: 'none', reason: 'retrieval_quality_low_confidence' })?.text).toContain('Not answered');
  });

  it('is absent for failures and greetings', () => {
    expect(note({ level: 'none', reason: 'errors' }, ['The model is gone.'])).toBeUndefined();
    expect(
      confidenceNote({ answer_confidence: { level: 'none', reason: 'direct_intent' }, intent: 'greeting', problems: [] }),
    ).toBeUndefined();
  });
});
