import { appendFileSync, mkdirSync, readFileSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { z } from 'zod';
import { KbError } from '../core/errors.ts';
import { hash } from '../core/ids.ts';
import { userFolder } from '../core/user-folders.ts';
import type { Disclosure } from './disclosures.ts';
import type { ConfigPlace } from './find-files.ts';

/** The file in which the answers of this user are kept, one a line. It is in the user's own folder, where no repository can write it. */
const answersFile = (): string => join(userFolder('data'), 'accepted-addresses.jsonl');

const Answer = z.object({ id: z.string() });

/** The path by which a configuration is remembered: without a file it is that of the `.env`. */
export const pathOf = ({ file, home }: ConfigPlace): string => file ?? join(home, '.env');

const idOf = (place: ConfigPlace, { secret, address, setting }: Disclosure): string =>
  hash(pathOf(place), secret, address, address === '' ? setting : '');

/** Returns what the user has not accepted yet for this configuration. */
export function withoutAccepted(place: ConfigPlace, disclosures: readonly Disclosure[]): Disclosure[] {
  if (disclosures.length === 0) return [];
  const accepted = readAnswers();
  return disclosures.filter((disclosure) => !accepted.has(idOf(place, disclosure)));
}

/** Remembers that the user accepts these addresses for this configuration. Throws if the folder of the user cannot be written. */
export function acceptAddresses(place: ConfigPlace, disclosures: readonly Disclosure[]): void {
  const file = answersFile();
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  const lines = disclosures.map((disclosure) => {
    const { secret, label } = disclosure;
    return `${JSON.stringify({ id: idOf(place, disclosure), file: pathOf(place), secret, address: label })}\n`;
  });
  appendFileSync(file, lines.join(''), { mode: 0o600 });
}

/** Reads the answers. A file that others may have written counts as none. */
function readAnswers(): Set<string> {
  try {
    const file = answersFile();
    const { uid, mode } = statSync(file);
    if (process.getuid && (uid !== process.getuid() || (mode & 0o022) !== 0)) return new Set();
    return new Set(readFileSync(file, 'utf8').split('\n').flatMap(parseAnswer));
  } catch {
    return new Set(); // there is no file, or no home directory
  }
}

function parseAnswer(line: string): string[] {
  try {
    return [Answer.parse(JSON.parse(line)).id];
  } catch {
    return []; // an empty or half-written line
  }
}

/** Throws a KbError (`configuration`) if something would be sent to an address that the user has not accepted. */
export function assertAccepted(place: ConfigPlace, disclosures: readonly Disclosure[]): void {
  const pending = withoutAccepted(place, disclosures);
  if (pending.length > 0) throw notAcceptedError(place, pending);
}

/** Makes the error of addresses that nobody has accepted. */
export function notAcceptedError(place: ConfigPlace, pending: readonly Disclosure[]): KbError {
  const message = `${pathOf(place)}, which kb found by itself, would have it send ${pending.map(describeDisclosure).join(', ')}.`;
  return new KbError('configuration', message, {
    hint: `If you trust that file, name it (--config ${place.file ?? 'FILE'}, or KB_CONFIG), set the address in the environment itself (such as OPENAI_BASE_URL), or run kb once on a terminal, where it asks.`,
  });
}

/** Describes what is sent where: `OPENAI_API_KEY to https://llm.example/v1 (chat.llm.options.base_url)`. */
export const describeDisclosure = ({ secret, address, label, setting }: Disclosure): string =>
  `${secret} to ${address === '' ? 'addresses that the file does not name' : label} (${setting})`;
