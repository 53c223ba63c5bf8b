import { acceptAddresses, describeDisclosure, notAcceptedError, pathOf, withoutAccepted } from '../config/accepted-addresses.ts';
import { type LoadedConfig, type LoadOptions, readConfig } from '../config/load.ts';
import { describe, KbError } from '../core/errors.ts';
import { showPrompt } from './prompts.ts';
import { makePrintable, type Screen } from './screen.ts';

/**
 * Loads the configuration of a command. Before a file that kb found by itself sends keys or texts to an address for the first time, or opens a server to other
 * machines (`serves`), it asks on the terminal. Throws a KbError (`configuration`) without a terminal, and if the user says no.
 */
export async function loadCommandConfig({ serves, ...options }: LoadOptions & { serves: boolean }, screen: Screen): Promise<LoadedConfig> {
  const { disclosures, place, ...loaded } = readConfig(options, serves);
  const pending = withoutAccepted(place, disclosures);
  if (pending.length === 0) return loaded;
  if (!process.stdin.isTTY || !process.stderr.isTTY) throw notAcceptedError(place, pending);
  const lines = pending.map((disclosure) => `  ${makePrintable(describeDisclosure(disclosure))}`);
  screen.warn(`kb found ${makePrintable(pathOf(place))} by itself. With it, kb would send:\n${lines.join('\n')}`);
  const { confirm } = await import('@inquirer/prompts');
  const isAccepted = await showPrompt((where) =>
    confirm({ message: 'Do you trust this file and these addresses?', default: false }, where),
  );
  if (!isAccepted)
    throw new KbError('configuration', `${pathOf(place)} was not used.`, { hint: 'Nothing was sent. kb asks again the next time.' });
  try {
    acceptAddresses(place, pending);
  } catch (error) {
    screen.warn(`The answer cannot be kept: ${makePrintable(describe(error))}`);
  }
  return loaded;
}
