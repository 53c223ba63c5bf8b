import { type DomElement, type DomNode, isElement, isTextNode, parseHtml } from './dom.ts';
import { decodeText } from '../bytes.ts';
import { isInline } from './link-density.ts';

/** The texts of an element, with spaces where elements meet that are not part of a line. */
export function shownText(root: DomElement): string {
  const texts: string[] = [];
  const visit = (node: DomNode): void => {
    if (isTextNode(node)) texts.push(node.textContent ?? '');
    if (!isElement(node)) return;
    const border = isInline(node) ? '' : ' ';
    texts.push(border);
    for (const child of node.childNodes) visit(child);
    texts.push(border);
  };
  visit(root);
  return texts.join('');
}

/** Elements that a browser does not show, or whose text is no text of the page. */
const UNSEEN =
  'script, style, noscript, template:not([shadowrootmode]), svg, iframe, object, embed, canvas, title, select, textarea, datalist, dialog, input, button, audio, video, progress, slot, annotation, td.linenos';
const HIDDEN = '[hidden], [style*="display:none"], [style*="display: none"], [style*="visibility:hidden"], [style*="visibility: hidden"]';

/** Extracts the text that a browser shows of a page. */
export async function visibleText(bytes: Uint8Array): Promise<string> {
  const { body } = await parseHtml(await decodeText(bytes));
  for (const element of body.querySelectorAll(`${UNSEEN}, ${HIDDEN}`)) element.remove();
  return shownText(body);
}
