/** Names that hold a key, whatever they hold: compared in lower case, with nothing but letters and digits left. */
const SECRET =
  /(api|app|access|subscription|private|secret|auth|functions?)key$|(?<!page|next|prev|previous|continuation|cursor|sync|skip|start|resume)token$|^(auth|bearer|jwt|sig|pass|pwd|sid|cookie)$|authorization$|passwd$|secret|password|signature$|credentials?$|sessionid$/;
/** These name a key of an API (Google's `key`, OpenWeather's `appid`) as often as something else; a key of an API is long. */
const PERHAPS = /key$|^(appid|pat|code|ticket)$/;
const LONG = 20;

/** Whether a parameter, header or field of this name holds a credential. Cursors (`page_token`) do not. */
export function holdsSecret(name: string, value = ''): boolean {
  const plain = name.toLowerCase().replace(/[^a-z0-9]/g, '');
  return SECRET.test(plain) || (PERHAPS.test(plain) && value.length >= LONG);
}

/** An address as it may be shown and stored: without user name, password, and parameters that hold credentials. A text that is no address is cleaned of what looks like them. */
export function shown(address: string | URL): string {
  if (!URL.canParse(String(address)))
    return String(address)
      .replace(/\/\/[^/\s]*@/g, '//')
      .replace(/\?\S*/g, '');
  const url = new URL(address);
  url.username = '';
  url.password = '';
  const secrets = [...url.searchParams].filter(([name, value]) => holdsSecret(name, value)).map(([name]) => name);
  for (const name of secrets) url.searchParams.delete(name);
  return url.href;
}

/** The same structure with the values of fields that hold credentials emptied. */
export function withoutSecrets(value: unknown, name = ''): unknown {
  if (Array.isArray(value)) return value.map((item) => withoutSecrets(item, name));
  if (typeof value === 'object' && value !== null)
    return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, withoutSecrets(inner, key)]));
  return holdsSecret(name, String(value)) ? '' : value;
}
