import type { Location } from '../src/schema/items.ts';
import { locationText } from '../src/text/location-text.ts';
import { element } from './element.ts';

/** Writes the location of a passage in a document whose title stands beside it. */
export const placeText = (title: string, location: Location = {}, file_type?: unknown): string =>
  locationText({ ...location, headings: location.headings?.slice(location.headings[0] === title ? 1 : 0) }, file_type);

/** Makes a tag with the collection of a passage, if several were searched. */
export const collectionTag = (name: string | undefined): HTMLElement[] =>
  name === undefined ? [] : [element('span', { class: 'kind' }, name)];
