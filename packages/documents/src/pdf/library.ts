import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** pdf-parse and the pdf.js in it. The build puts both into this file: installed as packages, they bring a library along that draws pictures, 90 MB. */
export { PDFParse } from 'pdf-parse';

/** The folder of the tables of characters without which some Chinese, Japanese and Korean files cannot be read: beside this file where it is built. */
export function pdfTables(): string {
  const built = fileURLToPath(new URL('./pdfjs', import.meta.url));
  if (existsSync(built)) return built;
  const parser = createRequire(import.meta.url).resolve('pdf-parse');
  return dirname(createRequire(parser).resolve(join('pdfjs-dist', 'package.json')));
}
