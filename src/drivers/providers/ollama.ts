import { operatorAdvice } from '../../core/advice/advice.ts';
import { KbError } from '../../core/errors.ts';
import { redactUrl } from '../../core/secrets.ts';
import { type Access, resolveAccess } from './access.ts';
import { parseErrorResponse } from './provider-errors.ts';

// Ollama's own protocol (docs.ollama.com/api). Its address may be written with the /v1 of its OpenAI-compatible API.

/** The address of Ollama without `/v1`. */
const rootOf = ({ base_url }: Access): string => base_url.replace(/\/v1$/, '');

interface OllamaRequest {
  path: '/api/chat' | '/api/embed' | '/api/show' | '/api/tags';
  body?: object;
  signal?: AbortSignal | undefined;
}

/**
 * Sends a request to Ollama. Throws the error response, in the form that `providerError` reads, and a KbError: `configuration` for a model that is not
 * installed, `unavailable` if Ollama does not run.
 */
export async function requestOllama(access: Access, { path, body, signal }: OllamaRequest): Promise<Response> {
  const response = await access
    .fetch(`${rootOf(access)}${path}`, {
      method: body ? 'POST' : 'GET',
      headers: { 'content-type': 'application/json', ...(access.key && { authorization: `Bearer ${access.key}` }) },
      ...(body && { body: JSON.stringify(body) }),
      signal: signal ?? null,
    })
    .catch((error: unknown) => {
      throw signal?.aborted || error instanceof KbError ? error : notRunningError(access, error);
    });
  if (response.ok) return response;
  const refusal = parseErrorResponse(response, await response.text());
  throw refusal.status === 404 && path !== '/api/tags' ? await missingModelError(access, refusal.message) : refusal;
}

const notRunningError = (access: Access, cause: unknown): KbError =>
  new KbError('unavailable', `Ollama did not answer at ${redactUrl(rootOf(access))}.`, {
    hint: operatorAdvice`Start it with "ollama serve", or set OLLAMA_BASE_URL to its address.`,
    isRetryable: true,
    cause,
  });

async function missingModelError(access: Access, reason: string): Promise<KbError> {
  const installed = await installedModels(access).catch(() => []);
  const models = installed.length > 0 ? ` Installed are ${installed.join(', ')}.` : '';
  return new KbError('configuration', `Ollama does not have the model ${access.model}: ${reason}.`, {
    hint: operatorAdvice`Install it with "ollama pull ${access.model}".${models}`,
  });
}

/** The names of the models that are installed, without `:latest`. Throws what `requestOllama` throws. */
async function installedModels(access: Access, signal = AbortSignal.timeout(5000)): Promise<string[]> {
  const response = await requestOllama(access, { path: '/api/tags', signal });
  const { models = [] } = (await response.json()) as { models?: { name: string }[] };
  return models.map(({ name }) => name.replace(/:latest$/, ''));
}

/** What Ollama says of a model. */
export interface OllamaModel {
  /** Its context window in tokens, if known. */
  context_length: number | undefined;
  /** Whether it thinks before it answers. */
  thinks: boolean;
  /** Whether it embeds, not answers; undefined if Ollama does not say. */
  embeds: boolean | undefined;
  family: string;
}

/** Asks for the properties of the model. Throws what `requestOllama` throws. */
export async function describeModel(access: Access, signal?: AbortSignal): Promise<OllamaModel> {
  const response = await requestOllama(access, { path: '/api/show', body: { model: access.model }, signal });
  const {
    model_info = {},
    capabilities = [],
    details = {},
  } = (await response.json()) as {
    model_info?: Record<string, unknown>;
    capabilities?: string[];
    details?: { family?: string };
  };
  const [, context_length] = Object.entries(model_info).find(([name]) => name.endsWith('.context_length')) ?? [];
  return {
    context_length: typeof context_length === 'number' ? context_length : undefined,
    thinks: capabilities.includes('thinking'),
    embeds: capabilities.length === 0 ? undefined : capabilities.includes('embedding'),
    family: details.family ?? '',
  };
}

/** An Ollama that runs on this machine, with the installed models by their use. */
export interface RunningOllama {
  provider: string;
  address: string;
  /** Models that answer. */
  llms: string[];
  /** Models that embed. */
  embedders: string[];
}

const LOOPBACK = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])$/;

/** Milliseconds that Ollama has to list its models, and to describe them. */
const MAX_WAIT = 2_000;

/** Maximum models that are asked for what they do. */
const MAX_DESCRIBED = 50;

/** Finds Ollama where the environment says, else where it listens by default; undefined if it does not answer, or is on another machine. */
export async function findOllama(env: Readonly<Record<string, string | undefined>> = process.env): Promise<RunningOllama | undefined> {
  try {
    const access = resolveAccess({ provider: 'ollama', env }, 'llm');
    if (!LOOPBACK.test(new URL(access.base_url).hostname)) return undefined;
    const names = (await installedModels(access, AbortSignal.timeout(MAX_WAIT))).slice(0, MAX_DESCRIBED);
    const signal = AbortSignal.timeout(MAX_WAIT);
    const models = await Promise.all(
      names.map(async (name) => ({
        name,
        embeds: (await describeModel({ ...access, model: name }, signal).catch(() => undefined))?.embeds,
      })),
    );
    const named = (use: boolean) => models.flatMap(({ name, embeds = use }) => (embeds === use ? [name] : []));
    return { provider: access.provider, address: rootOf(access), llms: named(false), embedders: named(true) };
  } catch {
    return undefined;
  }
}
