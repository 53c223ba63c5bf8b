import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import { describe } from 'vitest';
import { installedOcrLanguages } from '../../src/index.ts';

/** The folder of OCR: `KB_OCR_FOLDER`, else the one in which kb installs it on Linux. */
export const ocrFolder = resolve(process.env.KB_OCR_FOLDER ?? join(homedir(), '.local', 'share', 'kb', 'ocr'));

const isThere = installedOcrLanguages(ocrFolder).includes('eng') || process.env.KB_TEST_OCR === 'required';

/** For tests that recognize text: skipped where OCR is not set up. `KB_TEST_OCR=required` makes them fail there. */
// oxlint-disable-next-line vitest/valid-title, vitest/valid-describe-callback -- name and tests are given where it is called
export const withOcr = describe.runIf(isThere);

if (!isThere) process.stderr.write('Tests that recognize text are skipped: OCR is not set up (kb setup-ocr eng does it).\n');
