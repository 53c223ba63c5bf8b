import { KbError } from './errors.ts';
import { spelled } from './validation.ts';

/** Keys of one object, at most. */
const MOST_KEYS = 10_000;

/** How deep lists and objects may lie in each other: far beyond what anything here means. */
const DEEPEST = 64;

/** Names of a path that is too deep which are told. */
const NAMES_TOLD = 2;

/** Throws a KbError for a value that is nested too deep to be walked, or whose objects have more keys than a schema should have to look at. Lists are the schema's to bound. */
export function refuseExcess(value: unknown, path: readonly PropertyKey[] = []): void {
  if (typeof value !== 'object' || value === null) return;
  if (path.length > DEEPEST)
    throw new KbError('usage', `${spelled(path.slice(0, NAMES_TOLD))}: at most ${DEEPEST} levels of lists and objects are expected.`);
  if (Array.isArray(value)) {
    for (const [i, entry] of value.entries()) if (typeof entry === 'object') refuseExcess(entry, [...path, i]);
    return;
  }
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype !== Object.prototype && prototype !== null) return; // bytes and streams that a program hands over
  const entries = Object.entries(value);
  if (entries.length > MOST_KEYS)
    throw new KbError('usage', `${spelled(path) || 'the request'}: at most ${MOST_KEYS} keys are expected, not ${entries.length}.`);
  for (const [name, entry] of entries) if (typeof entry === 'object') refuseExcess(entry, [...path, name]);
}
