import { realpathSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { modelFolder, localModels } from '../../../src/drivers/embedders/local-models.ts';
import { folder } from '../../support/folder.ts';

const KB = { 'node_modules/citekb/package.json': '{}' };
const MODEL = { 'node_modules/citekb-multilingual-e5-small/package.json': '{}' };
const rootIn = (home: string) => join(realpathSync(home), 'node_modules', 'citekb');

describe('the folder of a model', () => {
  it('is that of its package beside an installed kb', () => {
    const home = folder({ ...KB, ...MODEL });
    expect(modelFolder('multilingual-e5-small', rootIn(home))).toBe(join(realpathSync(home), 'node_modules/citekb-multilingual-e5-small'));
  });

  it('is that of kb itself where the model lies there', () => {
    const home = folder({ ...KB, ...MODEL, 'node_modules/citekb/models/multilingual-e5-small/model.onnx': '' });
    expect(modelFolder('multilingual-e5-small', rootIn(home))).toBe(join(rootIn(home), 'models/multilingual-e5-small'));
  });

  it('is that of kb itself, too, where there is none', () => {
    const home = folder(KB);
    expect(modelFolder('multilingual-e5-small', rootIn(home))).toBe(join(rootIn(home), 'models/multilingual-e5-small'));
    expect(modelFolder('all-minilm-l6-v2', rootIn(home))).toBe(join(rootIn(home), 'models/all-minilm-l6-v2'));
  });
});

describe('what the English model reads', () => {
  const { coverage } = localModels['all-minilm-l6-v2'];

  it('is whole for Latin letters, accents or not, and for what has no letters', () => {
    for (const text of ['How do refunds work?', 'Wie läuft die Rückgabe?', 'ERR-4042', '2024-01-31', ''])
      expect([text, coverage(text)]).toEqual([text, 1]);
  });

  it('is nothing for other scripts', () => {
    for (const text of ['退款如何运作？', '返金はどうなりますか', 'Как работает возврат?', '환불은 어떻게 하나요?', 'كيف يعمل الاسترداد؟']) {
      expect([text, coverage(text)]).toEqual([text, 0]);
    }
  });

  it('is the share of the letters where scripts are mixed', () => {
    expect(coverage('什么是 API')).toBe(0.5);
  });
});

describe('what the multilingual model reads', () => {
  const { coverage } = localModels['multilingual-e5-small'];

  it('is whole for the scripts of its vocabulary, and for what has no letters', () => {
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

  it('is the share of the letters of other scripts', () => {
    expect(coverage('დაბრუნება')).toBe(0);
    expect(coverage('API ការ')).toBeCloseTo(3 / 5, 5);
  });
});
