import { KbError } from '../core/errors.ts';
import { didYouMean } from '../core/nearest.ts';

interface Known {
  /** What it is a name of: `collection`. */
  kind: string;
  names: readonly string[];
  /** The command that lists them. */
  listed: string;
}

/** Throws a KbError (`not_found`) for a name of nothing, before a person is asked whether to change or remove what it names. */
export function assertKnown(name: string, { kind, names, listed }: Known): void {
  if (names.includes(name)) return;
  throw new KbError('not_found', `There is no ${kind} «${name}».`, { hint: didYouMean(name, names) ?? `«${listed}» lists them all.` });
}
