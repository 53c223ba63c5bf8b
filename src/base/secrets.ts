import { hash } from './ids.ts';

/** Names that hold a key, whatever they hold: compared in lower case, with nothing but letters and digits left. */
const SECRET =
  /(api|app|access|subscription|private|secret|auth|functions?)key(v?\d+)?$|(?<!page|next|prev|previous|continuation|cursor|sync|skip|start|resume)token$|^(auth|bearer|jwt|sig|hmac|pass|pwd|sid|cookie|otp|totp)$|authorization$|passwd$|secret|password|passwort|passphrase|passcode|signature$|credentials?$|sess(ion)?id$/;
/** These name a key of an API (Google's `key`, OpenWeather's `appid`) or a session as often as something else; what is secret is long. */
const PERHAPS = /key$|^(appid|pat|code|ticket|session)$/;
const LONG = 20;

const plain = (name: string): string => name.toLowerCase().replace(/[^a-z0-9]/g, '');

/** Whether a parameter, header or field of this name holds a credential. Cursors (`page_token`) do not. */
export function holdsSecret(name: string, value = ''): boolean {
  return SECRET.test(plain(name)) || (PERHAPS.test(plain(name)) && value.length >= LONG);
}

/** Whether a parameter, header or field of this name may hold a credential, if its value looks like one. */
export const mayHoldSecret = (name: string): boolean => SECRET.test(plain(name)) || PERHAPS.test(plain(name));

/** An address as it may be shown and stored: without user name, password, and parameters that hold credentials. A text that is no address is cleaned of what looks like them. */
export const shown = (address: string | URL): string => cleaned(address, () => undefined);

/**
 * An address as `shown` gives it, by which pages are told apart: of a parameter that only may hold a credential (`?page_key=`, `?code=`) a trace stays, eight digits of its hash, from
 * which its value can't be told. What surely is a credential makes no other page.
 */
export const identified = (address: string | URL): string =>
  cleaned(address, (name, value) => (SECRET.test(plain(name)) ? undefined : `~${hash(value).slice(0, 8)}`));

/** `left` is what stays in place of the value of a parameter that may hold a credential; nothing of it where that is undefined. */
function cleaned(address: string | URL, left: (name: string, value: string) => string | undefined): string {
  if (!URL.canParse(String(address)))
    return String(address)
      .replace(/\/\/[^/\s]*@/g, '//')
      .replace(/\?\S*/g, '');
  const url = new URL(address);
  url.username = '';
  url.password = '';
  const given = [...url.searchParams];
  if (!given.some(([name, value]) => holdsSecret(name, value))) return url.href;
  const kept = given.flatMap(([name, value]): [string, string][] => {
    const safe = holdsSecret(name, value) ? left(name, value) : value;
    return safe === undefined ? [] : [[name, safe]];
  });
  url.search = new URLSearchParams(kept).toString();
  return url.href;
}

/** The same structure with the values of fields that hold credentials emptied. */
export function withoutSecrets(value: unknown, name = ''): unknown {
  if (Array.isArray(value)) return value.map((item) => withoutSecrets(item, name));
  if (typeof value === 'object' && value !== null)
    return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, withoutSecrets(inner, key)]));
  return holdsSecret(name, String(value)) ? '' : value;
}
