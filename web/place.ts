import type { Location, PassageBox } from '../src/schema/items.ts';
import { locationText } from '../src/text/passage-location.ts';
import { element } from './element.ts';

/** Writes the location of a passage, without the title of its document, which is shown beside it. */
export const placeText = (title: string, location: Location = {}, file_type?: unknown): string =>
  locationText({ ...location, headings: location.headings?.slice(location.headings[0] === title ? 1 : 0) }, file_type);

/** Makes a tag with the collection of a passage, if several were searched. */
export const collectionTag = (name: string | undefined): HTMLElement[] =>
  name === undefined ? [] : [element('span', { class: 'kind' }, name)];

const SVG = 'http://www.w3.org/2000/svg';
/** Height of a page sketch in its own units, and the aspect ratio of a page if unknown: A4. */
const HEIGHT = 100;
const DEFAULT_RATIO = 210 / 297;

/** Draws the pages of a passage as sketches with its position; none if that is unknown. */
export const pageSketches = ({ boxes = [], page_ratio = DEFAULT_RATIO }: Location): SVGElement[] =>
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
  const created = document.createElementNS(SVG, name) as SVGElement;
  for (const [key, value] of Object.entries(attributes)) created.setAttribute(key, String(value));
  created.append(...children);
  return created;
}
