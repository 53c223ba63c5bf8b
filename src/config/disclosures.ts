import { type Dirent, readdirSync } from 'node:fs';
import { isAbsolute, join, resolve } from 'node:path';
import { fillVariables, getPath, type Layer, referencesIn } from '../core/settings.ts';
import { findProvider, type Provider, providers } from '../drivers/providers/providers.ts';
import { BUCKET_VARIABLES } from '../drivers/stores/lancedb/bucket-variables.ts';
import { holdsSecret, redactUrl } from '../core/secrets.ts';
import { hasCode } from '../core/errors.ts';
import { isAddress, isFolderStore, storeFolder } from '../engine/store-address.ts';
import { isWithin, realPath } from '../stages/extract/files/local-path.ts';
import { readProxies } from '../http/connections.ts';
import type { Environment } from '../ports/engines.ts';
import type { Config } from '../schema/config.ts';

/** What kb would send to an address because a configuration, or the `.env` beside it, says so: a secret, or the texts of documents. */
export interface Disclosure {
  /** The variable that holds the secret, or what is sent. */
  secret: string;
  /** Where it would go; empty if the configuration does not name that. A reference in it is filled, so that it may hold a secret itself. */
  address: string;
  /** The address for messages, with its references. */
  label: string;
  /** The setting or variable that sends it there. */
  setting: string;
}

/** A reference to a variable, `${NAME}`, in a configuration file. */
export interface Reference {
  /** Dotted path of the text. */
  path: string;
  /** The text, with its references. */
  text: string;
  variable: string;
  /** Whether the text itself says where something is: an address or a path. */
  isPlace: boolean;
  /** The address or path of the site or source that it belongs to. */
  place: string | undefined;
}

interface Settings {
  config: Config;
  /** The folder of the configuration, which its relative paths begin at. */
  home: string;
  /** All variables, those of `.env` included. */
  environment: Environment;
  /** References in the configuration file. */
  references: readonly Reference[];
  /** What the user said: variables that the process was started with, and the layer of settings from these and from flags. */
  user: { environment: Environment; layer: Layer };
  /** Whether the command is `kb serve`. */
  serves: boolean;
}

/** What models and stores get, whether with a key or without: a file that `sources.docs` or the user names may lie anywhere on this machine. */
const TEXTS = 'texts of documents and questions';

/**
 * Lists the secrets and texts that would go to addresses which neither belong to their provider, nor are on this machine, nor were named by the user (by a flag or a
 * variable): whoever wrote the configuration would get them.
 */
export const listDisclosures = (settings: Settings): Disclosure[] =>
  [
    ...optionAddresses(settings),
    ...variableAddresses(settings),
    ...qdrantAddresses(settings),
    ...bucketAddresses(settings),
    ...buckets(settings),
    ...foldersElsewhere(settings),
    ...proxies(settings),
    ...collector(settings),
    ...(settings.serves ? [...callers(settings), ...otherStores(settings)] : []),
    ...changingRequests(settings),
    ...settings.references.flatMap((reference) => followReference(reference, settings)),
  ]
    .filter(
      ({ address, setting }) =>
        (setting === APIS || !isOnThisMachine(address)) && ![getPath(settings.user.layer, setting)].flat().includes(address),
    )
    .filter(isNotImplied)
    .map((target) => ({ ...target, label: target.label ?? labelOf(target.address, settings) }));

/** Whether a target says more than the others: texts go where a key goes, and a provider that is open makes a target of each. */
const isNotImplied = (target: Target, i: number, targets: readonly Target[]): boolean =>
  !targets.some(
    ({ secret, address }, k) =>
      address === target.address && (target.secret === TEXTS ? secret !== TEXTS || k < i : secret === target.secret && k < i),
  );

/** A disclosure whose label is that of its address, unless it has one. */
type Target = Omit<Disclosure, 'label'> & { label?: string };

/** Writes an address for a message: without credentials, and with the names of variables that hold some. */
function labelOf(address: string, { references, environment }: Settings): string {
  const text = references.find((reference) => fillVariables(reference.text, environment) === address)?.text;
  if (text === undefined) return redactUrl(address);
  const shown = Object.entries(environment).filter(([name, value]) => !holdsSecret(name, value));
  return String(fillVariables(text, Object.fromEntries(shown)));
}

const LOOPBACK = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])$/;

/** Whether an address is on the loopback interface; a proxy may be named without a scheme. A path is not: other users may read there. */
function isOnThisMachine(address: string): boolean {
  if (isAbsolute(address)) return false;
  const url = URL.parse(address.includes('://') ? address : `http://${address}`);
  return url !== null && LOOPBACK.test(url.hostname);
}

const isSameOrigin = (address: string, other: string | undefined): boolean =>
  other !== undefined && URL.parse(address)?.origin === new URL(other).origin;

const ROWS: readonly Provider[] = Object.values(providers);

/** The key of a provider, else texts, if the address is neither the provider's own nor named by the user. */
function discloseKey({ key_variables, base_url, base_url_variable }: Provider, to: Omit<Target, 'secret'>, settings: Settings): Target[] {
  const { environment, user } = settings;
  const secret = key_variables.find((variable) => environment[variable]?.trim()) ?? TEXTS;
  if (isSameOrigin(to.address, base_url) || user.environment[base_url_variable] === to.address) return [];
  return [{ secret, ...to }];
}

/** `options.base_url` of embedder, language model and reranker. */
function optionAddresses(settings: Settings): Target[] {
  const { embedding, chat, rerank } = settings.config;
  return Object.entries({ embedding, 'chat.llm': chat.llm, rerank }).flatMap(([section, { provider, options }]) => {
    const address = options?.['base_url'];
    if (typeof address !== 'string') return [];
    // without a provider the collection names one; the reranker `llm` calls the language model that a request chooses
    const isOpen = provider === undefined || provider === 'llm';
    const rows = isOpen ? ROWS : [findProvider(provider)].filter((row) => row !== undefined);
    return rows.flatMap((row) => discloseKey(row, { address, setting: `${section}.options.base_url` }, settings));
  });
}

/** `OPENAI_BASE_URL` and the like in `.env`: for all providers, because a request may choose any. */
const variableAddresses = (settings: Settings): Target[] =>
  ROWS.flatMap((row) => {
    const address = settings.environment[row.base_url_variable];
    return address ? discloseKey(row, { address, setting: row.base_url_variable }, settings) : [];
  });

/** Addresses of Qdrant, which get its key and texts: the configured one, other nodes, and those that requests may name. */
function qdrantAddresses({ config: { storage, server }, environment }: Settings): Target[] {
  const secret = environment['QDRANT_API_KEY'] ? 'QDRANT_API_KEY' : TEXTS;
  const { vector_db, url, options } = storage;
  const nodes = Array.isArray(options?.['urls']) ? options['urls'].map(String) : [];
  const configured: Record<string, string[]> =
    vector_db === 'qdrant' ? { 'storage.url': url === undefined ? [] : [url], 'storage.options.urls': nodes } : {};
  const addresses = {
    ...configured,
    'server.allowed_store_urls': server.allowed_store_urls.filter((address) => /^https?:/i.test(address)),
  };
  return Object.entries(addresses).flatMap(([setting, list]) => list.map((address) => ({ secret, address, setting })));
}

/** Options of buckets whose name or value may choose a server. Others are numbers, words and names, of which an address within the provider's is made. */
const isBucketAddress = (name: string, value: string): boolean =>
  /endpoint|url|uri|proxy|host/i.test(name) ? !/^(?:true|false)$/i.test(value) : NAMES_PLACE.test(name) && !/^[\w.-]*$/.test(value);
const NAMES_PLACE = /region|account_name|bucket/i;

/** Servers that stand in for those of Amazon, Google and Microsoft: they get the credentials that this machine has for these. */
function bucketAddresses({ config: { storage }, environment, user }: Settings): Target[] {
  const secret = 'the credentials of the object storage';
  const options = storage.vector_db === 'lancedb' ? Object.entries(storage.options ?? {}) : [];
  const variables = BUCKET_VARIABLES.filter((name) => environment[name] !== user.environment[name]);
  return [
    ...options.map(([name, value]) => ({ name, value: String(value), setting: `storage.options.${name}` })),
    ...variables.map((name) => ({ name, value: environment[name] ?? '', setting: name })),
  ].flatMap(({ name, value, setting }) => (isBucketAddress(name, value) ? [{ secret, address: value, setting }] : []));
}

/** A bucket in the cloud: it may belong to anybody, and be open to whoever writes. One on another server is covered by the address of that server. */
function buckets(settings: Settings): Target[] {
  const { vector_db, url = '' } = settings.config.storage;
  const isBucket = vector_db === 'lancedb' && /^(?!file:|memory:)[a-z][a-z\d+.-]+:\/\//i.test(url);
  return isBucket && bucketAddresses(settings).length === 0 ? [{ secret: TEXTS, address: url, setting: 'storage.url' }] : [];
}

/** Folders to which the store is written that are not in the folder of the configuration, by a path or by a link: others may read there. */
function foldersElsewhere({ config: { storage }, home, references, user }: Settings): Target[] {
  if (isFolderStore(storage.vector_db) && getPath(user.layer, 'storage.url') !== undefined) return [];
  const folder = realStoreFolder(storage, home);
  if (folder === undefined) return [];
  const elsewhere = [folder, ...linksBelow(folder, LINK_DEPTH).map((path) => realPath(path))].filter(
    (path) => !isWithin(realPath(home), path),
  );
  const text = references.find(({ path }) => path === 'storage.url')?.text;
  return elsewhere.map((address) => ({ secret: TEXTS, address, setting: 'storage.url', ...(text === undefined ? {} : { label: text }) }));
}

/** Returns the real folder of the store and its files; undefined for an address that is none, which opening the store refuses. */
function realStoreFolder(storage: Config['storage'], home: string): string | undefined {
  try {
    return realPath(storeFolder(storage, home));
  } catch (error) {
    if (hasCode(error, 'usage')) return undefined;
    throw error;
  }
}

/** Levels of a store on which names are not random: tables and other folders, and those in them. */
const LINK_DEPTH = 2;

/** Lists the symbolic links in a folder, down to a depth of folders. A folder that cannot be read has none. */
function linksBelow(folder: string, depth: number): string[] {
  if (depth === 0) return [];
  return entriesOf(folder).flatMap((entry) => {
    const path = join(folder, entry.name);
    return entry.isSymbolicLink() ? [path] : entry.isDirectory() ? linksBelow(path, depth - 1) : [];
  });
}

function entriesOf(folder: string): Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch {
    return [];
  }
}

/** Proxies of `.env`, which see every request, and the keys of those that are not encrypted. */
function proxies({ environment, user }: Settings): Target[] {
  const [all, named] = [readProxies(environment), readProxies(user.environment)];
  return (['https', 'http'] as const).flatMap((kind) => {
    const proxy = all[kind];
    if (proxy === undefined || proxy.value === named[kind]?.value) return [];
    return [{ secret: 'every request', address: proxy.value, setting: proxy.variable }];
  });
}

/** The collector of traces, if requests to it carry headers: they hold its key. */
function collector({ environment, user }: Settings): Target[] {
  const endpointOf = (variables: Environment) =>
    variables['OTEL_EXPORTER_OTLP_TRACES_ENDPOINT'] || variables['OTEL_EXPORTER_OTLP_ENDPOINT'];
  const address = endpointOf(environment);
  const secret = ['OTEL_EXPORTER_OTLP_TRACES_HEADERS', 'OTEL_EXPORTER_OTLP_HEADERS'].find((name) => environment[name]);
  if (!address || secret === undefined || address === endpointOf(user.environment)) return [];
  return [{ secret, address, setting: 'OTEL_EXPORTER_OTLP_ENDPOINT' }];
}

/** Whether a path, which may be relative to the folder of the configuration, leads out of it. */
const isOutside = (path: string, home: string): boolean => !isWithin(realPath(home), realPath(resolve(home, path)));

/** Stores outside of the folder of the configuration that requests may name, read and write. */
const otherStores = ({ config: { server }, home }: Settings): Target[] =>
  server.allowed_store_urls
    .filter((address) => !/^https?:/i.test(address) && (isAddress(address) || isOutside(address, home)))
    .map((address) => ({
      secret: TEXTS,
      address: isAddress(address) ? address : resolve(home, address),
      setting: 'server.allowed_store_urls',
    }));

/** Whether a server reads more than the folder of the configuration: other roots, stores, sites, files. */
function readsElsewhere({ config: { server, network, sources, ingestion }, home }: Settings): boolean {
  const { allow_private } = network;
  const isElsewhere = (path: string) => path.split(/[/\\{},]/).includes('..') || isOutside(path, home);
  const files = [sources.docs ?? []].flat().flatMap((entry) => (typeof entry === 'string' ? entry : Object.values(entry)));
  return (
    server.allowed_roots !== undefined ||
    server.allowed_store_urls.length > 0 ||
    allow_private === true ||
    (Array.isArray(allow_private) && allow_private.length > 0) ||
    network.sites.length > 0 ||
    sources.urls !== undefined ||
    sources.api !== undefined ||
    ingestion.docs.follow_links ||
    files.some((path) => typeof path === 'string' && isElsewhere(path))
  );
}

/**
 * Whom a server lets in because the file says so: other machines, web pages of others, and there those with a token or behind a gateway of its author.
 * The file may open its own folder to them, but neither more, nor a server that the user opens.
 */
function callers(settings: Settings): Target[] {
  const { config, environment, user } = settings;
  const { host, auth, tokens_file, cors_origins, allowed_hosts } = config.server;
  const token = environment['KB_SERVER_TOKEN'];
  const fromElsewhere = [
    { address: host, setting: 'server.host' },
    ...(auth === 'gateway' ? [{ address: 'gateway', setting: 'server.auth' }] : []),
    ...(tokens_file === undefined ? [] : [{ address: tokens_file, setting: 'server.tokens_file' }]),
    ...(token && token !== user.environment['KB_SERVER_TOKEN'] ? [{ address: 'whoever knows the token', setting: 'KB_SERVER_TOKEN' }] : []),
  ];
  const pages = [
    ...cors_origins.map((address) => ({ address, setting: 'server.cors_origins' })),
    ...allowed_hosts.map((address) => ({ address, setting: 'server.allowed_hosts' })),
  ];
  const isOpen = !isOnThisMachine(host.includes(':') ? `[${host}]` : host);
  const isOpenedByUser = getPath(user.layer, 'server.host') !== undefined;
  const readsMore = readsElsewhere(settings);
  return [...(isOpen && (isOpenedByUser || readsMore) ? fromElsewhere : []), ...(readsMore ? pages : [])].map((target) => ({
    ...target,
    secret: 'what the server may read',
  }));
}

/** The setting of requests that may change something, also on this machine, where services trust each program. */
const APIS = 'sources.api';

/** Requests of configured APIs other than GET. */
const changingRequests = ({ config: { sources, ingestion } }: Settings): Target[] =>
  [sources.api ?? []].flat().flatMap((api) => {
    const { url, method = ingestion.api.method } = typeof api === 'string' ? { url: api } : api;
    return /^get$/i.test(method) ? [] : [{ secret: `a ${method.toUpperCase()} request`, address: url, setting: APIS }];
  });

/** Lists where the value of a variable would go that the configuration file refers to. */
function followReference(reference: Reference, settings: Settings): Target[] {
  const { path, variable } = reference;
  if (!settings.environment[variable]) return [];
  return addressesFor(reference, settings).map((address) => ({
    secret: variable,
    address: originOf(address),
    label: labelOf(address, settings),
    setting: path,
  }));
}

/** Options that are addresses. */
const ADDRESS_OPTION = /^(?:embedding|chat\.llm|rerank)\.options\.base_url$|^storage\.options\.urls\.\d+$/;

/** Whether a text begins with a scheme, with or without slashes behind it: `https:/host` is an address too. */
const hasScheme = (text: string): boolean => /^\s*[a-z][a-z\d+.-]*:/i.test(text);

/** Lists the addresses, with their references filled, to which the text of a reference would go. */
function addressesFor({ path, text, isPlace, place = '' }: Reference, settings: Settings): string[] {
  const { config, environment } = settings;
  const { storage, sources } = config;
  const namesPlace = isPlace || ADDRESS_OPTION.test(path);
  const filled = String(fillVariables(namesPlace ? text : place, environment));
  if (namesPlace) return path.startsWith('sources.docs') && !hasScheme(filled) ? [] : [filled]; // a path is on this machine
  const [section] = /^(?:embedding|chat\.llm|rerank)(?=\.)/.exec(path) ?? [];
  if (section) return modelAddresses(section, settings);
  if (path.startsWith('storage.')) return [storage.options?.['urls'] === undefined ? (storage.url ?? storage.vector_db) : ''];
  if (path.startsWith('ingestion.api.')) {
    const apis = [sources.api ?? []].flat().map((api) => (typeof api === 'string' ? api : api.url));
    return [...apis, '']; // and those that the command line names
  }
  return [hasScheme(filled) ? filled : ''];
}

/** Lists where the options of a model go. The reranker `llm` sends those of the language model, too, to its own address. */
function modelAddresses(section: string, { config: { embedding, chat, rerank }, environment }: Settings): string[] {
  const addressOf = ({ provider = '', options }: { provider?: string | undefined; options?: Record<string, unknown> | undefined }) => {
    const row = findProvider(provider);
    return String(options?.['base_url'] ?? ((row && environment[row.base_url_variable]) || row?.base_url || ''));
  };
  const gradingAddress =
    rerank.provider === 'llm' ? addressOf({ ...chat.llm, options: { ...chat.llm.options, ...rerank.options } }) : undefined;
  if (section === 'embedding') return [addressOf(embedding)];
  if (section === 'rerank') return [gradingAddress ?? addressOf(rerank)];
  return [...new Set([addressOf(chat.llm), gradingAddress ?? addressOf(chat.llm)])];
}

/** Returns the origin of a web address; other texts stay as they are. */
const originOf = (address: string): string => (/^https?:/i.test(address) ? (URL.parse(address)?.origin ?? address) : address);

/** Lists of the configuration whose entries are an address or a path, or objects with one in one of these fields. */
const PLACES: Record<string, readonly string[]> = {
  'network.sites': ['origin'],
  'sources.api': ['url'],
  'sources.urls': ['url'],
  'sources.docs': ['path', 'folder'],
};

/** Lists the references in a value of the configuration file, before they are filled. `path` is that of its key. */
export function findReferences(value: unknown, path: string): Reference[] {
  const names = PLACES[path];
  if (names === undefined) return collectReferences(value, path, undefined);
  return [value].flat().flatMap((entry: unknown, i) => {
    const fields = typeof entry === 'object' && entry !== null ? Object.entries(entry) : [['', entry] as const];
    const isPlace = (name: string, text: unknown): text is string => typeof text === 'string' && (name === '' || names.includes(name));
    const place = fields.find(([name, text]) => isPlace(name, text))?.[1] as string | undefined;
    return fields.flatMap(([name, inner]) =>
      collectReferences(inner, [path, i, name].filter((part) => part !== '').join('.'), place).map((reference) => ({
        ...reference,
        isPlace: isPlace(name, inner),
      })),
    );
  });
}

function collectReferences(value: unknown, path: string, place: string | undefined): Reference[] {
  if (typeof value === 'string') return referencesIn(value).map((variable) => ({ path, text: value, variable, isPlace: false, place }));
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, inner]) => collectReferences(inner, `${path}.${name}`, place));
}
