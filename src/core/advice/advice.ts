import { AsyncLocalStorage } from 'node:async_hooks';

/** What an advice names: a key of the configuration, a field of requests, or an operation. Each face has its own name for it. */
type Named = { setting: string; value?: string | undefined } | { field: string } | { call: NamedOperation; request: NamedRequest };

/** A sentence that says what to do, in the words of the face that shows it. It is plain data, and may be sent to another process. */
export interface Advice {
  parts: readonly (string | Named)[];
  /** Its reader: anyone who can do what it names, else the operator; only the operator; nobody else, if the face does not have what it names. */
  for: 'anyone' | 'operator' | 'nobody else';
}

/** What to do about an error: a sentence that every face shows as it is, an advice, or several of them. */
export type Hint = string | Advice | readonly (string | Advice)[];

type Texts = readonly string[];

const made =
  (reader: Advice['for']) =>
  (texts: Texts, ...named: (string | Named)[]): Advice => ({
    parts: texts.flatMap((text, i) => (i < named.length ? [text, named[i]!] : [text])),
    for: reader,
  });

/** Makes an advice that names what its reader can use: `setting`, `field` and `call`. If a face lacks one of them, it is for the operator. */
export const advice = made('anyone');

/** Makes an advice that only the operator can follow: about environment variables, files, programs. */
export const toOperator = made('operator');

/** Makes an advice that is left out if the face does not have what it names. */
export const pointer = made('nobody else');

/** A key of the configuration (`ingestion.docs.ocr`), and the value that helps: `--ocr auto (ingestion.docs.ocr)`, or the field of a request that overrides it. */
export const setting = (path: string, value?: string): Named => ({ setting: path, value });

/** A field of a request that overrides no key: `--force`, or `force`. */
export const field = (name: string): Named => ({ field: name });

/** An operation with fields of its request: `kb collections drop manuals`, or `DELETE /v1/collections/manuals`. */
export const call = (operation: NamedOperation, request: NamedRequest = {}): Named => ({ call: operation, request });

const wordings = new AsyncLocalStorage<Wording>();

/** Calls `work`, whose hints are in the words of a face. */
export const inWordsOf = <T>(wording: Wording, work: () => T): T => wordings.run(wording, work);

/** Writes a hint as text, in the words of the present face. A reader who cannot follow an advice gets it as one for the operator. */
export function sayHint(hint: Hint): string {
  const wording = wordings.getStore() ?? operatorWording;
  const sentences = typeof hint === 'string' || 'parts' in hint ? [hint] : hint;
  return sentences
    .map((one) => (typeof one === 'string' ? one : sentence(one, wording)))
    .filter((text) => text !== '')
    .join(' ');
}

function sentence({ parts, for: reader }: Advice, wording: Wording): string {
  const own = reader === 'operator' && !wording.isOperators ? undefined : worded(parts, wording);
  if (own !== undefined) return own;
  if (reader === 'nobody else') return '';
  return `For the operator: ${worded(parts, operatorWording)!.replace(/^[A-Z](?=[a-z])/, (letter) => letter.toLowerCase())}`;
}

/** Writes the parts; undefined if the face has no name for one. */
function worded(parts: Advice['parts'], wording: Wording): string | undefined {
  const words = parts.map((part) => (typeof part === 'string' ? part : wordFor(part, wording)));
  return words.every((word) => word !== undefined) ? words.join('') : undefined;
}

function wordFor(named: Named, wording: Wording): string | undefined {
  if ('setting' in named) return wording.setting(named.setting, named.value);
  return 'field' in named ? wording.field(named.field) : wording.call(named.call, named.request);
}

/** Where the text of pictures comes from; `what` is read. */
export const ocrReads = (what: string): Advice =>
  advice`OCR reads ${what}: ${setting('ingestion.docs.ocr', 'auto')}, after ${call('setup_ocr', { languages: 'eng' })}.`;

/** How a site is given credentials. */
export const LOGIN_IN_SITES = toOperator`network.sites gives an origin its credentials.`;

/** The commands of operations that advice names: `{name}` stands for a field of the request. */
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

/** Fields of a request that is named. */
export type NamedRequest = Readonly<Record<string, string | readonly string[]>>;

/** How a face calls what advice names; undefined for what its reader can't set or do. */
export interface Wording {
  /** Whether its reader is the operator, who may change the configuration and run commands. */
  isOperators: boolean;
  setting(path: string, value?: string): string | undefined;
  field(name: string): string | undefined;
  call(operation: NamedOperation, request: NamedRequest): string | undefined;
}

/** A key or field with a value, as YAML writes it. */
export const withValue = (name: string, value: string | undefined): string => (value === undefined ? name : `${name}: ${value}`);

/** Flags that are not called like the field. */
const FLAGS: Record<string, string> = { ids: 'id', filter: 'where' };

/** The flag of a field of a request. */
export const flagOf = (name: string): string => `--${FLAGS[name] ?? name.replaceAll('_', '-')}`;

function commandOf(operation: NamedOperation, request: NamedRequest): string {
  const pattern = COMMANDS[operation];
  const words = pattern.replace(/ ?\{(\w+)\}/g, (_, name: string) => (name in request ? ` ${String(request[name])}` : ''));
  const flags = Object.entries(request).filter(([name]) => !pattern.includes(`{${name}}`));
  return ['kb', words, ...flags.map(([name, value]) => `${flagOf(name)} ${String(value)}`)].join(' ');
}

/** The words of those who run kb: keys of the configuration, and commands. */
export const operatorWording: Wording = {
  isOperators: true,
  setting: withValue,
  field: (name) => name,
  call: commandOf,
};

/** Writes a word as a shell reads it, in quotes where it needs them. */
export const shellWord = (word: string): string => (/^[\w@%+:,./=-]+$/.test(word) ? word : `'${word.replaceAll("'", String.raw`'\''`)}'`);
