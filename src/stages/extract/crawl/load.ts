import { unpacked } from '../../../base/http-body.ts';
import type { HttpAnswer, HttpRequest } from '../../../base/http-message.ts';
import { sourceOf } from '../network.ts';

/** Asks a site for something beside its pages, in its turn and with what was given for it. Throws what `Http.request` throws. */
export type Load = (
  address: string,
  request?: Pick<HttpRequest, 'max_bytes' | 'cuts' | 'accepts' | 'redirect' | 'inTurn'>,
) => Promise<HttpAnswer>;

/** The text of what `load` answers, also where the file itself is packed with gzip, which its first bytes say. Throws a KbError, `too_large` where it inflates to more than `max_bytes`. */
export async function loadText(address: string, { load, max_bytes }: { load: Load; max_bytes: number }): Promise<string> {
  const { bytes } = await load(address, { max_bytes });
  const isPacked = bytes[0] === 0x1f && bytes[1] === 0x8b;
  return new TextDecoder().decode(isPacked ? await unpacked(bytes, 'gzip', { name: sourceOf(address), max_bytes }) : bytes);
}
