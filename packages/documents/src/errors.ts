import type { Parser } from './types.ts';

/**
 * Why a document cannot be read. `invalid`: it is damaged or of another type; `no_text`: it is intact, without any text; `no_text_layer`: its pages are
 * pictures; `unsupported`: its format is not read; `too_large`: it exceeds a limit of size, memory or time; `unknown_type`: no parser has this type;
 * `no_ocr`: OCR or a language is not installed; `no_process`: the system could not start a process (a retry may succeed); `closed`: the reader was closed.
 */
export type DocumentErrorCode =
  | 'invalid'
  | 'no_text'
  | 'no_text_layer'
  | 'password_needed'
  | 'wrong_password'
  | 'unsupported'
  | 'too_large'
  | 'unknown_type'
  | 'no_ocr'
  | 'no_process'
  | 'closed';

interface DocumentErrorOptions {
  /** What to do, as a sentence. */
  hint?: string | undefined;
  cause?: unknown;
  /** The languages that OCR lacks. */
  languages?: readonly string[] | undefined;
}

/** An error that names the document and what is wrong with it, for people. */
export class DocumentError extends Error {
  readonly code: DocumentErrorCode;
  /** What to do, as a sentence. */
  readonly hint: string | undefined;
  /** The languages that OCR lacks (`no_ocr`). */
  readonly languages: readonly string[] | undefined;

  constructor(code: DocumentErrorCode, message: string, { hint, cause, languages }: DocumentErrorOptions = {}) {
    super(message, cause === undefined ? undefined : { cause });
    this.name = 'DocumentError';
    this.code = code;
    this.hint = hint;
    this.languages = languages;
  }
}

/** Makes the error for work of a reader that was closed. */
export const closedError = (): DocumentError => new DocumentError('closed', 'The reader was closed.');

type NamedType = Pick<Parser, 'file_type' | 'name'>;

const describeType = ({ name, file_type }: NamedType): string => name ?? `a file of the kind "${file_type}"`;

/** Makes the error for a file without a byte. */
export const emptyFileError = (source: string): DocumentError =>
  new DocumentError('no_text', `${source} is empty: it has no bytes.`, { hint: 'Add text to it, or leave it out.' });

/** Makes the error for a file without text. */
export const noTextError = (source: string, type: NamedType): DocumentError =>
  new DocumentError('no_text', `${source} is ${describeType(type)} without any text.`, { hint: 'Add text to it, or leave it out.' });

/** Makes the error for a file that holds others, none of which could be read; `reason` is that of one. */
export const nothingReadableError = (source: string, reason: string): DocumentError =>
  new DocumentError('invalid', `${source} holds no file that can be read: ${reason}.`, { hint: 'Unpack it, and ingest what is in it.' });

/** Makes the error for a document of pictures without a text layer. */
export const noTextLayerError = (source: string, pages: number): DocumentError =>
  new DocumentError(
    'no_text_layer',
    `${source} has no text layer: its ${pages === 1 ? 'page is a picture' : `${pages} pages are pictures`}, a scan perhaps.`,
    { hint: 'OCR reads it.' },
  );

/** Makes the error for a PDF with a password; `tried` passwords did not open it. */
export const encryptedPdfError = (source: string, tried = 0): DocumentError =>
  tried > 0
    ? new DocumentError(
        'wrong_password',
        `${source} is encrypted, and ${tried === 1 ? 'the password does' : `none of the ${tried} passwords does`} not open it.`,
        { hint: 'Check the password.' },
      )
    : new DocumentError('password_needed', `${source} is encrypted: it cannot be read without its password.`, {
        hint: 'Give the password that opens it.',
      });

/** Makes the error for another file with a password. */
export const encryptedFileError = (source: string): DocumentError =>
  new DocumentError('invalid', `${source} is encrypted: only PDFs can be opened with a password.`, {
    hint: 'Save a copy without a password, and ingest that.',
  });

/** Makes the error for a file whose bytes are of another type than its name: `actual`, a type that can be read or a description. */
export function wrongTypeError(source: string, { expected, actual }: { expected: NamedType; actual: Parser | string }): DocumentError {
  const [is, hint] =
    typeof actual === 'string'
      ? [actual, 'Save it in a supported format.']
      : [describeType(actual), `Give it a name that ends in ${actual.extensions[0]}.`];
  return new DocumentError('invalid', `${source} is ${is} by its content, not ${describeType(expected)}.`, { hint });
}

/** Makes the error for a file whose name says no type, and whose content has one that is not read: `actual` describes it. */
export const unknownTypeError = (source: string, actual: string): DocumentError =>
  new DocumentError('unsupported', `${source} is ${actual}, which is not read.`, { hint: 'Save it in a supported format.' });

/** Writes a word as a shell reads it, in quotes where it needs them. */
export const shellWord = (word: string): string => (/^[\w@%+:,./=-]+$/.test(word) ? word : `'${word.replaceAll("'", String.raw`'\''`)}'`);

/** Returns the command by which LibreOffice converts a file to another type. */
export const officeCommand = (source: string, target: string): string => `soffice --headless --convert-to ${target} ${shellWord(source)}`;

/** Makes the error for a file of an old format. */
export const oldFormatError = (source: string, type: NamedType, target: string): DocumentError =>
  new DocumentError('unsupported', `${source} is ${describeType(type)}, which is not read.`, {
    hint: `Save it as ${target.toUpperCase()}, or convert it: ${officeCommand(source, target)}`,
  });

/** Makes the error for a file of the right type that is broken. */
export const brokenFileError = (source: string, type: NamedType, cause: unknown): DocumentError =>
  new DocumentError('invalid', `${source} cannot be read as ${describeType(type)}: ${reasonOf(cause)}.`, {
    hint: 'It may be damaged: open it in the program that made it, and save it again.',
    cause,
  });

/** Errors of JavaScript itself: "Cannot read properties of undefined", "Unexpected token", "Invalid array length". */
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
