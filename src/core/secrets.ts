import { KbError } from './errors.ts';
import { hash } from './ids.ts';
import { hasReference } from './settings.ts';
import type { RewriteText } from '../text/clean-text.ts';

/** Names whose values are always credentials. Names are compared in lower case, with letters and digits only. */
const SECRET_NAME =
  /(api|app|access|subscription|private|secret|auth|functions?)key(v?\d+)?$|(?<!page|next|prev|previous|continuation|cursor|sync|skip|start|resume)token$|^(auth|bearer|jwt|sig|hmac|pass|pwd|sid|cookie|otp|totp)$|authorization$|passwd$|secret|password|passwort|passphrase|passcode|signature$|credentials?$|sess(ion)?id$/;
/** Names that may mean a credential (Google's `key`, OpenWeather's `appid`) or something else; a credential is then a long value. */
const AMBIGUOUS_NAME = /key$|^(appid|pat|code|ticket|session)$/;
const LONG_VALUE = 20;

const normalizeName = (name: string): string => name.toLowerCase().replace(/[^a-z0-9]/g, '');

/** Whether a parameter, header or field of this name holds a credential. Cursors (`page_token`) do not. */
export function holdsSecret(name: string, value = ''): boolean {
  return SECRET_NAME.test(normalizeName(name)) || (AMBIGUOUS_NAME.test(normalizeName(name)) && value.length >= LONG_VALUE);
}

/** Whether a parameter, header or field of this name may hold a credential, if its value looks like one. */
const mayHoldSecret = (name: string): boolean => SECRET_NAME.test(normalizeName(name)) || AMBIGUOUS_NAME.test(normalizeName(name));

/** Removes user name, password and credential parameters from an address, so that it may be shown and stored. In another text, removes what looks like them. */
export const redactUrl = (address: string | URL): string => rewriteUrl(address, () => undefined);

/**
 * Returns the address by which pages are distinguished: like `redactUrl`, but a parameter that may hold a credential (`?page_key=`, `?code=`)
 * is replaced by eight digits of its hash. One that certainly holds a credential is removed, since it selects no other page.
 */
export const identifyUrl = (address: string | URL): string =>
  rewriteUrl(address, (name, value) => (SECRET_NAME.test(normalizeName(name)) ? undefined : `~${hash(value).slice(0, 8)}`));

/** Removes credentials from an address. `replacement` returns the new value of a parameter that may hold one; undefined removes it. */
function rewriteUrl(address: string | URL, replacement: (name: string, value: string) => string | undefined): string {
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

/** Minimum characters of a credential that is also found inside longer words. */
const LONG_CREDENTIAL = 8;

/** Minimum characters of a credential that is recognized by its value. */
const SHORT_CREDENTIAL = 5;

/** Whether a credential cannot be mistaken for an ordinary word. */
const isDistinctive = (value: string): boolean =>
  value.length >= 16 || (value.length >= SHORT_CREDENTIAL && (/[^\p{L}\p{M}]/u.test(value) || /^\P{Ll}*\p{Ll}\P{Lu}*\p{Lu}/u.test(value)));

/** Whether a value looks random, whatever its name. */
const looksRandom = (value: string): boolean =>
  value.length >= LONG_CREDENTIAL && /\d/.test(value) && /\p{L}/u.test(value) && !/\s/.test(value);

/** Lists the forms in which a response may repeat `user:password`. */
export function basicAuthForms(pair: string): string[] {
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
 * Empty if none is recognized. `isSiteCredential`: the value was configured for one site, as credentials are.
 */
export function credentialsIn(name: string, value: string, { isSiteCredential = false }: { isSiteCredential?: boolean } = {}): string[] {
  if (value.length < SHORT_CREDENTIAL || hasReference(value)) return []; // with a reference, the variable is unset, so nothing was sent
  const [, scheme, rest] = /^(basic|bearer|token|digest|apikey)\s+(\S.*)$/i.exec(value) ?? [];
  if (scheme?.toLowerCase() === 'basic') return basicAuthForms(Buffer.from(rest!, 'base64').toString());
  const isSecret = holdsSecret(name, value);
  const parts = /^cookie$/i.test(name) ? value.split(/;\s*/).map((pair) => pair.slice(pair.indexOf('=') + 1)) : [rest ?? value];
  return parts.filter((part) => (isSecret && isDistinctive(part)) || ((isSiteCredential || mayHoldSecret(name)) && looksRandom(part)));
}

/** Makes a pattern that matches a text also where Markdown has put a backslash before a sign. */
const toPattern = (text: string): string =>
  [...text]
    .map((character) => (/[\p{L}\p{N}]/u.test(character) ? character : `\\\\?${character.replace(/[\\^$.*+?()[\]{}|/]/, '\\$&')}`))
    .join('');

/** Maximum credentials of one run: each is looked for in each text. */
const MAX_CREDENTIALS = 100;
/** Maximum characters of all of them. */
const MAX_CREDENTIAL_CHARACTERS = 50_000;

/**
 * Makes a function that replaces credentials by `[redacted]`, also where they are percent-encoded; undefined without credentials. Throws a KbError (`usage`) for
 * too many.
 */
export function createRedactor(credentials: readonly string[]): RewriteText | undefined {
  const texts = new Set(credentials.filter((text) => text !== ''));
  if (texts.size === 0) return undefined;
  if (texts.size > MAX_CREDENTIALS || [...texts].reduce((sum, { length }) => sum + length, 0) > MAX_CREDENTIAL_CHARACTERS)
    throw new KbError('usage', `The addresses and headers hold more than ${MAX_CREDENTIALS} different credentials, or very long ones.`, {
      hint: 'Read the sources in several runs.',
    });
  const forms = new Set([...texts].flatMap((text) => [text, encodeURIComponent(text.toWellFormed())]));
  const patterns = [...forms]
    .toSorted((a, b) => b.length - a.length)
    .map((form) => {
      const pattern = `${toPattern(form)}=*`;
      const isLong = form.length >= LONG_CREDENTIAL;
      return { bare: withoutBackslashes(form), pattern: isLong ? pattern : `(?<![\\p{L}\\p{N}])${pattern}(?![\\p{L}\\p{N}])` };
    });
  return (text) => {
    const bare = withoutBackslashes(text);
    const present = patterns.filter((credential) => bare.includes(credential.bare)); // far faster than the pattern of all of them
    return present.length === 0 ? text : text.replace(new RegExp(present.map(({ pattern }) => pattern).join('|'), 'gu'), REDACTED);
  };
}

const withoutBackslashes = (text: string): string => text.replaceAll('\\', '');
