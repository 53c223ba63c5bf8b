import { realpathSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { modelFolder } from '../../../src/drivers/embedders/local-models.ts';
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
