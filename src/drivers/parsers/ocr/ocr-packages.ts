import { call, operatorAdvice } from '../../../core/advice/advice.ts';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { copyFile, mkdir, rm, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { userFolder } from '../../../core/user-folders.ts';
import { KbError } from '../../../core/errors.ts';
import { runInstaller } from '../../setup/run-installer.ts';

/** Packages that recognize text, draw pages of PDFs and read TIFF: 80 MB, installed on demand. */
const PROGRAMS = { 'tesseract.js': '7.0.0', '@napi-rs/canvas': '0.1.80', utif2: '4.1.0' };
/** The version of every package of language data. */
const DATA_VERSION = '1.0.0';
/** The folder of a data package with the neural network only. */
const MODELS = '4.0.0_best_int';
const SUFFIX = '.traineddata.gz';

/** Finds the folder of OCR: `KB_OCR_FOLDER`, else in the data folder of the user. */
export const ocrFolder = (): string => (process.env.KB_OCR_FOLDER ? resolve(process.env.KB_OCR_FOLDER) : join(userFolder('data'), 'ocr'));

/** Lists the installed languages of OCR; none if it is not set up. */
export function installedLanguages(): string[] {
  const folder = ocrFolder();
  if (!hasPrograms(folder)) return [];
  const files = existsSync(languagesIn(folder)) ? readdirSync(languagesIn(folder)) : [];
  return files.flatMap((file) => (file.endsWith(SUFFIX) ? [file.slice(0, -SUFFIX.length)] : [])).toSorted();
}

const languagesIn = (folder: string): string => join(folder, 'languages');

const hasPrograms = (folder: string): boolean =>
  Object.entries(PROGRAMS).every(([name, version]) => versionOf(join(folder, 'node_modules', name, 'package.json')) === version);

function versionOf(file: string): string | undefined {
  try {
    return (JSON.parse(readFileSync(file, 'utf8')) as { version: string }).version;
  } catch {
    return undefined;
  }
}

/** Installs OCR and the data of languages with npm, unless they are installed; yields the output of npm. Returns the languages that were added. */
export async function* setUpOcr(
  languages: readonly string[],
  { signal }: { signal?: AbortSignal | undefined },
): AsyncGenerator<string, string[], void> {
  const folder = ocrFolder();
  await mkdir(languagesIn(folder), { recursive: true }).catch((cause: NodeJS.ErrnoException) => {
    throw notInstalled(`${folder} cannot be written (${cause.code})`);
  });
  const before = installedLanguages();
  const failure = (reason: string) =>
    notInstalled(/\b404\b/.test(reason) ? `npm has no data for a language of ${languages.join(', ')}` : reason);
  if (!hasPrograms(folder)) {
    yield `Installing the programs for OCR in ${folder}.`;
    await writeFile(join(folder, 'package.json'), '{ "private": true }\n');
    yield* runInstaller(npm(folder, Object.entries(PROGRAMS)), { cwd: folder, signal, failure });
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
      const file = `${missing[i]}${SUFFIX}`;
      await copyFile(join(incoming, 'node_modules', name, MODELS, file), join(languagesIn(folder), file));
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
