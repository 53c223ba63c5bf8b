import { expect, it } from 'vitest';
import { KbError } from '../../src/core/errors.ts';
import { settle } from '../../src/core/run.ts';
import { createEngine } from '../../src/engine/engine.ts';
import { DEFAULTS } from '../../src/schema/config.ts';
import { folder } from '../support/folder.ts';

it('an unknown operation is an error that names the nearest one', async () => {
  const engine = createEngine({ config: DEFAULTS, home: folder() });
  const run = (name: string) => settle(engine.run(name as 'retrieve', { query: 'boats' })).catch((error: unknown) => error);
  expect(await run('retreive')).toBeInstanceOf(KbError);
  expect(await run('retreive')).toMatchObject({
    code: 'usage',
    message: expect.stringContaining('retreive'),
    hint: 'Did you mean "retrieve"?',
  });
  expect(await run('toString')).toMatchObject({ hint: expect.stringContaining('ingest') });
  await engine.close();
});
