import { type DomElement, type DomNode, isElement, isTextNode } from './dom.ts';

const INLINE_NAME =
  /^(?:A|ABBR|B|BDI|BDO|BIG|CITE|CODE|DATA|DEL|DFN|EM|FONT|I|INS|KBD|LABEL|MARK|Q|S|SAMP|SMALL|SPAN|STRIKE|STRONG|SUB|SUP|TIME|TT|U|VAR|WBR)$/;

/** Whether an element stands in a line of text. */
export const isInline = ({ nodeName }: DomNode): boolean => INLINE_NAME.test(nodeName);

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

/** A paragraph: less is a label, a teaser or an entry of a menu. */
const PARAGRAPH = 60;
/** Minimum share of linked letters in a list of links. */
const LINKED = 0.5;

/** Scripts that write a syllable or a word with one letter. */
const DENSE = /[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]/g;
/** Letters of English that say as much as one of theirs, about. */
const DENSITY = 3;

/** Counts the letters of an element: runs of white space once, letters of dense scripts several times. */
export function lettersOf(element: { textContent: string | null } | undefined): number {
  return weightOf((element?.textContent ?? '').replace(/\s+/g, ' '));
}

const weightOf = (text: string): number => text.length + (DENSITY - 1) * (text.match(DENSE)?.length ?? 0);

/** Counts the letters of running text and code: paragraphs of some length that are not made of links, in whatever elements. */
export function proseOf(root: DomElement): number {
  let total = 0;
  let [letters, linked] = [0, 0];
  const flush = () => {
    if (letters >= PARAGRAPH && linked < letters * LINKED) total += letters;
    [letters, linked] = [0, 0];
  };
  const visit = (node: DomNode, inLink: boolean): void => {
    if (isTextNode(node)) {
      const length = weightOf((node.textContent ?? '').trim());
      letters += length;
      if (inLink) linked += length;
    } else if (isElement(node)) {
      const isBlock = !isInline(node);
      if (isBlock) flush();
      for (let child = node.firstChild; child; child = child.nextSibling) visit(child, inLink || node.nodeName === 'A');
      if (isBlock) flush();
    }
  };
  visit(root, false);
  flush();
  return total;
}

/** How many letters an element has. */
export interface Measure {
  letters: number;
  /** Letters in links. */
  linked: number;
}

/** Elements whose content is not shown. */
const SILENT = /^(?:SCRIPT|STYLE|TEMPLATE)$/;

/** Measures an element and all elements in it in one walk: asking each for its text takes time with their number times their depth. */
export function measuresOf(root: DomElement): (element: DomElement) => Measure {
  const known = new Map<DomElement, Measure>();
  const visit = (element: DomElement, inLink: boolean): Measure => {
    const measure = { letters: 0, linked: 0 };
    for (let child: DomNode | null = element.firstChild; child; child = child.nextSibling) {
      const { letters, linked } = measureOf(child, inLink);
      measure.letters += letters;
      measure.linked += linked;
    }
    known.set(element, measure);
    return measure;
  };
  const measureOf = (node: DomNode, inLink: boolean): Measure => {
    if (SILENT.test(node.nodeName)) return { letters: 0, linked: 0 };
    if (isElement(node)) return visit(node, inLink || isLink(node));
    const letters = isTextNode(node) ? lettersOf(node) : 0;
    return { letters, linked: inLink ? letters : 0 };
  };
  visit(root, false);
  return (element) => known.get(element) ?? { letters: 0, linked: 0 };
}

/** Sums up the letters of an element and of all elements in it: about what it costs to ask each of them for its text. */
export function lettersAtAll(root: DomElement): number {
  const measured = measuresOf(root);
  let sum = measured(root).letters;
  for (const element of root.querySelectorAll('*')) sum += measured(element).letters;
  return sum;
}

const isLink = (element: DomElement): boolean => element.nodeName === 'A' && element.hasAttribute('href');
