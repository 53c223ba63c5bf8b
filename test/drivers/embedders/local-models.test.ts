import { realpathSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { modelFolder, localModels } from '../../../src/drivers/embedders/local-models.ts';
import { folder } from '../../support/folder.ts';

const KB = { 'node_modules/citekb/package.json': '{}' };
const MODEL = { 'node_modules/citekb-multilingual-e5-small/package.json': '{}' };
const rootIn = (home: string) => join(realpathSync(home), 'node_modules', 'citekb');

describe('the folder of a model', () => {
  it("is in the model's package if that is installed beside kb", () => {
    const home = folder({ ...KB, ...MODEL });
    expect(modelFolder('multilingual-e5-small', rootIn(home))).toBe(join(realpathSync(home), 'node_modules/citekb-multilingual-e5-small'));
  });

  it('is in the folder of kb if the model lies there', () => {
    const home = folder({ ...KB, ...MODEL, 'node_modules/citekb/models/multilingual-e5-small/model.onnx': '' });
    expect(modelFolder('multilingual-e5-small', rootIn(home))).toBe(join(rootIn(home), 'models/multilingual-e5-small'));
  });

  it('is in the folder of kb if no package is installed', () => {
    const home = folder(KB);
    expect(modelFolder('multilingual-e5-small', rootIn(home))).toBe(join(rootIn(home), 'models/multilingual-e5-small'));
    expect(modelFolder('all-minilm-l6-v2', rootIn(home))).toBe(join(rootIn(home), 'models/all-minilm-l6-v2'));
  });
});

describe('the coverage of the English model', () => {
  const { coverage } = localModels['all-minilm-l6-v2'];

  it('is 1 for Latin letters, with or without accents, and for texts without letters', () => {
    for (const text of ['How do refunds work?', 'Wie läuft die Rückgabe?', 'ERR-4042', '2024-01-31', ''])
      expect([text, coverage(text)]).toEqual([text, 1]);
  });

  it('is 0 for other scripts', () => {
    for (const text of ['退款如何运作？', '返金はどうなりますか', 'Как работает возврат?', '환불은 어떻게 하나요?', 'كيف يعمل الاسترداد؟']) {
      expect([text, coverage(text)]).toEqual([text, 0]);
    }
  });

  it('is the share of Latin letters in mixed texts', () => {
    expect(coverage('什么是 API')).toBe(0.5);
  });
});

describe('the coverage of the multilingual model', () => {
  const { coverage } = localModels['multilingual-e5-small'];

  it('is 1 for the scripts of its vocabulary, and for texts without letters', () => {
    for (const text of [
      'How do refunds work?',
      '退款如何运作？',
      'Как работает возврат?',
      'كيف يعمل الاسترداد؟',
      'वापसी कैसे काम करती है?',
      'ERR-4042',
      '',
    ])
      expect([text, coverage(text)]).toEqual([text, 1]);
  });

  it('falls by the share of letters in unsupported scripts', () => {
    expect(coverage('დაბრუნება')).toBe(0);
    expect(coverage('API ការ')).toBeCloseTo(3 / 5, 5);
  });
});
