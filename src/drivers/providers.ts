import { z } from 'zod';
import { KbError } from '../base/errors.ts';

/** A provider that the `openai` client can speak to. */
export interface Provider {
  /** Where it is; absent where `options.base_url` has to say. */
  base_url?: string;
  /** The environment variable that may say it too. */
  base_url_variable?: string;
  /** The environment variables that may hold the key, the first that is set wins. */
  key_variables: readonly [string, ...string[]];
  /** Whether it answers without a key. */
  is_open?: boolean;
  /** The models where none is configured; absent where only the user can know. */
  embedding_model?: string;
  llm_model?: string;
  /** Length of the vectors of its models. */
  dimensions: Readonly<Record<string, number>>;
  /** How it calls the limit of an answer's tokens. */
  limit: 'max_tokens' | 'max_completion_tokens';
}

/** All of them; a new one is a new row. */
export const providers: Readonly<Record<string, Provider>> = {
  // Models, lengths and the name of the limit: platform.openai.com/docs, November 2026.
  openai: {
    base_url: 'https://api.openai.com/v1',
    base_url_variable: 'OPENAI_BASE_URL',
    key_variables: ['OPENAI_API_KEY'],
    embedding_model: 'text-embedding-3-small',
    llm_model: 'gpt-6-luna',
    dimensions: { 'text-embedding-3-small': 1536, 'text-embedding-3-large': 3072, 'text-embedding-ada-002': 1536 },
    limit: 'max_completion_tokens',
  },
  openai_compatible: {
    key_variables: ['OPENAI_COMPATIBLE_API_KEY', 'OPENAI_API_KEY'],
    is_open: true,
    dimensions: {},
    limit: 'max_tokens',
  },
};

/** What the provider embeds or writes with where no model is configured; empty where it has no such model. */
export const defaultModel = (provider: string, kind: 'embedding' | 'llm'): string => providers[provider]?.[`${kind}_model`] ?? '';

/** What the configuration says about a provider, and the environment that holds its key. */
export interface ProviderSettings {
  provider: string;
  model?: string | undefined;
  /** `base_url`, `dimensions`; anything else goes into the request as it is. */
  options?: Record<string, unknown> | undefined;
  env?: NodeJS.ProcessEnv;
}

/** A provider as it is asked: nothing is left open. */
export interface Access {
  provider: string;
  row: Provider;
  model: string;
  base_url: string;
  /** Whether that is the provider's own address, not one that somebody else chose. */
  is_own_address: boolean;
  /** Undefined where it is asked without one. */
  key: string | undefined;
  /** Where the key came from, or could come from. */
  key_variable: string;
  /** Length of a vector that is asked for; undefined: the model's own. */
  dimensions: number | undefined;
  /** What else the request says. */
  parameters: Record<string, unknown>;
}

const Options = z.looseObject({ base_url: z.url({ protocol: /^https?$/ }).optional(), dimensions: z.int().min(1).optional() });

/**
 * Brings together the row, the settings and the environment. `section` is the part of the configuration that the settings are from.
 * @throws KbError `configuration` where an address or a model is missing or wrong; `setup` where the key is missing.
 */
export function accessTo(
  { provider, model, options = {}, env = process.env }: ProviderSettings,
  section: 'embedding' | 'chat.llm',
): Access {
  const row = providers[provider];
  if (!row)
    throw new KbError('configuration', `There is no provider «${provider}».`, { hint: `Known are ${Object.keys(providers).join(', ')}.` });
  const { base_url: given, dimensions, ...parameters } = readOptions(options, section);
  const base_url = given ?? (env[row.base_url_variable ?? ''] || row.base_url);
  const chosen = model || row[section === 'embedding' ? 'embedding_model' : 'llm_model'];
  if (!base_url)
    throw missing(
      provider,
      `${section}.options.base_url`,
      'the address that ends before /embeddings and /chat, such as http://127.0.0.1:8080/v1',
    );
  if (!chosen) throw missing(provider, `${section}.model`, 'the name by which the server knows the model');
  const variable = row.key_variables.find((name) => env[name]);
  const keyless = missingKey(provider, env);
  if (keyless) throw new KbError('setup', keyless);
  return {
    provider,
    row,
    model: chosen,
    base_url,
    dimensions,
    parameters,
    is_own_address: base_url === row.base_url,
    key: variable && env[variable],
    key_variable: variable ?? row.key_variables[0],
  };
}

function readOptions(options: Record<string, unknown>, section: string): z.infer<typeof Options> {
  const read = Options.safeParse(options);
  if (read.success) return read.data;
  const [issue] = read.error.issues;
  throw new KbError('configuration', `${section}.options.${issue!.path.join('.')} is not right: ${issue!.message}.`);
}

const missing = (provider: string, key: string, meaning: string): KbError =>
  new KbError('configuration', `The provider ${provider} needs ${key}.`, { hint: `Set it in kb.config.yaml: ${meaning}.` });

/** What to say where the provider needs a key and the environment has none; undefined where all is well. */
export function missingKey(provider: string, env: NodeJS.ProcessEnv = process.env): string | undefined {
  const row = providers[provider];
  if (!row || row.is_open || row.key_variables.some((name) => env[name])) return undefined;
  const [variable] = row.key_variables;
  return `The provider ${provider} needs a key, and ${variable} is not set. Set it in the environment («export ${variable}=…») or in a file .env beside kb.config.yaml.`;
}
