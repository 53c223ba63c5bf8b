import { AsyncLocalStorage } from 'node:async_hooks';

/** A key of the configuration, a field of requests, or an operation that an advice names. Each interface (command line, HTTP, MCP) words it differently. */
type AdviceTerm = { setting: string; value?: string | undefined } | { field: string } | { call: NamedOperation; request: NamedRequest };

/** A sentence that says what to do. It is worded for the interface that shows it. It is plain data, and may be sent to another process. */
export interface Advice {
  parts: readonly (string | AdviceTerm)[];
  /**
   * Who can follow it. `anyone`: the reader, or the operator if the interface lacks something that it names; `operator`: only the operator;
   * `able`: the reader, and it is left out if the interface lacks something.
   */
  audience: 'anyone' | 'operator' | 'able';
}

/** What to do about an error: a sentence that every interface shows as it is, an advice, or several of them. */
export type Hint = string | Advice | readonly (string | Advice)[];

const adviceFor =
  (audience: Advice['audience']) =>
  (texts: readonly string[], ...terms: (string | AdviceTerm)[]): Advice => ({
    parts: texts.flatMap((text, i) => (i < terms.length ? [text, terms[i]!] : [text])),
    audience,
  });

/** Makes an advice with terms (`setting`, `field`, `call`) that the reader can use. If the interface lacks one of them, it is shown as advice for the operator. */
export const advice = adviceFor('anyone');

/** Makes an advice that only the operator can follow: about environment variables, files, programs. */
export const operatorAdvice = adviceFor('operator');

/** Makes an advice that is left out if the interface lacks something that it names. */
export const optionalAdvice = adviceFor('able');

/** A key of the configuration (`ingestion.docs.ocr`), and the value that helps: `--ocr auto (ingestion.docs.ocr)`, or the field of a request that overrides it. */
export const setting = (path: string, value?: string): AdviceTerm => ({ setting: path, value });

/** A field of a request that overrides no key: `--force`, or `force`. */
export const field = (name: string): AdviceTerm => ({ field: name });

/** An operation with fields of its request: `kb collections drop manuals`, or `DELETE /v1/collections/manuals`. */
export const call = (operation: NamedOperation, request: NamedRequest = {}): AdviceTerm => ({ call: operation, request });

const wordings = new AsyncLocalStorage<Wording>();

/** Calls `work`, whose hints are formatted with this wording. */
export const withWording = <T>(wording: Wording, work: () => T): T => wordings.run(wording, work);

/** Formats a hint with the current wording. An advice that its reader cannot follow is shown as one for the operator. */
export function formatHint(hint: Hint): string {
  const wording = wordings.getStore() ?? operatorWording;
  const sentences = typeof hint === 'string' || 'parts' in hint ? [hint] : hint;
  return sentences
    .map((one) => (typeof one === 'string' ? one : formatAdvice(one, wording)))
    .filter((text) => text !== '')
    .join(' ');
}

function formatAdvice({ parts, audience }: Advice, wording: Wording): string {
  const own = audience === 'operator' && !wording.isOperators ? undefined : formatParts(parts, wording);
  if (own !== undefined) return own;
  if (audience === 'able') return '';
  return `For the operator: ${formatParts(parts, operatorWording)!.replace(/^[A-Z](?=[a-z])/, (letter) => letter.toLowerCase())}`;
}

/** Formats the parts; undefined if the interface has no name for one. */
function formatParts(parts: Advice['parts'], wording: Wording): string | undefined {
  const words = parts.map((part) => (typeof part === 'string' ? part : formatTerm(part, wording)));
  return words.every((word) => word !== undefined) ? words.join('') : undefined;
}

function formatTerm(term: AdviceTerm, wording: Wording): string | undefined {
  if ('setting' in term) return wording.setting(term.setting, term.value);
  return 'field' in term ? wording.field(term.field) : wording.call(term.call, term.request);
}

/** How to have the text of pictures read; `what` names them. */
export const ocrAdvice = (what: string): Advice =>
  advice`OCR reads ${what}: ${setting('ingestion.docs.ocr', 'auto')}, after ${call('setup_ocr', { languages: 'eng' })}.`;

/** How the operator gives kb credentials for a site. */
export const SITE_CREDENTIALS_ADVICE = operatorAdvice`network.sites gives an origin its credentials.`;

/** The command of each operation that advice names; `{name}` stands for a field of the request. */
const COMMANDS = {
  ingest: 'ingest',
  embed: 'embed',
  delete: 'delete',
  doctor: 'doctor',
  parse: 'parse {files}',
  retrieve: 'retrieve --json',
  fetch: 'fetch {url}',
  list_sources: 'sources',
  setup_browser: 'setup-browser',
  setup_ocr: 'setup-ocr {languages}',
  list_collections: 'collections list',
  drop_collection: 'collections drop {name}',
  export_collection: 'collections export {name}',
  reembed_collection: 'collections reembed {name}',
  list_snapshots: 'snapshot list',
  delete_snapshot: 'snapshot delete {name}',
};

/** An operation that advice can name. */
export type NamedOperation = keyof typeof COMMANDS;

/** Fields of a request that advice names. */
export type NamedRequest = Readonly<Record<string, string | readonly string[]>>;

/** Names the terms of advice for one interface. Each method returns undefined for what its reader cannot set or do. */
export interface Wording {
  /** Whether its reader is the operator, who may change the configuration and run commands. */
  isOperators: boolean;
  setting(path: string, value?: string): string | undefined;
  field(name: string): string | undefined;
  call(operation: NamedOperation, request: NamedRequest): string | undefined;
}

/** A key or field with a value, as YAML writes it. */
export const withValue = (name: string, value: string | undefined): string => (value === undefined ? name : `${name}: ${value}`);

/** Flags that are named differently from their field. */
const FLAGS: Record<string, string> = { ids: 'id', filter: 'where' };

/** The flag of a field of a request. */
export const flagOf = (name: string): string => `--${FLAGS[name] ?? name.replaceAll('_', '-')}`;

function commandOf(operation: NamedOperation, request: NamedRequest): string {
  const pattern = COMMANDS[operation];
  const words = pattern.replace(/ ?\{(\w+)\}/g, (_, name: string) => (name in request ? ` ${String(request[name])}` : ''));
  const flags = Object.entries(request).filter(([name]) => !pattern.includes(`{${name}}`));
  return ['kb', words, ...flags.map(([name, value]) => `${flagOf(name)} ${String(value)}`)].join(' ');
}

/** Wording for those who run kb: keys of the configuration, and commands. */
export const operatorWording: Wording = {
  isOperators: true,
  setting: withValue,
  field: (name) => name,
  call: commandOf,
};

/** Writes a word as a shell reads it, in quotes where it needs them. */
export const shellWord = (word: string): string => (/^[\w@%+:,./=-]+$/.test(word) ? word : `'${word.replaceAll("'", String.raw`'\''`)}'`);
