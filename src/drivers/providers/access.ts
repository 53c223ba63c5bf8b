import { operatorAdvice } from '../../core/advice/advice.ts';
import { KbError } from '../../core/errors.ts';
import { redactUrl } from '../../core/secrets.ts';
import { openDispatchers } from '../../http/connections.ts';
import { z } from 'zod';
import { type Kind, missingKey, type Provider, providerNamed, providersOf } from './providers.ts';

/** Wraps `fetch` so that a web page is no response: a login page of a network, a proxy or a gateway sends one with status 200. */
const withoutWebPages =
  (ask: typeof fetch, { provider, base_url }: { provider: string; base_url: string }): typeof fetch =>
  async (input, init) => {
    const response = await ask(input, init);
    if (!response.ok || !/^(?:text\/html|application\/xhtml)/i.test(response.headers.get('content-type') ?? '')) return response;
    const title = titleOf(await response.text());
    throw new KbError(
      'configuration',
      `${provider} did not answer: a web page${title && ` («${title}»)`} came from ${redactUrl(base_url)} instead.`,
      {
        hint: operatorAdvice`Check the address, the proxy, and whether the network wants a login first.`,
      },
    );
  };

function titleOf(html: string): string {
  const [, title = ''] = /<title[^<>]*>([^<]{1,500})/i.exec(html) ?? [];
  return title
    .replace(/[\s\p{C}]+/gu, ' ')
    .trim()
    .slice(0, 80);
}

/**
 * Makes a `fetch` through the proxies of the environment. It follows no redirects, because a key is meant for one address, and has no timeout: callers set
 * it. It throws what `fetch` throws, and a KbError (`setup`) for a variable with an invalid proxy.
 */
export function openFetch(environment: NodeJS.ProcessEnv): typeof fetch {
  let opened: Promise<typeof fetch> | undefined;
  return async (input, init) => await (await (opened ??= open(environment)))(input, init);
}

async function open(environment: NodeJS.ProcessEnv): Promise<typeof fetch> {
  const undici = await import('undici');
  const dispatchers = await openDispatchers(environment, { headersTimeout: 0, bodyTimeout: 0 });
  // the package and Node's own copy of it differ only in their types
  const proxied = undici.fetch as unknown as (input: unknown, init: object) => Promise<Response>;
  return async (input, init) => {
    const { dispatcher } = dispatchers.for(new URL(input instanceof Request ? input.url : input));
    return await proxied(input, { ...init, redirect: 'manual', dispatcher });
  };
}

/** The configured settings of a provider, and the environment that holds its key. */
export interface ProviderSettings {
  provider: string;
  model?: string | undefined;
  /** `base_url`, `dimensions`; anything else goes into the request as it is. */
  options?: Record<string, unknown> | undefined;
  env?: NodeJS.ProcessEnv;
}

/** A provider with everything that a request needs. */
export interface Access<K extends Kind = Kind> {
  provider: string;
  row: Required<Provider>[K];
  /** The model; empty if the row allows that. */
  model: string;
  base_url: string;
  /** Whether it is the provider's own address. */
  is_own_address: boolean;
  /** The key; undefined if none is needed. */
  key: string | undefined;
  /** Environment variable of the key. */
  key_variable: string;
  /** Sends a request, through the proxies of the environment. */
  fetch: typeof fetch;
  /** Headers that name the account. */
  account: Record<string, string>;
  /** Requested dimensions; undefined: the default of the model. */
  dimensions: number | undefined;
  parameters: Record<string, unknown>;
}

/** Sections of the configuration that choose providers. */
const SECTIONS = { embedding: 'embedding', llm: 'chat.llm', rerank: 'rerank' } as const satisfies Record<Kind, string>;

const Options = z.looseObject({ base_url: z.url({ protocol: /^https?$/ }).optional(), dimensions: z.int().min(1).optional() });

/** Combines the table, the settings and the environment. Throws a KbError: `configuration` for a missing or wrong address or model, `setup` without a key. */
export function accessTo<K extends Kind>(
  { provider: name, model = '', options = {}, env = process.env }: ProviderSettings,
  kind: K,
): Access<K> {
  const provider = providerNamed(name);
  const row = provider?.[kind];
  if (!provider || !row) {
    throw new KbError('configuration', `There is no provider «${name}» for ${SECTIONS[kind]}.`, {
      hint: `Known are ${providersOf(kind).join(', ')}.`,
    });
  }
  const { base_url: given, dimensions, ...parameters } = readOptions(options, kind);
  const base_url = given ?? (env[provider.base_url_variable] || provider.base_url);
  const chosen = model || (row.model ?? '');
  if (!base_url) throw addressMissing(name, provider, kind);
  if (!isAddress(base_url)) throw addressWrong(provider);
  if (holdsLogin(base_url)) throw loginGiven(given ? `${SECTIONS[kind]}.options.base_url` : provider.base_url_variable, provider);
  if (!chosen && !('is_model_optional' in row)) {
    throw missing(name, `${SECTIONS[kind]}.model`, 'the name by which the server knows the model');
  }
  const keyless = missingKey(name, env);
  if (keyless) throw keyless;
  const variable = provider.key_variables.find((candidate) => env[candidate]?.trim()) ?? provider.key_variables[0];
  return {
    provider: name,
    row: row as Access<K>['row'],
    model: chosen,
    base_url: base_url.replace(/(?<!\/)\/+$/, ''),
    dimensions,
    parameters,
    is_own_address: base_url === provider.base_url,
    key: keyIn(env, variable),
    key_variable: variable,
    fetch: withoutWebPages(openFetch(env), { provider: name, base_url }),
    account: accountOf(provider, env),
  };
}

const isAddress = (text: string): boolean => URL.canParse(text) && /^https?:$/.test(new URL(text).protocol);

/** Whether an address holds credentials: `fetch` refuses it, with a message that repeats them. */
function holdsLogin(address: string): boolean {
  const { username, password } = new URL(address);
  return username !== '' || password !== '';
}

/** Reads the key, without a line break that a file may have added. Throws a KbError (`setup`), which does not repeat it, if no header can carry it. */
function keyIn(env: NodeJS.ProcessEnv, variable: string): string | undefined {
  const key = env[variable]?.trim() || undefined;
  if (key === undefined || /^[\x20-\x7e]+$/.test(key)) return key;
  throw new KbError('setup', `${variable} holds characters that are part of no key.`, {
    hint: operatorAdvice`Copy the key once more, and nothing beside it.`,
  });
}

const accountOf = ({ account = {} }: Provider, env: NodeJS.ProcessEnv): Record<string, string> =>
  Object.fromEntries(Object.entries(account).flatMap(([header, variable]) => (env[variable] ? [[header, env[variable]]] : [])));

function readOptions(options: Record<string, unknown>, kind: Kind): z.infer<typeof Options> {
  const read = Options.safeParse(options);
  if (read.success) return read.data;
  const [issue] = read.error.issues;
  throw new KbError('configuration', `${SECTIONS[kind]}.options.${issue!.path.join('.')} is not right: ${issue!.message}.`);
}

const missing = (name: string, key: string, meaning: string): KbError =>
  new KbError('configuration', `The provider ${name} needs ${key}.`, { hint: operatorAdvice`Set it in kb.config.yaml: ${meaning}.` });

const addressWrong = ({ base_url_variable }: Provider): KbError =>
  new KbError('configuration', `${base_url_variable} in the environment is not an address.`, {
    hint: operatorAdvice`It has to begin with http:// or https://, such as http://127.0.0.1:8080/v1.`,
  });

const loginGiven = (place: string, { key_variables: [variable] }: Provider): KbError =>
  new KbError('configuration', `The address in ${place} holds a user name or a password.`, {
    hint: operatorAdvice`Leave out what stands before the @: a key is read from ${variable}.`,
  });

const addressMissing = (name: string, { base_url_variable }: Provider, kind: Kind): KbError =>
  missing(
    name,
    `${SECTIONS[kind]}.options.base_url`,
    `the address that ends before /embeddings, /chat and /rerank, such as http://127.0.0.1:8080/v1; or ${base_url_variable} in the environment`,
  );
