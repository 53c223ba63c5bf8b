import { hash } from './ids.ts';
import { isReferring } from './settings.ts';
import type { RewriteText } from '../text/clean-text.ts';

/** Names that hold a key, whatever they hold: compared in lower case, with nothing but letters and digits left. */
const SECRET =
  /(api|app|access|subscription|private|secret|auth|functions?)key(v?\d+)?$|(?<!page|next|prev|previous|continuation|cursor|sync|skip|start|resume)token$|^(auth|bearer|jwt|sig|hmac|pass|pwd|sid|cookie|otp|totp)$|authorization$|passwd$|secret|password|passwort|passphrase|passcode|signature$|credentials?$|sess(ion)?id$/;
/** Names of keys (Google's `key`, OpenWeather's `appid`) or sessions that also have other meanings; a secret value is long. */
const PERHAPS = /key$|^(appid|pat|code|ticket|session)$/;
const LONG_VALUE = 20;

const plain = (name: string): string => name.toLowerCase().replace(/[^a-z0-9]/g, '');

/** Whether a parameter, header or field of this name holds a credential. Cursors (`page_token`) do not. */
export function holdsSecret(name: string, value = ''): boolean {
  return SECRET.test(plain(name)) || (PERHAPS.test(plain(name)) && value.length >= LONG_VALUE);
}

/** Whether a parameter, header or field of this name may hold a credential, if its value looks like one. */
const mayHoldSecret = (name: string): boolean => SECRET.test(plain(name)) || PERHAPS.test(plain(name));

/** Removes user name, password and credential parameters from an address, so that it may be shown and stored. In another text, removes what looks like them. */
export const redactUrl = (address: string | URL): string => cleaned(address, () => undefined);

/**
 * Returns the address by which pages are distinguished: as `redactUrl` does, but a parameter that may hold a credential (`?page_key=`, `?code=`) leaves
 * eight digits of its hash, which do not reveal it. A certain credential makes no other page.
 */
export const identified = (address: string | URL): string =>
  cleaned(address, (name, value) => (SECRET.test(plain(name)) ? undefined : `~${hash(value).slice(0, 8)}`));

/** `replacement` returns the new value of a parameter that may hold a credential; undefined removes it. */
function cleaned(address: string | URL, replacement: (name: string, value: string) => string | undefined): string {
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
    const safe = holdsSecret(name, value) ? replacement(name, value) : value;
    return safe === undefined ? [] : [[name, safe]];
  });
  url.search = new URLSearchParams(kept).toString();
  return url.href;
}

/** Copies a structure with the values of credential fields emptied. */
export function withoutSecrets(value: unknown, name = ''): unknown {
  if (Array.isArray(value)) return value.map((item) => withoutSecrets(item, name));
  if (typeof value === 'object' && value !== null)
    return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, withoutSecrets(inner, key)]));
  return holdsSecret(name, String(value)) ? '' : value;
}

/** Replacement of a credential. */
const REDACTED = '[redacted]';

/** Characters from which a credential is found within longer words, too. */
const LONG_CREDENTIAL = 8;

/** Whether a credential differs from what people write: an ordinary word does not. */
const isDistinctive = (value: string): boolean =>
  value.length >= 16 || (value.length >= 5 && (/[^\p{L}\p{M}]/u.test(value) || /^\P{Ll}*\p{Ll}\P{Lu}*\p{Lu}/u.test(value)));

/** Whether a value looks random, whatever its name. */
const looksRandom = (value: string): boolean =>
  value.length >= LONG_CREDENTIAL && /\d/.test(value) && /\p{L}/u.test(value) && !/\s/.test(value);

/** The forms in which `user:password` may come back. */
export function basicForms(pair: string): string[] {
  const password = pair.slice(pair.indexOf(':') + 1);
  return [
    pair,
    Buffer.from(pair)
      .toString('base64')
      .replace(/(?<!=)=+$/, ''),
    ...(isDistinctive(password) ? [password] : []),
  ];
}

/**
 * Finds the credentials in a value that was sent under a name: the value, the parts of a cookie, the text after a scheme such as `Bearer`.
 * Empty if it is not recognized as one. `isGiven`: it was set for one site, as credentials are.
 */
export function credentialsIn(name: string, value: string, { isGiven = false }: { isGiven?: boolean } = {}): string[] {
  if (isReferring(value)) return []; // the variable is not set, and nothing was sent
  const [, scheme, rest] = /^(basic|bearer|token|digest|apikey)\s+(\S.*)$/i.exec(value) ?? [];
  if (scheme?.toLowerCase() === 'basic') return basicForms(Buffer.from(rest!, 'base64').toString());
  const isSecret = holdsSecret(name, value);
  const parts = /^cookie$/i.test(name) ? value.split(/;\s*/).map((pair) => pair.slice(pair.indexOf('=') + 1)) : [rest ?? value];
  return parts.filter((part) => (isSecret && isDistinctive(part)) || ((isGiven || mayHoldSecret(name)) && looksRandom(part)));
}

/** Each character, and before a sign the backslash that Markdown may have put there. */
const asPattern = (text: string): string =>
  [...text]
    .map((character) => (/[\p{L}\p{N}]/u.test(character) ? character : `\\\\?${character.replace(/[\\^$.*+?()[\]{}|/]/, '\\$&')}`))
    .join('');

/** Makes a function that replaces credentials by `[redacted]`, also if they are written as a part of an address; undefined without any. */
export function redactor(credentials: readonly string[]): RewriteText | undefined {
  const forms = new Set(credentials.flatMap((text) => (text === '' ? [] : [text, encodeURIComponent(text.toWellFormed())])));
  if (forms.size === 0) return undefined;
  const patterns = [...forms]
    .toSorted((a, b) => b.length - a.length)
    .map((form) => {
      const pattern = `${asPattern(form)}=*`;
      return form.length >= LONG_CREDENTIAL ? pattern : `(?<![\\p{L}\\p{N}])${pattern}(?![\\p{L}\\p{N}])`;
    });
  const found = new RegExp(patterns.join('|'), 'gu');
  return (text) => text.replace(found, REDACTED);
}
