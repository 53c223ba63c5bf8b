/** A snapshot as its name in the store tells. */
export interface SnapshotName {
  collection: string;
  /** When it was made, in milliseconds. */
  created: number;
  name: string;
}

// A snapshot is a collection of the same store. No request can name it: names of collections begin with a letter or a digit.
const PREFIX = '.snapshot.';

/** Whether a collection of a store is a snapshot of another. */
export const isSnapshot = (stored: string): boolean => stored.startsWith(PREFIX);

/** The collection that holds a snapshot. Names of snapshots have no dot. */
export const storedName = ({ collection, created, name }: SnapshotName): string => `${PREFIX}${collection}.${created.toString(36)}.${name}`;

/** What the name of a collection tells of the snapshot that it is; undefined for any other. */
export function readStoredName(stored: string): SnapshotName | undefined {
  const [, collection, created, name] = /^\.snapshot\.(.+)\.([0-9a-z]+)\.([^.]+)$/.exec(stored) ?? [];
  return name === undefined ? undefined : { collection: collection!, created: Number.parseInt(created!, 36), name };
}
