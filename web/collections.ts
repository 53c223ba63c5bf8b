import type { CollectionSummary } from '../src/schema/collection-requests.ts';
import { fetchCollections } from './library.ts';

const CHOSEN_KEY = 'kb-collection';
/** The name that kb gives a collection where none is given. */
const USUAL = 'default';

let known: readonly CollectionSummary[] = [];
let chosen: string | undefined;

/** Dispatches `change` when there are others, or another is chosen. */
export const collectionChanges = new EventTarget();

const tell = (): void => void collectionChanges.dispatchEvent(new CustomEvent('change'));

/** The collection that is asked, searched and added to; undefined where nothing is stored yet: the server then takes the configured one. */
export const currentCollection = (): CollectionSummary | undefined => known.find(({ name }) => name === chosen);

export const knownCollections = (): readonly CollectionSummary[] => known;

/** Asks the server again which collections there are. The choice stays where it is still there. */
export async function refreshCollections(): Promise<void> {
  known = (await fetchCollections()).collections;
  const names = new Set(known.map(({ name }) => name));
  const largest = known.toSorted((one, other) => other.chunks - one.chunks)[0]?.name;
  chosen = [chosen, localStorage.getItem(CHOSEN_KEY) ?? undefined, USUAL].find((name) => name !== undefined && names.has(name)) ?? largest;
  tell();
}

export function chooseCollection(name: string): void {
  chosen = name;
  localStorage.setItem(CHOSEN_KEY, name);
  tell();
}
