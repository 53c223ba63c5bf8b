import { spawnSync } from 'node:child_process';
import { describe } from 'vitest';

/** What the generator of the Python client needs. */
const PROBE = 'import sys, venv, ensurepip; sys.exit(sys.version_info < (3, 11))';

const isThere = spawnSync('python3', ['-c', PROBE]).status === 0 || process.env.KB_TEST_PYTHON === 'required';

/** For tests that need Python with venv and pip: skipped where there is none. `KB_TEST_PYTHON=required` makes them fail there. */
// oxlint-disable-next-line vitest/valid-title, vitest/valid-describe-callback -- name and tests are given where it is called
export const withPython = describe.runIf(isThere);

if (!isThere)
  process.stderr.write('Tests that need Python 3.11 or newer with venv and pip are skipped: none was found (apt install python3-venv).\n');
