import type { CollectionsResult, CollectionSummary } from '../src/schema/collection-operations.ts';
import { fetchCollections } from './api.ts';

const CHOSEN_KEY = 'kb-collection';
/** The choice of all collections at once; no collection can have this name. */
export const ALL = '*';
/** Maximum collections that the server searches at once. */
const MAX_SEARCHED = 20;

let known: CollectionsResult['collections'] = [];
let chosen: string | undefined;
let isAll = false;

/** Dispatches `change` when the list of collections or the choice changes. */
export const collectionChanges = new EventTarget();

const notifyChange = (): void => void collectionChanges.dispatchEvent(new CustomEvent('change'));

/** The collection for browsing and uploads; undefined if nothing is stored yet: the server then uses the configured one. */
export const currentCollection = (): CollectionSummary | undefined => known.find(({ name }) => name === chosen);

/** Lists the collections as of the last refresh. */
export const knownCollections = (): readonly CollectionSummary[] => known;

/** Whether all collections can be searched at once: their scores are comparable only if they share one embedding model. */
export function canSearchAll(): boolean {
  const models = new Set(known.map(({ embedding, dimensions }) => [embedding.provider, embedding.model, dimensions].join()));
  return known.length > 1 && known.length <= MAX_SEARCHED && models.size === 1;
}

/** Names what a search covers: the current collection, or all of them. */
export const collectionsToSearch = (): string | string[] | undefined => (isAll ? known.map(({ name }) => name) : currentCollection()?.name);

/** Whether all collections are chosen. */
export const isAllChosen = (): boolean => isAll;

/** Reads the list of collections again. Keeps the choice if it still exists. */
export async function refreshCollections(): Promise<void> {
  known = (await fetchCollections()).collections;
  const names = new Set(known.map(({ name }) => name));
  const largest = known.toSorted((one, other) => other.chunks - one.chunks)[0]?.name;
  const configured = known.find((collection) => collection.configured)?.name ?? largest;
  const kept = localStorage.getItem(CHOSEN_KEY) ?? undefined;
  chosen = [chosen, kept].find((name) => name !== undefined && names.has(name)) ?? configured;
  isAll = kept === ALL && canSearchAll();
  notifyChange();
}

/** Chooses a collection by its name, or all of them (ALL). With ALL, browsing and uploads stay with the collection chosen before. */
export function chooseCollection(name: string): void {
  isAll = name === ALL;
  if (!isAll) chosen = name;
  localStorage.setItem(CHOSEN_KEY, name);
  notifyChange();
}
