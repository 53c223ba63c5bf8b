import type { Location, PassageBox } from '../src/schema/items.ts';
import { locationText } from '../src/text/passage-location.ts';
import { element } from './element.ts';

/** Writes the location of a passage in a document whose title stands beside it. */
export const placeText = (title: string, location: Location = {}, file_type?: unknown): string =>
  locationText({ ...location, headings: location.headings?.slice(location.headings[0] === title ? 1 : 0) }, file_type);

/** Makes a tag with the collection of a passage, if several were searched. */
export const collectionTag = (name: string | undefined): HTMLElement[] =>
  name === undefined ? [] : [element('span', { class: 'kind' }, name)];

const SVG = 'http://www.w3.org/2000/svg';
/** Height of a drawn page in units of its own, and the width of one whose proportions are not known: a sheet of A4. */
const HEIGHT = 100;
const USUAL_RATIO = 210 / 297;

/** Small drawings of the pages that a passage stands on, with its place on each; none where that is not known. */
export const pageSketches = ({ boxes = [], page_ratio = USUAL_RATIO }: Location): SVGElement[] =>
  [...Map.groupBy(boxes, ({ page }) => page)].map(([page, own]) => sketch(page, own, HEIGHT * page_ratio));

function sketch(page: number, boxes: readonly PassageBox[], width: number): SVGElement {
  const title = shape('title');
  title.textContent = `page ${page}`;
  const marks = boxes.map((box) =>
    shape('rect', { class: 'mark', x: width * box.left, y: HEIGHT * box.top, width: width * box.width, height: HEIGHT * box.height }),
  );
  return shape(
    'svg',
    { class: 'sketch', role: 'img', viewBox: `0 0 ${width} ${HEIGHT}` },
    title,
    shape('rect', { width, height: HEIGHT }),
    ...marks,
  );
}

function shape(name: string, attributes: Record<string, string | number> = {}, ...children: Element[]): SVGElement {
  const made = document.createElementNS(SVG, name) as SVGElement;
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, String(value));
  made.append(...children);
  return made;
}
