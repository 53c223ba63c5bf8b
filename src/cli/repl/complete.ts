import { readdir } from 'node:fs/promises';
import { basename } from 'node:path';
import { printable } from '../screen.ts';
import { modelProviders } from './choices.ts';
import { commands } from './commands.ts';
import { collectionNames, type Session } from './session.ts';
import { pathOf } from './transcript.ts';

/** What the tab key may put in the place of `replaced`, the end of the line. */
export interface Completion {
  candidates: string[];
  replaced: string;
}

/** What a line may become: names of commands, collections, providers and, for /save, files. A question is left alone. */
export async function completionOf(line: string, session: Session): Promise<Completion> {
  const [, name = '', word] = /^(\/[a-z-]*!?)(?:\s+(\S*))?$/i.exec(line) ?? [];
  if (!name) return { candidates: [], replaced: line };
  const typed = word ?? (/\s$/.test(line) ? '' : undefined);
  const known = typed === undefined ? Object.keys(commands).map((command) => `${command} `) : await wordsFor(name, typed, session);
  const replaced = typed ?? name;
  return { candidates: known.filter((candidate) => candidate.startsWith(replaced)), replaced };
}

async function wordsFor(name: string, typed: string, session: Session): Promise<string[]> {
  try {
    if (name === '/collection') return await collectionNames(session);
    if (name === '/model') return modelProviders.map((provider) => (provider === 'local' ? provider : `${provider}/`));
    return name.startsWith('/save') ? await filesFor(typed) : [];
  } catch {
    return []; // the key does nothing where the store or the folder can't be read
  }
}

/** Files and folders of the folder that the word names; those with a blank or a control character are left out. */
async function filesFor(typed: string): Promise<string[]> {
  const start = typed.slice(0, typed.length - (typed.endsWith('/') ? 0 : basename(typed).length));
  const entries = await readdir(pathOf(start || '.'), { withFileTypes: true });
  return entries
    .filter(({ name }) => name === printable(name) && !/\s/.test(name) && (!name.startsWith('.') || basename(typed).startsWith('.')))
    .map((entry) => start + entry.name + (entry.isDirectory() ? '/' : ''));
}
