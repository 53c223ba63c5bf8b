import { describe } from 'vitest';
import { findBrowser } from '../../src/drivers/browser/chromium.ts';

const isThere = (await findBrowser()) !== undefined || process.env.KB_TEST_BROWSER === 'required';

/** For tests that need a Chrome or Chromium: skipped where there is none. `KB_TEST_BROWSER=required` makes them fail there. */
// oxlint-disable-next-line vitest/valid-title, vitest/valid-describe-callback -- name and tests are given where it is called
export const withBrowser = describe.runIf(isThere);

if (!isThere) process.stderr.write('Tests that need a Chrome or Chromium are skipped: none was found (kb setup-browser installs one).\n');
