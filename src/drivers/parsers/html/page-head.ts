import { givenProperties } from '../parsed-document.ts';
import type { DomDocument, DomElement } from './dom.ts';
import { oneLine } from '../../../text/markdown/write.ts';
import type { Metadata } from '../../../schema/items.ts';
import { readDate } from '../../../text/dates.ts';

/** JSON-LD of an article (schema.org). */
interface LinkedData {
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
function linkedDataOf(elements: readonly DomElement[]): LinkedData {
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

function nameOf(value: unknown): string | undefined {
  const names = [value].flat().flatMap((item) => text(isNode(item) ? item.name : item) ?? []);
  return names.length === 0 ? undefined : names.slice(0, 10).join(', ');
}

interface Head {
  title: string;
  /** Author, created, modified, description and lang, as far as they are given. */
  metadata: Metadata;
  /** The program that made it. */
  generator: string;
}

/** Names under which sites give the same thing: Open Graph, Dublin Core, Highwire, schema.org and plain HTML. */
const CREATED = [
  'article:published_time',
  'datepublished',
  'date',
  'dcterms.created',
  'dc.date',
  'dc.date.issued',
  'citation_publication_date',
  'pubdate',
];
const MODIFIED = ['article:modified_time', 'datemodified', 'og:updated_time', 'dcterms.modified', 'last-modified'];
const AUTHOR = ['author', 'article:author', 'dc.creator', 'dcterms.creator', 'citation_author'];
const LONGEST_NAME = 200;
/** What stands around the text is by others, or by who made the site. */
const ELSEWHERE = 'aside, nav, footer';
const SIGN = '[rel~=author], [itemprop~=author]';
/** After so many that say nothing, there is none. */
const MOST_SIGNS = 100;
/** Selects what readers write about a page: comments, reviews, answers. */
const ANSWERS =
  '[itemprop=comment], [itemprop=review], [itemprop=suggestedAnswer], [itemprop=acceptedAnswer], #comments, .comments, .comment';

/** `elements` are those of the page that may say something: meta, time and script, and what names an author. */
export function headOf(document: DomDocument, elements: readonly DomElement[]): Head {
  const named = metaOf(elements);
  const meta = (...names: string[]) => names.map((name) => named.get(name)).find(Boolean);
  const date = (...names: string[]) => names.map((name) => readDate(named.get(name) ?? '')).find(Boolean);
  const data = linkedDataOf(elements);
  const times = elements.filter(({ nodeName }) => nodeName === 'TIME');
  const known = {
    author: AUTHOR.map((name) => named.get(name)).find(isName) ?? data.author ?? signedBy(document, elements),
    created: date(...CREATED) ?? readDate(data.created ?? '') ?? timeOf(times, /datePublished|published|pubdate|entry-date/i),
    modified: date(...MODIFIED) ?? readDate(data.modified ?? '') ?? timeOf(times, /dateModified|updated|modified/i),
    description: meta('description', 'og:description', 'dc.description'),
    lang: langOf(document, meta, data),
  };
  return {
    title: titleOf(document) || meta('og:title', 'dc.title') || '',
    metadata: givenProperties(known),
    generator: meta('generator') ?? '',
  };
}

/** The first content of each name, in lower case; several names may share one, with spaces between them. */
function metaOf(elements: readonly DomElement[]): Map<string, string> {
  const named = new Map<string, string>();
  for (const element of elements) {
    if (element.nodeName !== 'META') continue;
    const content = oneLine(element.getAttribute('content') ?? '');
    const names = ['name', 'property', 'itemprop', 'http-equiv'].map((attribute) => element.getAttribute(attribute) ?? '').join(' ');
    for (const name of names.toLowerCase().split(/\s+/)) if (content !== '' && name !== '' && !named.has(name)) named.set(name, content);
  }
  return named;
}

const titleOf = (document: DomDocument): string =>
  oneLine([...document.querySelectorAll('title')].find((title) => !title.closest('svg'))?.textContent ?? '');

/** Facebook wants the address of a profile where others want a name. */
const isName = (value: string | undefined): value is string =>
  value !== undefined && value.length <= LONGEST_NAME && !/^https?:/i.test(value);

/** The author that a page marks (HTML 4.6.7.2, schema.org), in its article if it has one. Comments and teasers have others; two names give none. */
function signedBy(document: DomDocument, elements: readonly DomElement[]): string | undefined {
  const [article, ...others] = document.querySelectorAll('article');
  const isOwn = (sign: DomElement): boolean =>
    (!article || others.length > 0 || article.contains(sign)) && sign.closest(ANSWERS) === null && !isElsewhere(sign);
  const names = new Set<string>();
  for (const sign of elements.filter(isSign).slice(0, MOST_SIGNS)) {
    if (!isOwn(sign) || sign.parentElement?.closest(SIGN)) continue;
    const named = sign.querySelector('[itemprop=name]');
    const name = oneLine(named?.getAttribute('content') ?? (named ?? sign).textContent ?? '').replace(/^by\s+/i, '');
    if (name !== '' && isName(name)) names.add(name);
  }
  return names.size === 1 ? [...names][0] : undefined;
}

/** The end of an article is still its own. */
function isElsewhere(sign: DomElement): boolean {
  const around = sign.closest(ELSEWHERE);
  return around !== null && !(around.nodeName === 'FOOTER' && around.closest('article') !== null);
}

const isSign = (element: DomElement): boolean =>
  element.nodeName !== 'META' &&
  element.nodeName !== 'LINK' &&
  ['rel', 'itemprop'].some((attribute) => words(element.getAttribute(attribute)).includes('author'));

const words = (value: string | null): string[] => (value ?? '').toLowerCase().split(/\s+/);

/** What a `time` element says that is marked so, or stands in an element that is. */
function timeOf(times: readonly DomElement[], mark: RegExp): string | undefined {
  const says = (element: DomElement | null) =>
    mark.test(
      `${element?.getAttribute('itemprop')} ${element?.getAttribute('class')} ${element?.hasAttribute('pubdate') ? 'pubdate' : ''}`,
    );
  const found = times.find((time) => says(time) || says(time.parentElement));
  return readDate(found?.getAttribute('datetime') ?? found?.textContent ?? '');
}

function langOf(document: DomDocument, meta: (...names: string[]) => string | undefined, data: LinkedData): string | undefined {
  const root = document.documentElement;
  const given = root.getAttribute('lang')?.trim() || root.getAttribute('xml:lang')?.trim();
  return given || meta('language', 'content-language', 'dc.language') || meta('og:locale')?.replace('_', '-') || data.lang;
}
