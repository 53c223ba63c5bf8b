import type { Location } from '../src/schema/items.ts';
import { locationText } from '../src/text/location-text.ts';
import { element } from './element.ts';

/** Where a passage stands in a document whose title is shown beside it. */
export const placeText = (title: string, location: Location = {}, file_type?: unknown): string =>
  locationText({ ...location, headings: location.headings?.slice(location.headings[0] === title ? 1 : 0) }, file_type);

/** What collection a passage is from, if several were searched. */
export const collectionTag = (name: string | undefined): HTMLElement[] =>
  name === undefined ? [] : [element('span', { class: 'kind' }, name)];
