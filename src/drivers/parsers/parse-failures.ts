import { KbError } from '../../core/errors.ts';
import type { Parser } from '../../ports/reading.ts';

type NamedType = Pick<Parser, 'file_type' | 'name'>;

const nameOf = ({ name, file_type }: NamedType): string => name ?? `a file of the kind «${file_type}»`;

/** A file without a byte. */
export const emptyFile = (source: string): KbError =>
  new KbError('invalid', `${source} is empty: it has no bytes.`, { hint: 'Add text to it, or leave it out.' });

/** A file that was read, and in which there is nothing to find. */
export const withoutText = (source: string, type: NamedType): KbError =>
  new KbError('invalid', `${source} is ${nameOf(type)} without any text.`, { hint: 'Add text to it, or leave it out.' });

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

/** A file whose bytes are something else than its name says: `found`, a type that can be read or a description. */
export function wrongType(source: string, { expected, found }: { expected: NamedType; found: Parser | string }): KbError {
  const [is, hint] =
    typeof found === 'string'
      ? [found, 'Save it in a supported format.']
      : [nameOf(found), `Give it a name that ends in ${found.extensions[0]}.`];
  return new KbError('invalid', `${source} is ${is} by its content, not ${nameOf(expected)}.`, { hint });
}

/** A file of the right kind that is broken. */
export const brokenFile = (source: string, type: NamedType, cause: unknown): KbError =>
  new KbError('invalid', `${source} cannot be read as ${nameOf(type)}: ${reasonOf(cause)}.`, {
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
