import type { CollectionsResult, CollectionSummary } from '../src/schema/collection-requests.ts';
import { fetchCollections } from './library.ts';

const CHOSEN_KEY = 'kb-collection';
/** Chosen where all collections are asked at once: no collection has this name. */
export const ALL = '*';
/** Collections that the server asks at once, at most. */
const MOST_AT_ONCE = 20;

let known: CollectionsResult['collections'] = [];
let chosen: string | undefined;
let isAll = false;

/** Dispatches `change` when there are others, or another is chosen. */
export const collectionChanges = new EventTarget();

const tell = (): void => void collectionChanges.dispatchEvent(new CustomEvent('change'));

/** The collection that is browsed and added to; undefined where nothing is stored yet: the server then takes the configured one. */
export const currentCollection = (): CollectionSummary | undefined => known.find(({ name }) => name === chosen);

export const knownCollections = (): readonly CollectionSummary[] => known;

/** Whether all collections can be asked at once: their scores must come from one model. */
export function canAskAll(): boolean {
  const models = new Set(known.map(({ embedding, dimensions }) => [embedding.provider, embedding.model, dimensions].join()));
  return known.length > 1 && known.length <= MOST_AT_ONCE && models.size === 1;
}

/** What is asked and searched: the name of the current collection, or those of all. */
export const askedCollections = (): string | string[] | undefined => (isAll ? known.map(({ name }) => name) : currentCollection()?.name);

/** Whether all collections are asked at once. */
export const asksAll = (): boolean => isAll;

/** Asks the server again which collections there are. The choice stays where it is still there. */
export async function refreshCollections(): Promise<void> {
  known = (await fetchCollections()).collections;
  const names = new Set(known.map(({ name }) => name));
  const largest = known.toSorted((one, other) => other.chunks - one.chunks)[0]?.name;
  const configured = known.find((collection) => collection.configured)?.name ?? largest;
  const kept = localStorage.getItem(CHOSEN_KEY) ?? undefined;
  chosen = [chosen, kept].find((name) => name !== undefined && names.has(name)) ?? configured;
  isAll = kept === ALL && canAskAll();
  tell();
}

/** Chooses a collection by its name, or all of them: then the current one stays the one that is browsed and added to. */
export function chooseCollection(name: string): void {
  isAll = name === ALL;
  if (!isAll) chosen = name;
  localStorage.setItem(CHOSEN_KEY, name);
  tell();
}
