import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { KbError } from '../../src/core/errors.ts';
import { readEnvironment, loadConfig, readSetFlags } from '../../src/config/load.ts';
import { Config, DEFAULTS } from '../../src/schema/config.ts';
import { folder, write } from '../support/folder.ts';

const failure = (work: () => unknown): KbError => {
  try {
    work();
  } catch (error) {
    expect(error).toBeInstanceOf(KbError);
    return error as KbError;
  }
  throw new Error('it did not fail');
};
const load = (cwd: string, rest: Partial<Parameters<typeof loadConfig>[0]> = {}) => loadConfig({ cwd, environment: {}, ...rest });
/** A file that the user names may send variables where it says (disclosures.test.ts). */
const named = { file: 'kb.config.yaml' };
const flag = (path: string, value: unknown) => {
  const { layer, names } = readSetFlags([`${path}=${JSON.stringify(value)}`]);
  return { layer, names };
};

describe('loadConfig', () => {
  it('returns the defaults without any settings', () => {
    const cwd = folder();
    expect(load(cwd)).toMatchObject({ config: DEFAULTS, file: undefined, home: cwd });
  });

  it('merges flags over the environment over .env over the file', () => {
    const cwd = folder({ 'kb.config.yaml': 'collection: file\nretrieval:\n  top_k: 1\n' });
    expect(load(cwd).config.collection).toBe('file');
    write(cwd, { '.env': 'KB_COLLECTION=dotenv\n' });
    expect(load(cwd).config.collection).toBe('dotenv');
    const environment = { KB_COLLECTION: 'environment' };
    expect(load(cwd, { environment }).config).toMatchObject({ collection: 'environment', retrieval: { top_k: 1 } });
    expect(load(cwd, { environment, flags: flag('collection', 'flag') }).config.collection).toBe('flag');
  });

  it('accepts the names of drivers of the calling program', () => {
    const cwd = folder({ 'kb.config.yaml': 'embedding:\n  provider: mine\nstorage:\n  vector_db: shelf\n' });
    const own = { embedders: { mine: () => Promise.reject(new Error()) }, stores: { shelf: () => Promise.reject(new Error()) } };
    expect(load(cwd, { own }).config).toMatchObject({ embedding: { provider: 'mine' }, storage: { vector_db: 'shelf' } });
    expect(failure(() => load(cwd)).message).toContain('kb.config.yaml, line 4: storage.vector_db');
  });

  it('finds the file in a parent folder, which becomes home', () => {
    const root = folder({ 'kb.config.yaml': 'collection: above\n', 'a/b/c.md': '' });
    expect(load(join(root, 'a/b'))).toMatchObject({ home: root, config: { collection: 'above' } });
  });

  it('accepts storage.collection for collection', () => {
    expect(load(folder({ 'kb.config.yaml': 'storage:\n  collection: other\n' })).config.collection).toBe('other');
  });

  it('rejects an overlap larger than the chunk, and names the origin of both values', () => {
    const cwd = folder({ 'kb.config.yaml': 'chunking:\n  chunk_size: 300\n' });
    expect(load(cwd, { flags: flag('chunking.chunk_overlap', 300) }).config.chunking).toMatchObject({ chunk_overlap: 300 });
    const error = failure(() => load(cwd, { flags: flag('chunking.chunk_overlap', 301) }));
    expect([error.code, error.message]).toEqual([
      'configuration',
      "--set chunking.chunk_overlap (301) is larger than kb.config.yaml, line 2: chunking.chunk_size (300): a chunk can't repeat more than it holds.",
    ]);
  });

  it('names all unknown keys, in the order of the file', () => {
    const cwd = folder({ 'kb.config.yaml': 'colection: a\nretrieval:\n  topk: 3\nrerank:\n  enabled: true\n' });
    expect(failure(() => load(cwd)).message).toBe(
      'kb.config.yaml, line 1: unknown key "colection". Did you mean "collection"?\nkb.config.yaml, line 3: unknown key "retrieval.topk". Did you mean "retrieval.top_k"?',
    );
  });

  it('names an unknown key, its line and the nearest known one', () => {
    const error = failure(() => load(folder({ 'kb.config.yaml': 'collection: a\nchunking:\n  chunk_overlapp: 5\n' })));
    expect(error.code).toBe('configuration');
    expect(error.message).toContain('line 3');
    expect(error.message).toContain('chunking.chunk_overlapp');
    expect(error.hint).toContain('chunking.chunk_overlap"');
  });

  it('rejects a key that schemas drop silently', () => {
    for (const text of ['embedding:\n  options:\n    __proto__: {a: 1}\n', 'ingestion:\n  api:\n    params: {a: [{__proto__: 1}]}\n'])
      expect(failure(() => load(folder({ 'kb.config.yaml': text }))).message).toMatch(
        /^kb\.config\.yaml, line \d: .*\.__proto__: no key may have this name/,
      );
    const environment = { KB_EMBEDDING_OPTIONS: '{a: [{__proto__: 1}]}' };
    expect(() => readEnvironment(environment)).toThrow('embedding.options.a[0].__proto__: no key may have this name.');
    expect(() => readSetFlags(['embedding.options={__proto__: 1}'])).toThrow('embedding.options.__proto__: no key may have this name.');
  });

  it.each([
    'embedding:\n  options:\n    api_key: sk-1\n',
    'chat:\n  llm:\n    token: sk-1\n',
    'ingestion:\n  api:\n    headers:\n      Authorization: Bearer sk-1\n',
    'ingestion:\n  api:\n    headers:\n      X-Api-Key: sk-1\n',
    'ingestion:\n  api:\n    params:\n      x-auth-token: sk-1\n',
  ])('refuses a credential without printing it: %j', (text) => {
    const error = failure(() => load(folder({ 'kb.config.yaml': text })));
    expect(error.message).toMatch(/api_key|token|Authorization|X-Api-Key/);
    expect(error.message + error.hint).not.toContain('sk-1');
  });

  it.each([
    ['basic_auth: ann:hunter2', 'network.sites.0.basic_auth'],
    ['basic_auth: "${WIKI_USER}:hunter2"', 'network.sites.0.basic_auth'],
    ['basic_auth: "${WIKI_USER}:hunter2${MORE}"', 'network.sites.0.basic_auth'],
    ['cookies: {session: "hunter2"}', 'network.sites.0.cookies.session'],
    ['cookies: {sz: "hunter2hunter2hunter2"}', 'network.sites.0.cookies.sz'],
    ['headers: {Authorization: "Basic hunter2"}', 'network.sites.0.headers.Authorization'],
  ])('refuses what a site is given as a secret: %s', (text, path) => {
    const file = (given: string) => folder({ 'kb.config.yaml': `network:\n  sites:\n    - origin: https://a.example\n      ${given}\n` });
    const error = failure(() => load(file(text)));
    expect([error.message.includes(path), error.hint?.includes('${NAME}')]).toEqual([true, true]);
    expect(error.message + error.hint).not.toContain('hunter2');
    const { config } = load(file(text.replace(/(hunter2)+/, '${SITE_SECRET}')), { ...named, environment: { SITE_SECRET: 'hunter2' } });
    expect(JSON.stringify(config.network.sites)).toContain('hunter2');
  });

  it.each(['${A}:${B}', 'ann:${B}', '${A}:', '${A}:x-oauth-basic', 'ann@a.example/token:${B}'])(
    'accepts a user name and password with the password in a variable: %s',
    (given) => {
      const cwd = folder({ 'kb.config.yaml': `network:\n  sites:\n    - {origin: "https://a.example", basic_auth: "${given}"}\n` });
      const expected = given.replace('${A}', 'one').replace('${B}', 'two');
      expect(load(cwd, { ...named, environment: { A: 'one', B: 'two' } }).config.network.sites[0]!.basic_auth).toBe(expected);
    },
  );

  it('accepts cookies that are settings', () => {
    const cwd = folder({
      'kb.config.yaml': 'network:\n  sites:\n    - {origin: "https://a.example", cookies: {lang: en}, headers: {X-Team: docs}}\n',
    });
    expect(load(cwd).config.network.sites).toEqual([
      { origin: 'https://a.example', cookies: { lang: 'en' }, headers: { 'X-Team': 'docs' } },
    ]);
  });

  it.each([
    '{origin: "https://a.example/docs"}',
    '{origin: "http://[", headers: {a: b}}',
    '{origin: "https://a.example", headers: {"a b": c}}',
    '{origin: "https://a.example", headers: {a: "${TWO_LINES}"}}',
    '{origin: "https://a.example", basic_auth: "${TWO_LINES}"}',
  ])('refuses a site that nothing can be sent to: %s', (text) => {
    const cwd = folder({ 'kb.config.yaml': `network:\n  sites:\n    - ${text}\n` });
    const error = failure(() => load(cwd, { environment: { TWO_LINES: 'x:hunter2\ny: z' } }));
    expect(error.message).toMatch(/network\.sites.* expected/);
    expect(error.message + error.hint).not.toContain('hunter2');
  });

  it('ignores a folder named .env', () => {
    expect(load(folder({ '.env/bin/python': '' })).config.collection).toBe('default');
  });

  it('lets a header refer to a variable', () => {
    const cwd = folder({ 'kb.config.yaml': 'ingestion:\n  api:\n    headers:\n      Authorization: Bearer ${TOKEN}\n' });
    expect(load(cwd, { ...named, environment: { TOKEN: 'abc' } }).config.ingestion.api.headers).toEqual({ Authorization: 'Bearer abc' });
    expect(load(cwd).config.ingestion.api.headers, 'one that is not set is missed where it is used').toEqual({
      Authorization: 'Bearer ${TOKEN}',
    });
  });

  it('names the line of invalid YAML, and what is missing', () => {
    const broken = failure(() => load(folder({ 'kb.config.yaml': 'collection handbook\nsources:\n' })));
    expect(broken.message).toBe('kb.config.yaml, line 1: this is not YAML: Implicit keys need to be on a single line.');
  });

  it('names the origin of an invalid value', () => {
    const cwd = folder({ 'kb.config.yaml': 'retrieval:\n  top_k: many\n' });
    expect(failure(() => load(cwd)).message).toContain('kb.config.yaml, line 2: retrieval.top_k');
    const several = folder({ 'kb.config.yaml': 'retrieval:\n  top_k: many\nchunking:\n  chunk_size: 1\n' });
    expect(failure(() => load(several)).message).toBe(
      'kb.config.yaml, line 2: retrieval.top_k: a number is expected (it is "many").\nkb.config.yaml, line 4: chunking.chunk_size: at least 50 is expected (it is "1").',
    );
    const misspelt = folder({
      'kb.config.yaml': 'storage:\n  vector_db: qdrnt\nsources:\n  docs:\n    - {pth: x, foo: 1}\nembedding:\n  provider: cohre\n',
    });
    expect(failure(() => load(misspelt)).message.split('\n')).toEqual([
      expect.stringMatching(/^kb\.config\.yaml, line 2: storage\.vector_db: .* Did you mean "qdrant"\?$/),
      expect.stringMatching(/^kb\.config\.yaml, line 7: embedding\.provider: .* Did you mean "cohere"\?$/),
      'sources.docs.0.foo: this key is unknown. Known here: path, title, description.',
      'sources.docs.0.pth: this key is unknown. Did you mean "sources.docs[0].path"?',
    ]);
    expect(failure(() => load(folder(), { environment: { KB_RETRIEVAL_MODE: 'psychic' } })).message).toBe(
      'KB_RETRIEVAL_MODE: one of hybrid, vector, text is expected (it is "psychic").',
    );
    expect(failure(() => load(folder(), { flags: flag('retrieval.top_k', 'x') })).message).toContain('--set retrieval.top_k');
  });

  it('names the line in which a file stops being YAML', () => {
    expect(failure(() => load(folder({ 'kb.config.yaml': 'a: [1\nb: 2\n' }))).message).toMatch(/line [23]/);
  });

  it('rejects a variable that is nearly a known one, and ignores others', () => {
    expect(failure(() => load(folder(), { environment: { KB_COLECTION: 'x' } })).hint).toContain('KB_COLLECTION');
    expect(load(folder(), { environment: { KB_HOME_OF_SOMETHING_ELSE: 'x' } }).config).toEqual(DEFAULTS);
  });

  it('keeps a number that is meant as text', () => {
    expect(load(folder(), { environment: { KB_COLLECTION: '2024', KB_EMBEDDING_MODEL: '007' } }).config).toMatchObject({
      collection: '2024',
      embedding: { model: '007' },
    });
  });

  it('drops the model of the previous provider when a higher layer names another provider', () => {
    const cwd = folder({ 'kb.config.yaml': 'embedding:\n  provider: openai\n  model: text-embedding-3-large\n' });
    expect(load(cwd).config.embedding.model).toBe('text-embedding-3-large');
    expect(load(cwd, { environment: { KB_EMBEDDING_PROVIDER: 'local' } }).config.embedding).toEqual({ provider: 'local', batch_size: 64 });
  });

  it('names a requested file that does not exist', () => {
    expect(failure(() => load(folder(), { file: 'ci/absent.yaml' })).message).toContain('ci/absent.yaml');
  });
});

describe('readSetFlags', () => {
  it('reads values as YAML, also in options', () => {
    expect(
      readSetFlags(['retrieval.top_k=5', 'chat.persona=A kind clerk', 'embedding.options.base_url=http://127.0.0.1:1/v1']).layer,
    ).toEqual({
      retrieval: { top_k: 5 },
      chat: { persona: 'A kind clerk' },
      embedding: { options: { base_url: 'http://127.0.0.1:1/v1' } },
    });
  });

  it.each([
    ['chat.persona=Reply as agent #1', 'Reply as agent #1'],
    ['chat.persona=You are Bob: be kind', 'You are Bob: be kind'],
    ['chat.persona=2024', '2024'],
    ['chat.persona={"a": 1}', '{"a": 1}'],
    ['chat.persona="Reply\\nas agent #1"', 'Reply\nas agent #1'],
    ["chat.persona='It''s me'", "It's me"],
    ['chat.persona="Be kind" and "be brief"', '"Be kind" and "be brief"'],
    ['chat.persona="a": "b"', '"a": "b"'],
  ])('takes a text as it is, or what stands in quotes: %s', (setting, expected) => {
    expect(readSetFlags([setting]).layer).toEqual({ chat: { persona: expected } });
  });

  it.each(['', ' ', '~', 'null', 'Null'])('reads "%s" as null, as YAML does', (text) => {
    expect(readSetFlags([`chat.persona=${text}`, `embedding.model=${text}`]).layer).toEqual({
      chat: { persona: null },
      embedding: { model: null },
    });
  });

  it('trims blanks around a text, but not in quotes', () => {
    expect(readSetFlags(['collection= manuals ', 'chat.llm.provider= local', 'chat.persona=" "']).layer).toEqual({
      collection: 'manuals',
      chat: { llm: { provider: 'local' }, persona: ' ' },
    });
    expect(readSetFlags(['chat.persona="null"']).layer).toEqual({ chat: { persona: 'null' } });
  });

  it('names an unknown key and the nearest one', () => {
    const error = failure(() => readSetFlags(['retrieval.topk=3']));
    expect(`${error.message} ${error.hint}`).toMatch(/retrieval\.topk.*retrieval\.top_k/);
  });

  it('finds the key that a name without its section means', () => {
    expect(failure(() => readSetFlags(['top_k=3'])).hint).toBe('Did you mean "retrieval.top_k"?');
  });

  it('requires KEY=VALUE', () => {
    expect(failure(() => readSetFlags(['collection'])).message).toContain('KEY=VALUE');
  });
});

describe('byte sizes', () => {
  it.each([
    ['10 MiB', 10_485_760],
    ['1.5 KiB', 1536],
    ['500 kb', 500_000],
    ['2GB', 2e9],
    ['2048', 2048],
    [4096, 4096],
  ])('reads %s as %i bytes', (written, bytes) => {
    expect(Config.shape.network.shape.max_bytes.parse(written)).toBe(bytes);
  });

  it.each(['much', '10 bananas', '', '-5', 0])('reject %s', (written) => {
    expect(Config.shape.network.shape.max_bytes.safeParse(written).success).toBe(false);
  });
});
