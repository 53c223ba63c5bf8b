import { breathing } from '../../../base/breath.ts';
import { loadText, type Load } from './load.ts';
import { xmlLinks } from './xml-links.ts';

/** What is loaded of a feed: its newest entries are no more. */
const MAX_BYTES = 10 * 2 ** 20;

export interface FeedOptions {
  load: Load;
  /** Told of every address, in order. False: no more are wanted. */
  onAddress(address: string): boolean;
  signal?: AbortSignal | undefined;
}

/** Reads the addresses of a feed's entries. Throws what `load` throws. */
export async function readFeed(address: string, { load, onAddress, signal }: FeedOptions): Promise<void> {
  const breathe = breathing(signal);
  for (const { element, address: found } of xmlLinks(await loadText(address, { load, max_bytes: MAX_BYTES }))) {
    await breathe();
    if (element === 'link' && URL.canParse(found, address) && !onAddress(new URL(found, address).href)) return;
  }
}
