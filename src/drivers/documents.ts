import {
  brokenFileError,
  createReader,
  DocumentError,
  type DocumentErrorCode,
  fileTypes,
  mayHoldPages,
  mayHoldScans,
  noTextError,
  type ReaderLimits,
} from '@citekb/documents';
import { call, type Hint, ocrAdvice, operatorAdvice, setting } from '../core/advice/advice.ts';
import { type ErrorCode, KbError, stoppedError } from '../core/errors.ts';
import { throwIfAborted } from '../core/run.ts';
import type { DocumentReader, DocumentReaders, Parser } from '../ports/reading.ts';
import { ocrFolder } from './setup/ocr.ts';

/** Creates readers of documents that share their processes. */
export function createReaders(limits: Partial<ReaderLimits> = {}): DocumentReaders {
  const reader = createReader(limits);
  return {
    open: ({ ocr, languages, passwords, html }) => ({
      ...fileTypes(),
      revisionOf(file_type) {
        if (html === 'whole' && mayHoldPages(file_type)) return 'html whole';
        return ocr === 'auto' && mayHoldScans(file_type) ? `ocr ${languages ?? ''}` : undefined;
      },
      async read(bytes, { source, signal, ...options }) {
        throwIfAborted(signal);
        const recognition = ocr === 'auto' ? { folder: ocrFolder(), languages: languages?.split('+') } : undefined;
        const document = await reader
          .read(bytes, { name: source, signal, ...options, passwords, html, ocr: recognition })
          .catch((error: unknown) => {
            throwIfAborted(signal);
            throw asKbError(error);
          });
        if (ocr !== 'off') return document;
        const { pages_without_text: _, ...metadata } = document.metadata;
        return { ...document, metadata };
      },
      close: () => reader.close(),
    }),
    close: () => reader.close(),
  };
}

/** Codes of errors of documents that are not `invalid`, as the engine knows them. */
const CODES: Partial<Record<DocumentErrorCode, ErrorCode>> = {
  too_large: 'too_large',
  unknown_type: 'usage',
  no_ocr: 'setup',
  no_process: 'unavailable',
};

/** What kb advises instead of the hint of the error: it has settings and commands for it. */
const ADVICE: Partial<Record<DocumentErrorCode, (error: DocumentError) => Hint>> = {
  no_text_layer: () => ocrAdvice('it'),
  password_needed: () =>
    operatorAdvice`It is opened with the password in the environment variable KB_PDF_PASSWORD, or in the one that ${setting('ingestion.docs.password')} names.`,
  wrong_password: () =>
    operatorAdvice`Check the variable that ${setting('ingestion.docs.password')} names (KB_PDF_PASSWORD where it names none): one password a line.`,
  no_ocr: ({ languages = [] }) => operatorAdvice`Install it with: ${call('setup_ocr', { languages: languages.join(' ') || 'eng' })}`,
};

/** Converts an error of a document to one of kb, with its code and its advice; returns any other error as it is. */
function asKbError(error: unknown): unknown {
  if (!(error instanceof DocumentError)) return error;
  const { code, message, hint, cause } = error;
  if (code === 'closed') return stoppedError(cause);
  return new KbError(CODES[code] ?? 'invalid', message, {
    hint: ADVICE[code]?.(error) ?? hint,
    cause,
    hasNoText: code === 'no_text',
    isUnsupported: code === 'unsupported',
    isRetryable: code === 'no_process',
  });
}

/** Creates a reader that parses files of these parsers in this process, and passes all others to `reader`. */
export function withOwnParsers(reader: DocumentReader, parsers: readonly Parser[]): DocumentReader {
  if (parsers.length === 0) return reader;
  const byType = new Map(parsers.map((parser) => [parser.file_type, parser]));
  return {
    ...reader,
    ...fileTypes(parsers),
    async read(bytes, options) {
      const { source, file_type, signal } = options;
      const parser = byType.get(file_type);
      if (!parser) return reader.read(bytes, options);
      throwIfAborted(signal);
      const parsed = await parser.parse(bytes, { source }).catch((error: unknown) => {
        throw error instanceof KbError ? error : asKbError(brokenFileError(source, parser, error));
      });
      if (parsed.text.trim() === '' && !parsed.page) throw asKbError(noTextError(source, parser));
      return parsed;
    },
  };
}
