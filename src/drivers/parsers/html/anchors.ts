import type { Mark } from '../../../schema/items.ts';
import type { DomElement } from '../dom.ts';
import { headOfPart } from './names.ts';

// A heading with an anchor carries its number between two characters that occur in no text, until its place in the Markdown is known.
const OPEN = '\ufdd3';
const CLOSE = '\ufdd4';
/** The element that an application writes its pages into is no part of any. */
const MOUNT = /^(?:app|root|app-root|react-root|svelte|__\w+)$/;
const TEXT = 3;
const NUMBERED = new RegExp(`${OPEN}(\\d+)${CLOSE} ?`, 'g');

/** Writes the number of its anchor into each heading; gives the anchors by number. */
export function numberHeadings(root: DomElement): string[] {
  const anchors: string[] = [];
  const begun = new Set<DomElement>();
  for (const node of root.querySelectorAll('h1, h2, h3, h4, h5, h6, dt[id]')) {
    const anchor = anchorOf(node, begun);
    for (const sign of node.querySelectorAll('a[href^="#"]')) if (!/[\p{L}\p{N}]/u.test(sign.textContent ?? '')) sign.remove();
    if (anchor) node.prepend(`${OPEN}${anchors.push(anchor) - 1}${CLOSE}`);
    for (let around = node.parentElement; around && !begun.has(around); around = around.parentElement) begun.add(around);
  }
  return anchors;
}

/** The id of the heading, of an anchor in it, of the section that it begins, or of an anchor directly before it. `begun`: what had a heading before. */
function anchorOf(node: DomElement, begun: ReadonlySet<DomElement>): string | undefined {
  const inner = node.querySelector('a[id], a[name], span[id]');
  return node.id || anchorIn(inner) || idOfSection(node, begun) || anchorIn(placeBefore(node)) || undefined;
}

const anchorIn = (place: DomElement | undefined | null): string => place?.id || place?.getAttribute('name') || '';

/** A section is that of the first heading in it, also behind a sign; another part is that of the heading it begins with. */
function idOfSection(node: DomElement, begun: ReadonlySet<DomElement>): string {
  const section = node.parentElement;
  if (!section || !/^(?:SECTION|DIV)$/.test(section.nodeName) || MOUNT.test(section.id) || begun.has(section)) return '';
  return section.nodeName === 'SECTION' || headOfPart(section) === node ? section.id : '';
}

/** An empty anchor before a heading, as pages have them from the time before each element could have an id. */
function placeBefore(node: DomElement): DomElement | undefined {
  let before = node.previousSibling;
  if (before?.nodeType === TEXT && (before.textContent ?? '').trim() === '') before = before.previousSibling;
  return before?.nodeName === 'A' && (before.textContent ?? '').trim() === '' ? (before as DomElement) : undefined;
}

/** The Markdown without those numbers, and a mark where each stood. */
export function marksIn(converted: string, anchors: readonly string[]): { text: string; marks: Mark[] } {
  const marks: Mark[] = [];
  const pieces: string[] = [];
  let [from, length, line] = [0, 0, 0];
  for (const { 0: found, 1: number, index } of converted.matchAll(NUMBERED)) {
    const piece = converted.slice(from, index);
    pieces.push(piece);
    from = index + found.length;
    if (piece.includes('\n')) line = length + piece.lastIndexOf('\n') + 1;
    length += piece.length;
    marks.push({ at: line, anchor: anchors[Number(number)]! });
  }
  return { text: [...pieces, converted.slice(from)].join(''), marks };
}
