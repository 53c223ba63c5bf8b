import { KbError } from '../../core/errors.ts';

/** What people call the kinds, and what their files end in. */
export const KINDS: Record<string, { name: string; extension: string }> = {
  pdf: { name: 'a PDF', extension: '.pdf' },
  docx: { name: 'a Word document (DOCX)', extension: '.docx' },
  pptx: { name: 'a PowerPoint presentation (PPTX)', extension: '.pptx' },
  xlsx: { name: 'an Excel workbook (XLSX)', extension: '.xlsx' },
  csv: { name: 'a CSV file', extension: '.csv' },
  html: { name: 'an HTML page', extension: '.html' },
  markdown: { name: 'a Markdown file', extension: '.md' },
  text: { name: 'a text file', extension: '.txt' },
  'xml-value': { name: 'XML', extension: '.xml' },
};

const nameOf = (file_type: string): string => KINDS[file_type]?.name ?? `a file of the kind «${file_type}»`;

/** A file without a byte. */
export const emptyFile = (source: string): KbError =>
  new KbError('invalid', `${source} is empty: it has no bytes.`, { hint: 'Add text to it, or leave it out.' });

/** A file that was read, and in which there is nothing to find. */
export const withoutText = (source: string, file_type: string): KbError =>
  new KbError('invalid', `${source} is ${nameOf(file_type)} without any text.`, { hint: 'Add text to it, or leave it out.' });

/** A PDF of pictures. */
export const withoutTextLayer = (source: string, pages: number): KbError =>
  new KbError(
    'invalid',
    `${source} has no text layer: its ${pages === 1 ? 'page is a picture' : `${pages} pages are pictures`}, a scan perhaps.`,
    {
      hint: 'Run OCR over it (with ocrmypdf, for example) and ingest the result.',
    },
  );

/** A file that a password protects. */
export const encryptedFile = (source: string): KbError =>
  new KbError('invalid', `${source} is encrypted: it cannot be read without its password.`, {
    hint: 'Save a copy without a password and ingest that.',
  });

/** A file whose bytes are something else than its name says. `found` names what they are; `actual` is the kind, where it is one that can be read. */
export function wrongKind(
  source: string,
  { expected, found, actual }: { expected: string; found: string; actual?: string | undefined },
): KbError {
  const extension = actual && KINDS[actual]?.extension;
  const hint = extension ? `Give it a name that ends in ${extension}.` : 'Save it in a supported format.';
  return new KbError('invalid', `${source} is ${found} by its content, not ${nameOf(expected)}.`, { hint });
}

/** A file of the right kind that is broken. */
export const brokenFile = (source: string, file_type: string, cause: unknown): KbError =>
  new KbError('invalid', `${source} cannot be read as ${nameOf(file_type)}: ${reasonOf(cause)}.`, {
    hint: 'It may be damaged: open it in the program that made it, and save it again.',
    cause,
  });

function reasonOf(cause: unknown): string {
  if (cause instanceof RangeError && /call stack/i.test(cause.message)) return 'it is nested too deeply';
  const message = cause instanceof Error ? cause.message : String(cause);
  return (
    message
      .split('\n')[0]!
      .replace(/(?<![.\s])[.\s]+$/, '')
      .slice(0, 200) || 'no reason is known'
  );
}
