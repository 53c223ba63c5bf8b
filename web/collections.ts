import type { CollectionsResult, CollectionSummary } from '../src/schema/collection-requests.ts';
import { fetchCollections } from './library.ts';

const CHOSEN_KEY = 'kb-collection';

let known: CollectionsResult['collections'] = [];
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
  const configured = known.find((collection) => collection.configured)?.name ?? largest;
  chosen = [chosen, localStorage.getItem(CHOSEN_KEY) ?? undefined].find((name) => name !== undefined && names.has(name)) ?? configured;
  tell();
}

export function chooseCollection(name: string): void {
  chosen = name;
  localStorage.setItem(CHOSEN_KEY, name);
  tell();
}
