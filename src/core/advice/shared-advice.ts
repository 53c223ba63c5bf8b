import { type Advice, advice, call, setting, toOperator } from './advice.ts';

/** Where the text of pictures comes from; `what` is read. */
export const ocrReads = (what: string): Advice =>
  advice`OCR reads ${what}: ${setting('ingestion.docs.ocr', 'auto')}, after ${call('setup_ocr', { languages: 'eng' })}.`;

/** How a site is given credentials. */
export const LOGIN_IN_SITES = toOperator`network.sites gives an origin its credentials.`;
