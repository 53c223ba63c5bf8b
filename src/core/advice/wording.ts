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
  /** Whether its reader runs kb: may change the configuration and run commands. */
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
export const flagOf = (field: string): string => `--${FLAGS[field] ?? field.replaceAll('_', '-')}`;

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
