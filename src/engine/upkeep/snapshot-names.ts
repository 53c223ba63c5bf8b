/** A snapshot, as encoded in its name. */
export interface SnapshotName {
  collection: string;
  /** Creation time, in milliseconds. */
  created: number;
  name: string;
}

// A snapshot is a collection of the same store. No request can name it: names of collections begin with a letter or a digit.
const PREFIX = '.snapshot.';

/** Whether a collection is a snapshot. */
export const isSnapshot = (stored: string): boolean => stored.startsWith(PREFIX);

/** The name of the collection that stores a snapshot. Snapshot names have no dot. */
export const storedName = ({ collection, created, name }: SnapshotName): string => `${PREFIX}${collection}.${created.toString(36)}.${name}`;

/** Parses the name of a snapshot's collection; undefined for other collections. */
export function readStoredName(stored: string): SnapshotName | undefined {
  const [, collection, created, name] = /^\.snapshot\.(.+)\.([0-9a-z]+)\.([^.]+)$/.exec(stored) ?? [];
  return name === undefined ? undefined : { collection: collection!, created: Number.parseInt(created!, 36), name };
}
