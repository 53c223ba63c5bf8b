/** Things that are open at once, at most: requests choose the names of models and stores, and could name new ones for ever. */
const MOST = 64;

interface Closable {
  close?(): Promise<void>;
}

/** Keeps what was opened for whoever asks for the same again. */
export interface Shelf {
  /** What was opened under that key, or what `open` opens now. A failed opening is tried again when it is asked for again. */
  get<T extends object>(key: readonly unknown[], open: () => Promise<T>): Promise<T>;
  /** Closes everything. */
  clear(): Promise<void>;
}

/**
 * An empty shelf. When it is full, what nobody has asked for longest is let go; it is not closed then, as a run may be working with it, but when the
 * shelf is cleared, where somebody still holds it, or else by the garbage collector.
 */
export function createShelf(most = MOST): Shelf {
  const opened = new Map<string, Promise<Closable>>();
  const letGo = new Set<WeakRef<Closable>>();
  const drop = (): void => {
    const [oldest] = opened;
    opened.delete(oldest![0]);
    void oldest![1].then(
      (thing) => letGo.add(new WeakRef(thing)),
      () => {},
    );
    for (const reference of letGo) if (!reference.deref()) letGo.delete(reference);
  };
  return {
    get(key, open) {
      const name = JSON.stringify(key);
      const known = opened.get(name);
      opened.delete(name); // and behind all others again: the first is the one that nobody has asked for longest
      const opening = known ?? open();
      opened.set(name, opening);
      if (!known) opening.catch(() => opened.get(name) === opening && opened.delete(name));
      if (opened.size > most) drop();
      return opening as Promise<never>;
    },
    async clear() {
      const all = await Promise.allSettled(opened.values());
      opened.clear();
      const things = [...all.map((one) => (one.status === 'fulfilled' ? one.value : undefined)), ...[...letGo].map((one) => one.deref())];
      letGo.clear();
      await Promise.allSettled(things.map((thing) => thing?.close?.()));
    },
  };
}
