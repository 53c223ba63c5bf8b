/** An element is `{ name: children, ':@': attributes }`, a text `{ '#text': … }`, in the order of the document (fast-xml-parser's `preserveOrder`). */
export type XmlNode = Record<string, unknown>;

export const ATTRIBUTES = ':@';
const TEXT = '#text';

export const nameOf = (node: XmlNode): string => Object.keys(node).find((key) => key !== ATTRIBUTES)!;
export const childrenOf = (node: XmlNode): XmlNode[] => node[nameOf(node)] as XmlNode[];
export const elementsOf = (nodes: readonly XmlNode[]): XmlNode[] => nodes.filter((node) => !(TEXT in node));

/** Elements that follow each other with nothing between them are words of their own. */
export const textOf = (nodes: readonly XmlNode[]): string =>
  nodes
    .map((node, i) => {
      if (TEXT in node) return String(node[TEXT]);
      const before = nodes[i - 1];
      return (before && !(TEXT in before) ? ' ' : '') + textOf(childrenOf(node));
    })
    .join('');

/** Text between the elements: it is prose, which its markup must not cut up. */
export const isMixed = (nodes: readonly XmlNode[]): boolean => nodes.some((node) => TEXT in node && String(node[TEXT]).trim() !== '');
