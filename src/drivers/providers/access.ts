import { operatorAdvice } from '../../core/advice/advice.ts';
import { KbError } from '../../core/errors.ts';
import { redactUrl } from '../../core/secrets.ts';
import { openDispatchers } from '../../http/connections.ts';
import { z } from 'zod';
import { type ProviderKind, missingKeyError, type Provider, findProvider, providersOf } from './providers.ts';

/** Maximum bytes of one response: 2,048 vectors of 3,072 numbers, the largest batch of a provider, have about 80 MB as JSON. */
const MAX_RESPONSE_BYTES = 128 * 2 ** 20;

/** Wraps `fetch` so that a body fails with a KbError (`unavailable`) at the limit: a broken server may send without end. */
const limitBody =
  (send: typeof fetch, provider: string): typeof fetch =>
  async (input, init) => {
    const response = await send(input, init);
    if (!response.body) return response;
    let received = 0;
    const count = new TransformStream<Uint8Array, Uint8Array>({
      transform: (bytes, controller) => {
        received += bytes.length;
        if (received <= MAX_RESPONSE_BYTES) controller.enqueue(bytes);
        else
          controller.error(new KbError('unavailable', `${provider} sent more than ${MAX_RESPONSE_BYTES / 2 ** 20} MiB in one response.`));
      },
    });
    const { status, statusText, headers } = response;
    return new Response(response.body.pipeThrough(count), { status, statusText, headers });
  };

/** Wraps `fetch` so that a web page is an error: networks, proxies and gateways send login pages with status 200. */
const rejectWebPages =
  (send: typeof fetch, { provider, base_url }: { provider: string; base_url: string }): typeof fetch =>
  async (input, init) => {
    const response = await send(input, init);
    if (!response.ok || !/^(?:text\/html|application\/xhtml)/i.test(response.headers.get('content-type') ?? '')) return response;
    const title = parseTitle(await response.text());
    throw new KbError(
      'unavailable',
      `${provider} did not answer: a web page${title && ` ("${title}")`} came from ${redactUrl(base_url)} instead.`,
      {
        hint: operatorAdvice`Check the address, the proxy, and whether the network wants a login first.`,
      },
    );
  };

function parseTitle(html: string): string {
  const [, title = ''] = /<title[^<>]*>([^<]{1,500})/i.exec(html) ?? [];
  return title
    .replace(/[\s\p{C}]+/gu, ' ')
    .trim()
    .slice(0, 80);
}

/**
 * Makes a `fetch` through the proxies of the environment. It follows no redirects, because a key must reach only the configured address, and has no timeout of
 * its own. It throws what `fetch` throws, and a KbError (`setup`) for a variable with an invalid proxy.
 */
export function openFetch(environment: NodeJS.ProcessEnv): typeof fetch {
  let opened: Promise<typeof fetch> | undefined;
  return async (input, init) => await (await (opened ??= openProxiedFetch(environment)))(input, init);
}

async function openProxiedFetch(environment: NodeJS.ProcessEnv): Promise<typeof fetch> {
  const undici = await import('undici');
  const dispatchers = await openDispatchers(environment, { headersTimeout: 0, bodyTimeout: 0 });
  // undici and the copy of it in Node differ only in their types
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
  /** `base_url`, `dimensions`; anything else is added to the request unchanged. */
  options?: Record<string, unknown> | undefined;
  /** Default: `process.env`. */
  env?: NodeJS.ProcessEnv | undefined;
}

/** A provider with everything that a request needs. */
export interface Access<K extends ProviderKind = ProviderKind> {
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
  /** Headers that identify the account. */
  account: Record<string, string>;
  /** Requested dimensions; undefined for the default of the model. */
  dimensions: number | undefined;
  parameters: Record<string, unknown>;
}

/** Sections of the configuration that choose providers. */
const SECTIONS = { embedding: 'embedding', llm: 'chat.llm', rerank: 'rerank' } as const satisfies Record<ProviderKind, string>;

const Options = z.looseObject({ base_url: z.url({ protocol: /^https?$/ }).optional(), dimensions: z.int().min(1).optional() });

/** Combines table, settings and environment. Throws a KbError: `configuration` if the address or model is missing or wrong, `setup` without a key. */
export function resolveAccess<K extends ProviderKind>(
  { provider: name, model = '', options = {}, env = process.env }: ProviderSettings,
  kind: K,
): Access<K> {
  const provider = findProvider(name);
  const row = provider?.[kind];
  if (!provider || !row) {
    throw new KbError('configuration', `There is no provider "${name}" for ${SECTIONS[kind]}.`, {
      hint: `Known are ${providersOf(kind).join(', ')}.`,
    });
  }
  const { base_url: configuredUrl, dimensions, ...parameters } = readOptions(options, kind);
  const base_url = configuredUrl ?? (env[provider.base_url_variable] || provider.base_url);
  const modelName = model || (row.model ?? '');
  if (!base_url) throw missingAddressError(name, provider, kind);
  if (!isHttpAddress(base_url)) throw invalidAddressError(provider);
  if (hasCredentials(base_url))
    throw credentialsInAddressError(configuredUrl ? `${SECTIONS[kind]}.options.base_url` : provider.base_url_variable, provider);
  if (!modelName && !('is_model_optional' in row)) {
    throw missingSettingError(name, `${SECTIONS[kind]}.model`, 'the name by which the server knows the model');
  }
  const keyError = missingKeyError(name, env);
  if (keyError) throw keyError;
  const keyVariable = provider.key_variables.find((candidate) => env[candidate]?.trim()) ?? provider.key_variables[0];
  return {
    provider: name,
    row: row as Access<K>['row'],
    model: modelName,
    base_url: base_url.replace(/(?<!\/)\/+$/, ''),
    dimensions,
    parameters,
    is_own_address: base_url === provider.base_url,
    key: readKey(env, keyVariable),
    key_variable: keyVariable,
    fetch: rejectWebPages(limitBody(openFetch(env), name), { provider: name, base_url }),
    account: accountHeaders(provider, env),
  };
}

const isHttpAddress = (text: string): boolean => URL.canParse(text) && /^https?:$/.test(new URL(text).protocol);

/** Whether an address holds credentials: `fetch` would refuse it with a message that repeats them. */
function hasCredentials(address: string): boolean {
  const { username, password } = new URL(address);
  return username !== '' || password !== '';
}

/** Reads the key, without surrounding white space. Throws a KbError (`setup`), which does not repeat the key, if a header cannot hold it. */
function readKey(env: NodeJS.ProcessEnv, variable: string): string | undefined {
  const key = env[variable]?.trim() || undefined;
  if (key === undefined || /^[\x20-\x7e]+$/.test(key)) return key;
  throw new KbError('setup', `${variable} holds characters that are part of no key.`, {
    hint: operatorAdvice`Copy the key once more, and nothing beside it.`,
  });
}

const accountHeaders = ({ account = {} }: Provider, env: NodeJS.ProcessEnv): Record<string, string> =>
  Object.fromEntries(Object.entries(account).flatMap(([header, variable]) => (env[variable] ? [[header, env[variable]]] : [])));

function readOptions(options: Record<string, unknown>, kind: ProviderKind): z.infer<typeof Options> {
  const parsed = Options.safeParse(options);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  throw new KbError('configuration', `${SECTIONS[kind]}.options.${issue!.path.join('.')} is not right: ${issue!.message}.`);
}

const missingSettingError = (name: string, key: string, meaning: string): KbError =>
  new KbError('configuration', `The provider ${name} needs ${key}.`, { hint: operatorAdvice`Set it in kb.config.yaml: ${meaning}.` });

const invalidAddressError = ({ base_url_variable }: Provider): KbError =>
  new KbError('configuration', `${base_url_variable} in the environment is not an address.`, {
    hint: operatorAdvice`It has to begin with http:// or https://, such as http://127.0.0.1:8080/v1.`,
  });

const credentialsInAddressError = (place: string, { key_variables: [variable] }: Provider): KbError =>
  new KbError('configuration', `The address in ${place} holds a user name or a password.`, {
    hint: operatorAdvice`Leave out what stands before the @: a key is read from ${variable}.`,
  });

const missingAddressError = (name: string, { base_url_variable }: Provider, kind: ProviderKind): KbError =>
  missingSettingError(
    name,
    `${SECTIONS[kind]}.options.base_url`,
    `the address that ends before /embeddings, /chat and /rerank, such as http://127.0.0.1:8080/v1; or ${base_url_variable} in the environment`,
  );
