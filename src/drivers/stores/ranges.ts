import { KbError } from '../../base/errors.ts';

/** The bounds of a range in a filter, at least one of them. */
export interface Range {
  gt?: string | number | undefined;
  gte?: string | number | undefined;
  lt?: string | number | undefined;
  lte?: string | number | undefined;
}

/** Whether the bounds of the range are numbers or texts. Throws a KbError (`usage`) for bounds that make no range together. */
export function kindOfRange(key: string, range: Range): 'number' | 'string' {
  const given = Object.values(range).filter((bound) => bound !== undefined);
  const [kind, ...others] = new Set(given.map((bound) => typeof bound as 'number' | 'string'));
  if (kind && others.length === 0 && given.length <= 2) return kind;
  throw new KbError('usage', `The range of «${key}» in the filter has bounds that don't belong together.`, {
    hint: 'Give one lower and one upper bound, both numbers or both texts.',
  });
}
