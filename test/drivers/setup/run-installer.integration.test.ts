import { join } from 'node:path';
import { expect, it, vi } from 'vitest';
import { collect } from '../../../src/core/run.ts';
import { runInstaller } from '../../../src/drivers/setup/run-installer.ts';
import { folder } from '../../support/folder.ts';

it('runs an installer in the folder that is named, without the keys of this process', async () => {
  vi.stubEnv('OPENAI_API_KEY', 'sk-1');
  vi.stubEnv('npm_config_registry', 'http://127.0.0.1:1');
  const cwd = folder({
    'print.cjs':
      'for (const name of ["OPENAI_API_KEY", "npm_config_registry"]) console.log(name, process.env[name]); console.log(process.cwd())',
  });
  const { events } = await collect(
    runInstaller([process.execPath, join(cwd, 'print.cjs')], { cwd, failure: (reason) => new Error(reason) }),
  );
  expect(events).toEqual(['OPENAI_API_KEY undefined', 'npm_config_registry http://127.0.0.1:1', cwd]);
  vi.unstubAllEnvs();
});
