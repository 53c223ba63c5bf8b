/**
 * A stream that its reader can leave while it waits for the next item. A plain async generator can't be: its `return()` stands behind the
 * `next()` that is pending, for as long as nothing happens. This one aborts the signal first, by which `make` ends what it waits for.
 */
export function leavable<Item>(make: (signal: AbortSignal) => AsyncGenerator<Item, void, void>): AsyncGenerator<Item, void, void> {
  const left = new AbortController();
  const inner = make(left.signal);
  const leave = async (): Promise<IteratorResult<Item, void>> => {
    left.abort();
    return await inner.return();
  };
  const stream: AsyncGenerator<Item, void, void> = {
    next: () => inner.next(),
    return: leave,
    throw: async (error) => {
      await leave();
      throw error;
    },
    [Symbol.asyncIterator]: () => stream,
    [Symbol.asyncDispose]: async () => void (await leave()),
  };
  return stream;
}
