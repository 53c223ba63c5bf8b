/** Maximum cookies of an origin, and characters of one, as browsers accept. */
const MAX_COOKIES = 180;
const MAX_LENGTH = 4096;

interface Cookie {
  value: string;
  path: string;
}

/** The cookies that origins set during one run. Each goes back to the origin that set it, and to no other. */
export class CookieJar {
  readonly #origins = new Map<string, Map<string, Cookie>>();

  /** Keeps the cookies of a response (`Set-Cookie`, RFC 6265), and drops those that have expired. Returns whether any is new or changed. */
  keep(url: URL, header: string | string[] | undefined): boolean {
    const kept = this.#origins.get(url.origin) ?? new Map<string, Cookie>();
    this.#origins.set(url.origin, kept);
    let hasChanged = false;
    for (const line of [header ?? []].flat()) {
      const [pair = '', ...attributes] = line.split(';').map((text) => text.trim());
      const [, name, value] = /^([^=]+)=(.*)$/.exec(pair) ?? [];
      if (name === undefined || value === undefined || line.length > MAX_LENGTH || !isSendable(pair)) continue;
      const path = attributeOf(attributes, 'path');
      if (hasExpired(attributes)) kept.delete(name);
      else if (kept.has(name) || kept.size < MAX_COOKIES) {
        hasChanged ||= kept.get(name)?.value !== value;
        kept.set(name, { value, path: path?.startsWith('/') ? path : '/' });
      }
    }
    return hasChanged;
  }

  /** Makes the header `Cookie` for an address: the configured cookies, if any, and those that its origin has set, which win. */
  header({ origin, pathname }: URL, configured: string | undefined): string | undefined {
    const pairs = new Map<string, string>();
    for (const pair of configured?.split(/;\s*/).filter(Boolean) ?? []) pairs.set(pair.split('=')[0]!, pair);
    for (const [name, { value, path }] of this.#origins.get(origin) ?? [])
      if (`${pathname}/`.startsWith(path.endsWith('/') ? path : `${path}/`)) pairs.set(name, `${name}=${value}`);
    return pairs.size === 0 ? undefined : [...pairs.values()].join('; ');
  }
}

const attributeOf = (attributes: readonly string[], wanted: string): string | undefined =>
  attributes.find((attribute) => attribute.toLowerCase().startsWith(`${wanted}=`))?.slice(wanted.length + 1);

function hasExpired(attributes: readonly string[]): boolean {
  const age = attributeOf(attributes, 'max-age');
  if (age !== undefined && /^-?\d+$/.test(age)) return Number(age) <= 0;
  const expires = Date.parse(attributeOf(attributes, 'expires') ?? '');
  return expires <= Date.now();
}

/** Whether a name and value can stand in a header. */
const isSendable = (pair: string): boolean => /^[\x20-\x7e\x80-\xff]*$/.test(pair);
