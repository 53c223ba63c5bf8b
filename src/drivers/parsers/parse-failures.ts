import { ocrAdvice, operatorAdvice, setting, shellWord } from '../../core/advice/advice.ts';
import { KbError } from '../../core/errors.ts';
import type { Parser } from '../../ports/reading.ts';

type NamedType = Pick<Parser, 'file_type' | 'name'>;

const describeType = ({ name, file_type }: NamedType): string => name ?? `a file of the kind «${file_type}»`;

/** Makes the error for a file without a byte. */
export const emptyFileError = (source: string): KbError =>
  new KbError('invalid', `${source} is empty: it has no bytes.`, { hint: 'Add text to it, or leave it out.', hasNoText: true });

/** Makes the error for a file without text. */
export const noTextError = (source: string, type: NamedType): KbError =>
  new KbError('invalid', `${source} is ${describeType(type)} without any text.`, {
    hint: 'Add text to it, or leave it out.',
    hasNoText: true,
  });

/** Makes the error for a file that holds others, none of which could be read; `reason` is that of one. */
export const nothingReadableError = (source: string, reason: string): KbError =>
  new KbError('invalid', `${source} holds no file that can be read: ${reason}.`, { hint: 'Unpack it, and ingest what is in it.' });

/** Makes the error for a document of pictures without a text layer. */
export const noTextLayerError = (source: string, pages: number): KbError =>
  new KbError(
    'invalid',
    `${source} has no text layer: its ${pages === 1 ? 'page is a picture' : `${pages} pages are pictures`}, a scan perhaps.`,
    { hint: ocrAdvice('it') },
  );

/** Makes the error for a PDF with a password; `tried` passwords did not open it. */
export const encryptedPdfError = (source: string, tried = 0): KbError =>
  tried > 0
    ? new KbError(
        'invalid',
        `${source} is encrypted, and ${tried === 1 ? 'the password does' : `none of the ${tried} passwords does`} not open it.`,
        {
          hint: operatorAdvice`Check the variable that ${setting('ingestion.docs.password')} names (KB_PDF_PASSWORD where it names none): one password a line.`,
        },
      )
    : new KbError('invalid', `${source} is encrypted: it cannot be read without its password.`, {
        hint: operatorAdvice`It is opened with the password in the environment variable KB_PDF_PASSWORD, or in the one that ${setting('ingestion.docs.password')} names.`,
      });

/** Makes the error for another file with a password. */
export const encryptedFileError = (source: string): KbError =>
  new KbError('invalid', `${source} is encrypted: kb opens only PDFs with a password.`, {
    hint: 'Save a copy without a password, and ingest that.',
  });

/** Makes the error for a file whose bytes are of another type than its name: `actual`, a type that can be read or a description. */
export function wrongTypeError(source: string, { expected, actual }: { expected: NamedType; actual: Parser | string }): KbError {
  const [is, hint] =
    typeof actual === 'string'
      ? [actual, 'Save it in a supported format.']
      : [describeType(actual), `Give it a name that ends in ${actual.extensions[0]}.`];
  return new KbError('invalid', `${source} is ${is} by its content, not ${describeType(expected)}.`, { hint });
}

/** Returns the command by which LibreOffice converts a file to another type. */
export const officeCommand = (source: string, target: string): string => `soffice --headless --convert-to ${target} ${shellWord(source)}`;

/** Makes the error for a file of an old format. */
export const oldFormatError = (source: string, type: NamedType, target: string): KbError =>
  new KbError('invalid', `${source} is ${describeType(type)}, which kb does not read.`, {
    hint: `Save it as ${target.toUpperCase()}, or convert it: ${officeCommand(source, target)}`,
    isUnsupported: true,
  });

/** Makes the error for a file of the right type that is broken. */
export const brokenFileError = (source: string, type: NamedType, cause: unknown): KbError =>
  new KbError('invalid', `${source} cannot be read as ${describeType(type)}: ${reasonOf(cause)}.`, {
    hint: 'It may be damaged: open it in the program that made it, and save it again.',
    cause,
  });

/** Errors of JavaScript itself: «Cannot read properties of undefined», «Unexpected token», «Invalid array length». */
const LANGUAGE_ERRORS = [TypeError, SyntaxError, ReferenceError, RangeError];

/** Says why a file cannot be read, without a full stop. Messages that mean nothing to users are replaced. */
export function reasonOf(cause: unknown): string {
  if (cause instanceof RangeError && /call stack/i.test(cause.message)) return 'it is nested too deeply';
  if (LANGUAGE_ERRORS.some((kind) => cause instanceof kind)) return 'parts of it are missing or damaged';
  const message = cause instanceof Error ? cause.message : String(cause);
  return (
    message
      .split('\n')[0]!
      .replace(/(?<![.\s])[.\s]+$/, '')
      .slice(0, 200) || 'no reason is known'
  );
}
