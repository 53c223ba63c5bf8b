import { isReferring } from './references.ts';
import type { RewriteText } from './rewrite-document.ts';
import { holdsSecret, mayHoldSecret } from './secrets.ts';

/** What stands in the place of a credential. */
const REDACTED = '[redacted]';

/** Characters from which a credential is found within longer words, too. */
const LONG = 8;

/** Whether a credential can be told from what people write: an ordinary word cannot. */
const isTelling = (value: string): boolean =>
  value.length >= 16 || (value.length >= 5 && (/[^\p{L}\p{M}]/u.test(value) || /^\P{Ll}*\p{Ll}\P{Lu}*\p{Lu}/u.test(value)));

/** Whether a value looks like one that was made by chance, whatever its name. */
const looksRandom = (value: string): boolean => value.length >= LONG && /\d/.test(value) && /\p{L}/u.test(value) && !/\s/.test(value);

/** The forms in which `user:password` may come back. */
export function basicForms(pair: string): string[] {
  const password = pair.slice(pair.indexOf(':') + 1);
  return [
    pair,
    Buffer.from(pair)
      .toString('base64')
      .replace(/(?<!=)=+$/, ''),
    ...(isTelling(password) ? [password] : []),
  ];
}

/**
 * The credentials in a value that was sent under a name: the value, the parts of a cookie, what stands behind a scheme such as `Bearer`. None where nothing
 * tells that it is one. `isGiven`: it was set for one site alone, as credentials are.
 */
export function credentialsIn(name: string, value: string, { isGiven = false }: { isGiven?: boolean } = {}): string[] {
  if (isReferring(value)) return []; // the variable is not set, and nothing was sent
  const [, scheme, rest] = /^(basic|bearer|token|digest|apikey)\s+(\S.*)$/i.exec(value) ?? [];
  if (scheme?.toLowerCase() === 'basic') return basicForms(Buffer.from(rest!, 'base64').toString());
  const isSecret = holdsSecret(name, value);
  const parts = /^cookie$/i.test(name) ? value.split(/;\s*/).map((pair) => pair.slice(pair.indexOf('=') + 1)) : [rest ?? value];
  return parts.filter((part) => (isSecret && isTelling(part)) || ((isGiven || mayHoldSecret(name)) && looksRandom(part)));
}

/** Each character, and before a sign the backslash that Markdown may have put there. */
const asPattern = (text: string): string =>
  [...text]
    .map((character) => (/[\p{L}\p{N}]/u.test(character) ? character : `\\\\?${character.replace(/[\\^$.*+?()[\]{}|/]/, '\\$&')}`))
    .join('');

/** Puts `[redacted]` in the place of these credentials, also where they are written as a part of an address; undefined without any. */
export function redactor(credentials: readonly string[]): RewriteText | undefined {
  const forms = new Set(credentials.flatMap((text) => (text === '' ? [] : [text, encodeURIComponent(text.toWellFormed())])));
  if (forms.size === 0) return undefined;
  const patterns = [...forms]
    .toSorted((a, b) => b.length - a.length)
    .map((form) => {
      const pattern = `${asPattern(form)}=*`;
      return form.length >= LONG ? pattern : `(?<![\\p{L}\\p{N}])${pattern}(?![\\p{L}\\p{N}])`;
    });
  const found = new RegExp(patterns.join('|'), 'gu');
  return (text) => text.replace(found, REDACTED);
}
