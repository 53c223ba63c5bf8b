import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { stringify } from 'yaml';
import { KbError } from '../base/errors.ts';
import { CONFIG_NAME } from '../config/find.ts';
import { Config, DEFAULTS } from '../schema/config.ts';
import type { FlagValues } from './flags.ts';
import { createScreen } from './screen.ts';

interface Answers {
  collection: string;
  embedding: { provider: string };
  chat: { llm: { provider: string } };
}

const HEAD =
  '# Configuration of kb. kb.config.example.yaml in the kb package shows every key with its default.\n# Credentials are read from the environment, or from .env beside this file; never from here.\n';

/** Writes kb.config.yaml into the working directory: with the answers of the person at the terminal, or with the defaults (`--yes`). */
export async function writeConfiguration(flags: FlagValues): Promise<void> {
  const screen = createScreen({ quiet: Boolean(flags.quiet), json: Boolean(flags.json) });
  const path = join(process.cwd(), CONFIG_NAME);
  const asks = !flags.yes;
  if (asks && !process.stdin.isTTY)
    throw new KbError('usage', 'kb init asks questions, and there is no terminal to ask on.', {
      hint: 'kb init --yes takes the defaults.',
    });
  if (existsSync(path) && !(asks && (await overwrites()))) {
    screen.note(`${CONFIG_NAME} is there already and stays as it is.`);
    if (screen.json) screen.print(JSON.stringify({ path, written: false }));
    return;
  }
  const answers = asks
    ? await ask()
    : {
        collection: DEFAULTS.collection,
        embedding: { provider: DEFAULTS.embedding.provider },
        chat: { llm: { provider: DEFAULTS.chat.llm.provider } },
      };
  write(path, `${HEAD}${stringify(answers)}`);
  if (screen.json) screen.print(JSON.stringify({ path, written: true }));
  else screen.print(`Wrote ${CONFIG_NAME}. Next: kb ingest --docs FOLDER`);
}

function write(path: string, text: string): void {
  try {
    writeFileSync(path, text);
  } catch (cause) {
    throw new KbError('configuration', `${path} cannot be written: ${(cause as Error).message}`, {
      hint: 'Check the permissions of the folder.',
      cause,
    });
  }
}

async function overwrites(): Promise<boolean> {
  const { confirm } = await import('@inquirer/prompts');
  return confirm({ message: `${CONFIG_NAME} is there already. Overwrite it?`, default: false });
}

async function ask(): Promise<Answers> {
  const { input, select } = await import('@inquirer/prompts');
  const collection = await input({
    message: 'Name of the collection',
    default: DEFAULTS.collection,
    validate: (name) =>
      Config.shape.collection.safeParse(name).success || 'Letters, digits, _ . - (at most 63, the first a letter or digit)',
  });
  const embedding = await select({
    message: 'Who embeds the passages?',
    choices: [
      { name: 'The bundled model (offline, English, no key)', value: 'local' },
      { name: 'OpenAI (needs OPENAI_API_KEY)', value: 'openai' },
      { name: 'Nobody: search by words alone', value: 'none' },
    ],
  });
  const llm = await select({
    message: 'Who answers questions?',
    choices: [
      { name: 'kb itself: quotes the sentences that answer (offline, no key)', value: 'local' },
      { name: 'OpenAI (needs OPENAI_API_KEY)', value: 'openai' },
    ],
  });
  return { collection, embedding: { provider: embedding }, chat: { llm: { provider: llm } } };
}
