import { describe, expect, it } from 'vitest';
import { readableShare } from '../../../src/drivers/embedders/readable-share.ts';

describe('readableShare', () => {
  it('is whole for Latin letters, accents or not, and for what has no letters', () => {
    for (const text of ['How do refunds work?', 'Wie läuft die Rückgabe?', 'ERR-4042', '2024-01-31', ''])
      expect([text, readableShare(text)]).toEqual([text, 1]);
  });

  it('is nothing for other scripts', () => {
    for (const text of ['退款如何运作？', '返金はどうなりますか', 'Как работает возврат?', '환불은 어떻게 하나요?', 'كيف يعمل الاسترداد؟']) {
      expect([text, readableShare(text)]).toEqual([text, 0]);
    }
  });

  it('is the share of the letters where scripts are mixed', () => {
    expect(readableShare('什么是 API')).toBe(0.5);
  });
});
