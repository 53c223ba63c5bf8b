import { copyFile, mkdir, rm, writeFile } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { hasOcrPrograms, installedOcrLanguages, OCR_PROGRAMS, ocrLanguageFile } from '@citekb/documents';
import { call, operatorAdvice } from '../../core/advice/advice.ts';
import { KbError } from '../../core/errors.ts';
import { userFolder } from '../../core/user-folders.ts';
import { runInstaller } from './run-installer.ts';

/** The version of every package of language data. */
const DATA_VERSION = '1.0.0';
/** The folder of a data package with the neural network only. */
const MODELS = '4.0.0_best_int';

/** Finds the folder of OCR: `KB_OCR_FOLDER`, else in the data folder of the user. */
export const ocrFolder = (): string => (process.env.KB_OCR_FOLDER ? resolve(process.env.KB_OCR_FOLDER) : join(userFolder('data'), 'ocr'));

/** Lists the installed languages of OCR; none if it is not set up. */
export const installedLanguages = (): string[] => installedOcrLanguages(ocrFolder());

/** Installs OCR and the data of languages with npm, unless they are installed; yields the output of npm. Returns the languages that were added. */
export async function* setUpOcr(
  languages: readonly string[],
  { signal }: { signal?: AbortSignal | undefined },
): AsyncGenerator<string, string[], void> {
  const folder = ocrFolder();
  await mkdir(dirname(ocrLanguageFile(folder, 'eng')), { recursive: true }).catch((cause: NodeJS.ErrnoException) => {
    throw notInstalled(`${folder} cannot be written (${cause.code})`);
  });
  const before = installedLanguages();
  const failure = (reason: string) =>
    notInstalled(/\b404\b/.test(reason) ? `npm has no data for a language of ${languages.join(', ')}` : reason);
  if (!hasOcrPrograms(folder)) {
    yield `Installing the programs for OCR in ${folder}.`;
    await writeFile(join(folder, 'package.json'), '{ "private": true }\n');
    yield* runInstaller(npm(folder, Object.entries(OCR_PROGRAMS)), { cwd: folder, signal, failure });
  }
  const missing = languages.filter((language) => !before.includes(language));
  if (missing.length === 0) return [];
  const incoming = join(folder, 'incoming');
  try {
    await mkdir(incoming, { recursive: true });
    await writeFile(join(incoming, 'package.json'), '{ "private": true }\n');
    const names = missing.map((language) => [`@tesseract.js-data/${language}`, DATA_VERSION] as [string, string]);
    yield `Installing the data of ${missing.join(', ')}.`;
    yield* runInstaller(npm(incoming, names), { cwd: incoming, signal, failure });
    for (const [i, [name]] of names.entries()) {
      const target = ocrLanguageFile(folder, missing[i]!);
      await copyFile(join(incoming, 'node_modules', name, MODELS, basename(target)), target);
    }
  } finally {
    await rm(incoming, { recursive: true, force: true });
  }
  return missing;
}

/** Builds the command of npm that installs packages in a folder, without running their scripts. */
function npm(folder: string, packages: readonly [name: string, version: string][]): string[] {
  const flags = ['install', '--prefix', folder, '--ignore-scripts', '--save-exact', '--no-audit', '--no-fund', '--loglevel=error'];
  const words = [...flags, ...packages.map(([name, version]) => `${name}@${version}`)];
  return process.platform === 'win32' ? ['cmd.exe', '/c', 'npm', ...words] : ['npm', ...words];
}

const notInstalled = (reason: string): KbError =>
  new KbError('unavailable', `OCR was not installed: ${reason.replace(/\.$/, '')}.`, {
    hint: operatorAdvice`${call('setup_ocr')} needs npm and its registry. Languages are Tesseract’s codes: eng, deu, fra, spa, chi_sim …`,
    isRetryable: true,
  });
