const results = new WeakMap<object, object>();

/** Notes what had come of work by the time this error ended it: a whole result of the operation, as far as that got. Hands the error back, to be thrown. */
export function noteUnfinished<E>(error: E, result: object): E {
  if (typeof error === 'object' && error !== null) results.set(error, result);
  return error;
}

/** What was noted with the error; undefined where nothing was. */
export const unfinishedOf = (error: unknown): object | undefined =>
  typeof error === 'object' && error !== null ? results.get(error) : undefined;
