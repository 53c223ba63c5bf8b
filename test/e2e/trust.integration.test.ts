import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { folder, write } from '../support/folder.ts';
import { openOpenAiServer } from '../support/openai-server.ts';
import { kb, KB, onTerminal, SEQUENCES, startKb } from '../support/program.ts';
import { runCommand } from '../support/run-command.ts';

const ADDRESS = 'https://keys.evil.example/v1';
const CLONED = {
  'kb.config.yaml': `chat: { llm: { provider: openai, model: m, options: { base_url: '${ADDRESS}' } } }\nsources: { docs: [a.md] }\n`,
  '.git/HEAD': '',
  'a.md': '# Pump\n\nThe bilge pump is blue and stands under the aft deck.\n',
  'golden.jsonl': '{"question": "Where is the pump?"}\n',
};
const env = { OPENAI_API_KEY: 'sk-of-the-user' };
const ANSWERS = '.local/share/kb/accepted-addresses.jsonl';

describe('in a cloned repository whose configuration names an address', () => {
  it.each(['chat Where?', 'ingest', 'eval golden.jsonl', 'eval --generate 1', 'doctor --connections', 'collections list'])(
    'kb %s sends no key there, and names the ways out',
    async (words) => {
      const cwd = folder(CLONED);
      const { code, error } = await runCommand(words.split(' '), { cwd, env });
      expect(code).toBe(2);
      expect(error).toContain(`would have it send OPENAI_API_KEY to ${ADDRESS} (chat.llm.options.base_url)`);
      for (const way of [`--config ${join(cwd, 'kb.config.yaml')}`, 'KB_CONFIG', 'OPENAI_BASE_URL']) expect(error).toContain(way);
      expect(error).not.toContain(env.OPENAI_API_KEY);
    },
  );

  it.each(['serve --port 0', 'mcp', 'watch'])('kb %s does not start', async (words) => {
    const { code, error } = await kb(words.split(' '), { cwd: folder(CLONED), env });
    expect([code, error.includes(ADDRESS)]).toEqual([2, true]);
  });

  it('kb goes on where --config, KB_CONFIG or the environment names file or address', async () => {
    const cwd = folder(CLONED);
    const file = join(cwd, 'kb.config.yaml');
    const ways: [string[], Record<string, string>][] = [
      [['--config', file], env],
      [[], { ...env, KB_CONFIG: file }],
      [[], { ...env, OPENAI_BASE_URL: ADDRESS }],
    ];
    for (const [words, variables] of ways)
      expect(await runCommand(['ingest', '--docs', 'a.md', ...words], { cwd, env: variables })).toMatchObject({ code: 0 });
  });

  it('kb sends no texts there either, and serves no other machine', async () => {
    const keyless = await runCommand(['ingest'], { cwd: folder(CLONED) });
    expect([keyless.code, keyless.error]).toEqual([2, expect.stringContaining(`send texts of documents and questions to ${ADDRESS}`)]);
    const open = { 'kb.config.yaml': 'server: { host: 0.0.0.0, allowed_roots: [/] }\n', '.env': 'KB_SERVER_TOKEN=known-to-the-author\n' };
    const { code, error } = await kb(['serve', '--port', '0'], { cwd: folder(open) });
    expect([code, error]).toEqual([2, expect.stringContaining('send what the server may read to 0.0.0.0 (server.host)')]);
    expect(await runCommand(['collections', 'list'], { cwd: folder(open) })).toMatchObject({ code: 0 });
    const known = folder({
      '.env': 'KB_SERVER_TOKEN=known-to-the-author\n',
      'kb.config.yaml': 'server: { auth: gateway, tokens_file: t.yaml }\n',
    });
    const served = await kb(['serve', '--port', '0', '--host', '0.0.0.0'], { cwd: known });
    expect(served.code).toBe(2);
    for (const setting of ['server.auth', 'server.tokens_file', 'KB_SERVER_TOKEN']) expect(served.error).toContain(`(${setting})`);
  });

  it.each([
    'server: { cors_origins: [https://evil.example], allowed_hosts: [evil.example], allowed_roots: [/] }',
    'server: { cors_origins: [https://evil.example] }\nnetwork: { allow_private: ["http://127.0.0.1:18999"] }',
    'server: { cors_origins: [https://evil.example] }\nnetwork: { sites: [{ origin: "https://wiki.example", headers: { a: b } }] }',
    'server: { allowed_hosts: [evil.example], allowed_store_urls: [../other/.kb/lancedb] }',
    'server: { cors_origins: [https://evil.example] }\nsources: { docs: ["/home/u/private/**"] }',
    'server: { cors_origins: [https://evil.example] }\nsources: { docs: [{ path: "a/../{..,b}" }] }',
    'server: { cors_origins: [https://evil.example] }\nsources: { urls: ["http://127.0.0.1:18999"] }',
    'server: { cors_origins: [https://evil.example] }\ningestion: { docs: { follow_links: true } }',
  ])('kb serves no page of others more than its own folder: %s', async (text) => {
    const { code, error } = await kb(['serve', '--port', '0', '--watch'], { cwd: folder({ 'kb.config.yaml': `${text}\n` }) });
    expect([code, error]).toEqual([2, expect.stringContaining('what the server may read to')]);
    expect(error).toContain('evil.example');
  });

  it('kb serves its own folder to other machines, behind a gateway', async () => {
    const server = startKb(['serve', '--port', '0'], {
      cwd: folder({ 'kb.config.yaml': 'server: { host: 0.0.0.0, auth: gateway }\n' }),
    });
    await server.until(/listening on/);
    server.child.kill('SIGTERM');
    expect((await server.done).code).toBe(0);
  });

  it('kb serves no store elsewhere', async () => {
    const config = { 'kb.config.yaml': 'server: { allowed_store_urls: [/home/u/other/.kb/lancedb, "s3://bucket/kb"] }\n' };
    const { code, error } = await kb(['serve', '--port', '0'], { cwd: folder(config) });
    expect(code).toBe(2);
    for (const address of ['/home/u/other/.kb/lancedb', 's3://bucket/kb']) expect(error).toContain(address);
    expect(await runCommand(['collections', 'list'], { cwd: folder(config) })).toMatchObject({ code: 0 });
  });

  it('asks on a terminal, and remembers the answer', async () => {
    const cwd = folder(CLONED);
    const no = onTerminal(`${KB} ingest --docs a.md`, { cwd, env });
    await no.until(/OPENAI_API_KEY to https:\/\/keys\.evil\.example\/v1[^]*Do you trust/);
    no.child.stdin!.write('n\r');
    expect([(await no.done).code, existsSync(join(cwd, ANSWERS)), existsSync(join(cwd, '.kb'))]).toEqual([2, false, false]);
    const yes = onTerminal(`${KB} ingest --docs a.md`, { cwd, env });
    await yes.until(/Do you trust/);
    yes.child.stdin!.write('y\r');
    const { code, out } = await yes.done;
    expect([code, out.replace(SEQUENCES, '')]).toEqual([0, expect.stringContaining('Stored 1 chunk')]);
    expect(readFileSync(join(cwd, ANSWERS), 'utf8')).not.toContain(env.OPENAI_API_KEY);
    expect(await runCommand(['ingest', '--docs', 'a.md'], { cwd, env: { ...env, HOME: folder() } })).toMatchObject({ code: 2 });
    expect(await kb(['ingest', '--docs', 'a.md'], { cwd, env })).toMatchObject({ code: 0 });
  });

  it('stops at Ctrl-C in the question', async () => {
    const cwd = folder(CLONED);
    const asked = onTerminal(`${KB} ingest --docs a.md`, { cwd, env });
    await asked.until(/Do you trust/);
    asked.child.stdin!.write('\u0003');
    expect([(await asked.done).code, existsSync(join(cwd, ANSWERS))]).toEqual([130, false]);
  });
});

it('takes keys, addresses and settings from .env, and nothing that starts programs', async () => {
  const model = await openOpenAiServer({});
  const trap = folder();
  write(trap, { 'trap.cjs': `require('node:fs').writeFileSync(${JSON.stringify(join(trap, 'trapped'))}, '')` });
  const variables = [
    `NODE_OPTIONS=--require ${join(trap, 'trap.cjs')}`,
    `LD_LIBRARY_PATH=${trap}`,
    `PATH=${trap}`,
    'OPENAI_API_KEY=sk-of-the-file',
    `OPENAI_BASE_URL=${model.url}/v1`,
    'KB_COLLECTION=parts',
  ];
  const cwd = folder({
    'kb.config.yaml': 'chat: { llm: { provider: openai, model: m } }\n',
    '.env': `${variables.join('\n')}\n`,
    'a.csv': 'part,price\nvalve,12\n',
  });
  expect(await runCommand(['ingest', '--docs', 'a.csv'], { cwd })).toMatchObject({ code: 0 });
  expect(existsSync(join(trap, 'trapped'))).toBe(false);
  expect((await runCommand(['collections', 'list'], { cwd })).out).toContain('parts');
  await runCommand(['chat', 'What does the valve cost?'], { cwd });
  expect(model.requests.at(-1)?.headers.authorization).toBe('Bearer sk-of-the-file');
  await model.close();
});
