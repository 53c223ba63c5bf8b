import type { DomElement, DomNode } from '../dom.ts';
import { escapeLine, escapeTags } from '../markdown-text.ts';

const TEXT = 3;
const ELEMENT = 1;
const BLOCK =
  /^(?:ADDRESS|ARTICLE|ASIDE|BLOCKQUOTE|BODY|BR|CENTER|DD|DETAILS|DIV|DL|DT|FIELDSET|FIGCAPTION|FIGURE|FOOTER|FORM|HEADER|HR|LI|MAIN|NAV|OL|P|SECTION|SUMMARY|TABLE|TD|TH|TR|UL)$/;
const HEADING = /^H[1-6]$/;
const CODE = /^(?:CODE|PRE)$/;
/** Characters that occur in no text (Unicode, 23.7: noncharacters): the conversion to Markdown marks places with them. */
const RESERVED = /[\ufdd0-\ufdef]/g;

/** Makes every text of an element Markdown that shows the same. What is markup only at the start of a line is escaped only there. */
export function escapeText(root: DomElement): void {
  root.normalize();
  let isStart = true;
  const visit = (node: DomNode): void => {
    if (node.nodeType === TEXT) {
      const text = (node.textContent ?? '').replace(RESERVED, '');
      node.textContent = isStart ? escapeLine(text) : escapeTags(text);
      isStart &&= text.trim() === '';
    } else if (node.nodeType === ELEMENT) {
      const { nodeName, childNodes } = node as DomElement;
      const isBlock = BLOCK.test(nodeName);
      isStart = (isStart || isBlock) && !HEADING.test(nodeName) && !CODE.test(nodeName);
      if (!CODE.test(nodeName)) for (const child of childNodes) visit(child);
      isStart ||= isBlock || HEADING.test(nodeName) || nodeName === 'PRE';
    }
  };
  visit(root);
}
