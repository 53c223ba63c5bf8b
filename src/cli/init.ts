import { KbError } from '../core/errors.ts';
import { existsSync, writeFileSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import { stringify } from 'yaml';
import { describeFileError } from '../core/file-names.ts';
import { type Layer, mergeLayers } from '../core/settings.ts';
import { explainValidationError } from '../core/validation-issues.ts';
import { CONFIG_NAME } from '../config/find-files.ts';
import { readSetFlags, validateConfig } from '../config/load.ts';
import { DEFAULT_LOCAL_MODEL, MULTILINGUAL_MODEL } from '../drivers/embedders/local-models.ts';
import { findOllama } from '../drivers/providers/ollama.ts';
import { findProvider, providersOf } from '../drivers/providers/providers.ts';
import { listNames } from '../text/count.ts';
import { Config, DEFAULTS } from '../schema/config.ts';
import type { FlagValues } from './command-context.ts';
import { repeatFlags } from './flags.ts';
import { showPrompt, assertTerminal, askToConfirm } from './prompts.ts';
import { createScreen } from './screen.ts';

interface Answers {
  collection: string;
  embedding?: { provider: string; model?: string };
  chat: { llm: { provider: string; model?: string } };
}

const HEAD =
  '# Configuration of kb. kb.config.example.yaml in the kb package shows every key with its default.\n# Credentials are read from the environment, or from .env beside this file; never from here.\n';

/** Writes kb.config.yaml, or the file of `--config`, from answers at the terminal or the defaults (`--yes`), overridden by `--set`. */
export async function writeConfiguration(flags: FlagValues): Promise<void> {
  const screen = createScreen({ quiet: Boolean(flags.quiet), json: Boolean(flags.json) });
  const path = flags.config === undefined ? join(process.cwd(), CONFIG_NAME) : resolve(String(flags.config));
  const name = basename(path);
  const { layer, names } = readSetFlags((flags.set as string[] | undefined) ?? []);
  validateConfig(mergeLayers(DEFAULTS, layer), (key) => names.get(key) ?? key);
  const isInteractive = !flags.yes;
  if (isInteractive) assertTerminal('kb init asks questions', 'kb init --yes takes the defaults.');
  if (existsSync(path) && !(isInteractive && (await askToConfirm(`${name} is there already. Overwrite it?`, 'kb init')))) {
    screen.note(`${name} exists already and was not changed.`);
    if (screen.json) screen.printJson({ path, written: false });
    return;
  }
  const answers = isInteractive
    ? await askSettings()
    : {
        collection: DEFAULTS.collection,
        chat: { llm: { provider: DEFAULTS.chat.llm.provider } },
      };
  writeConfigFile(path, `${HEAD}${stringify(mergeLayers(answers as unknown as Layer, layer))}`);
  if (screen.json) screen.printJson({ path, written: true });
  else screen.report(`Wrote ${name}. Next: kb ingest --docs FOLDER${repeatFlags({ config: flags.config })}`);
}

function writeConfigFile(path: string, text: string): void {
  try {
    writeFileSync(path, text);
  } catch (cause) {
    throw new KbError('configuration', `${path} can't be written: ${describeFileError(cause, 'write')}.`, {
      hint: 'Name another with --config.',
      cause,
    });
  }
}

interface Choice {
  name: string;
  value: string;
}

const OLLAMA = 'ollama';

/** Lists the providers that need no address, with the variable of their key. A running Ollama comes first, with its models. */
function listHostedProviders(kind: 'llm' | 'embedding', running: readonly string[]): Choice[] {
  const choices = providersOf(kind)
    .filter((name) => name !== 'openai_compatible')
    .map((value) => {
      const { key_variables, is_keyless } = findProvider(value)!;
      return { name: is_keyless ? `${value} (on this machine)` : `${value} (needs ${key_variables[0]})`, value };
    });
  if (running.length === 0) return choices;
  const name = `${OLLAMA} (runs on this machine: ${listNames(running, 3)})`;
  return [{ name, value: OLLAMA }, ...choices.filter(({ value }) => value !== OLLAMA)];
}

async function askSettings(): Promise<Answers> {
  const { input, select } = await import('@inquirer/prompts');
  const collection = await showPrompt((where) =>
    input({ message: 'Name of the collection', default: DEFAULTS.collection, validate: validateName }, where),
  );
  const choose = (message: string, choices: Choice[]) => showPrompt((where) => select({ message, choices }, where));
  const { embedders = [], llms = [] } = (await findOllama()) ?? {};
  const chooseInstalled = async (provider: string, verb: string, models: readonly string[]) =>
    provider === OLLAMA && models.length > 0 && (await choose(`Which model ${verb}?`, models.map(asChoice)));
  const embedding = await choose('Who embeds the passages?', [
    { name: 'A bundled model (offline, no key)', value: 'local' },
    { name: 'Nobody: search by words alone', value: 'none' },
    ...listHostedProviders('embedding', embedders),
  ]);
  const bundled =
    embedding === 'local' &&
    (await choose('Which languages are the documents in?', [
      { name: 'English', value: DEFAULT_LOCAL_MODEL },
      { name: 'Another one or several (about 45 languages; slower, needs more memory)', value: MULTILINGUAL_MODEL },
    ]));
  const model = bundled || (await chooseInstalled(embedding, 'embeds', embedders));
  const llm = await choose('Who answers questions?', [
    { name: 'kb itself: quotes the passage that answers (offline, no key)', value: 'local' },
    ...listHostedProviders('llm', llms),
  ]);
  const writer = await chooseInstalled(llm, 'answers', llms);
  return {
    collection,
    embedding: { provider: embedding, ...(model ? { model } : {}) },
    chat: { llm: { provider: llm, ...(writer ? { model: writer } : {}) } },
  };
}

const asChoice = (name: string): Choice => ({ name, value: name });

/** Validates the name of a collection: true, or the message of the schema. */
function validateName(value: string): true | string {
  const schema = Config.shape.collection;
  const { error } = schema.safeParse(value);
  return error === undefined || explainValidationError(error, { schema, value, whole: 'The name' });
}
