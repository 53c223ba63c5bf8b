import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** Packages of npm that OCR needs in its folder, with their versions: they recognize text, draw pages of PDFs and read TIFF (80 MB). */
export const OCR_PROGRAMS: Readonly<Record<string, string>> = { 'tesseract.js': '7.0.0', '@napi-rs/canvas': '0.1.80', utif2: '4.1.0' };
const SUFFIX = '.traineddata.gz';

/** Path of the data of a language (`eng`, `chi_sim`) in the folder of OCR: a trained network of Tesseract, compressed with gzip. */
export const ocrLanguageFile = (folder: string, language: string): string => join(folder, 'languages', `${language}${SUFFIX}`);

/** Lists the languages that are installed in the folder of OCR; none if a program is missing. */
export function installedOcrLanguages(folder: string): string[] {
  const languages = join(folder, 'languages');
  if (!hasOcrPrograms(folder) || !existsSync(languages)) return [];
  return readdirSync(languages)
    .flatMap((file) => (file.endsWith(SUFFIX) ? [file.slice(0, -SUFFIX.length)] : []))
    .toSorted();
}

/** Whether the programs of OCR are installed in a folder, in the right versions. */
export const hasOcrPrograms = (folder: string): boolean =>
  Object.entries(OCR_PROGRAMS).every(([name, version]) => versionOf(join(folder, 'node_modules', name, 'package.json')) === version);

function versionOf(file: string): string | undefined {
  try {
    return (JSON.parse(readFileSync(file, 'utf8')) as { version: string }).version;
  } catch {
    return undefined;
  }
}
