import { describe } from 'vitest';
import { installedLanguages } from '../../src/drivers/parsers/ocr/ocr-packages.ts';

const isThere = installedLanguages().includes('eng') || process.env.KB_TEST_OCR === 'required';

/** For tests that recognize text: skipped where OCR is not set up. `KB_TEST_OCR=required` makes them fail there. */
// oxlint-disable-next-line vitest/valid-title, vitest/valid-describe-callback -- name and tests are given where it is called
export const withOcr = describe.runIf(isThere);

if (!isThere) process.stderr.write('Tests that recognize text are skipped: OCR is not set up (kb setup-ocr eng does it).\n');
