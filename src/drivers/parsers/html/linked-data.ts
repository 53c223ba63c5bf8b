import type { DomElement } from '../dom.ts';
import { oneLine } from '../markdown-text.ts';

/** What JSON-LD says about an article (schema.org). */
export interface LinkedData {
  author?: string | undefined;
  created?: string | undefined;
  modified?: string | undefined;
  lang?: string | undefined;
}

/** More is a catalogue and not the description of a page. */
const LONGEST = 200_000;
const DESCRIBED = /Article|Posting|WebPage|Report|Recipe|Review|Book|Course|HowTo|APIReference|Event/;

type Node = Record<string, unknown>;

/** The first node of the page's JSON-LD that dates or signs a page; what cannot be read is passed over. */
export function linkedDataOf(elements: readonly DomElement[]): LinkedData {
  const nodes = elements.filter(({ nodeName }) => nodeName === 'SCRIPT').flatMap(({ textContent }) => nodesIn(textContent ?? ''));
  const described = nodes.filter((node) => DESCRIBED.test([node['@type']].flat().join(' ')));
  const first = (name: string): unknown => described.map((node) => node[name]).find((value) => value !== undefined && value !== '');
  return {
    author: nameOf(first('author')),
    created: text(first('datePublished')),
    modified: text(first('dateModified')),
    lang: text(first('inLanguage')),
  };
}

function nodesIn(json: string): Node[] {
  if (json.length > LONGEST) return [];
  try {
    const parsed: unknown = JSON.parse(json);
    return [parsed].flat().flatMap((node) => (isNode(node) ? [node, ...[node['@graph'] ?? []].flat().filter(isNode)] : []));
  } catch {
    return [];
  }
}

const isNode = (value: unknown): value is Node => typeof value === 'object' && value !== null;

const text = (value: unknown): string | undefined => (typeof value === 'string' && value.trim() !== '' ? oneLine(value) : undefined);

/** A name, a person, or a list of either. */
function nameOf(value: unknown): string | undefined {
  const names = [value].flat().flatMap((item) => text(isNode(item) ? item.name : item) ?? []);
  return names.length === 0 ? undefined : names.slice(0, 10).join(', ');
}
