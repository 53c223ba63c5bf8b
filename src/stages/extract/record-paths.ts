/** An object of JSON. */
export type Fields = Record<string, unknown>;

export const isFields = (value: unknown): value is Fields => typeof value === 'object' && value !== null && !Array.isArray(value);

/** The keys that a dotted path names, one after another, in a value that has them; undefined where it leads nowhere. A key may hold dots itself (`@odata.nextLink`): the longest that is there is meant. */
function keysAt(value: unknown, path: string): string[] | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  for (let end = path.length; end > 0; end = path.lastIndexOf('.', end - 1)) {
    const key = path.slice(0, end);
    if (!Object.hasOwn(value, key)) continue;
    const further = end === path.length ? [] : keysAt((value as Fields)[key], path.slice(end + 1));
    if (further) return [key, ...further];
  }
  return undefined;
}

/** The value at a dotted path (`data.items`, `pages.0.rows`); undefined where the path leads nowhere. */
export const valueAt = (value: unknown, path: string): unknown =>
  keysAt(value, path)?.reduce<unknown>((at, key) => (at as Fields)[key], value);

/** A record without the field at a dotted path. */
export const without = (record: Fields, path: string): Fields => withoutField(record, keysAt(record, path) ?? []);

function withoutField(record: Fields, [first, ...rest]: readonly string[]): Fields {
  return Object.fromEntries(
    Object.entries(record).flatMap(([name, value]) => {
      if (name !== first) return [[name, value]];
      return rest.length > 0 && isFields(value) ? [[name, withoutField(value, rest)]] : [];
    }),
  );
}
