import { removeUndefined } from '../parsed-document.ts';
import type { DomDocument, DomElement } from './dom.ts';
import { oneLine } from '../markdown/write.ts';
import type { PageFacts, Metadata } from '../types.ts';
import { readDate } from '../dates.ts';

/** JSON-LD (schema.org) of more characters is a catalogue and not the description of a page. */
const MAX_DATA_LENGTH = 200_000;
const DESCRIBED = /Article|Posting|WebPage|Report|Recipe|Review|Book|Course|HowTo|APIReference|Event/;

type Node = Record<string, unknown>;

/** Reads the author, dates and language in the JSON-LD of a page; passes over what cannot be read. */
function linkedDataOf(elements: readonly DomElement[]) {
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
  if (json.length > MAX_DATA_LENGTH) return [];
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
  /** Author, created, modified, description and lang, if they are given. */
  metadata: Metadata;
}

/** Names of one property in Open Graph, Dublin Core, Highwire, schema.org and plain HTML. */
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
const MAX_NAME_LENGTH = 200;
/** Authors that are named there wrote something else, or made the site. */
const ELSEWHERE = 'aside, nav, footer';
const SIGN = '[rel~=author], [itemprop~=author]';
/** How many elements are searched for an author. */
const MAX_SIGNS = 100;
/** Comments, reviews and answers of readers. */
const ANSWERS =
  '[itemprop=comment], [itemprop=review], [itemprop=suggestedAnswer], [itemprop=acceptedAnswer], #comments, .comments, .comment';

/** Reads the title and metadata of a page; `elements` are its meta, time and script elements, and those that name an author. */
export function headOf(document: DomDocument, elements: readonly DomElement[]): Head {
  const named = metaOf(elements);
  const meta = (...names: string[]) => names.map((name) => named.get(name)).find(Boolean);
  const date = (...names: string[]) => names.map((name) => readDate(named.get(name) ?? '')).find(Boolean);
  const data = linkedDataOf(elements);
  const times = elements.filter(({ nodeName }) => nodeName === 'TIME');
  const known = {
    author: AUTHOR.map((name) => named.get(name)).find(isName) ?? data.author ?? markedAuthor(document, elements),
    created: date(...CREATED) ?? readDate(data.created ?? '') ?? timeOf(times, /datePublished|published|pubdate|entry-date/i),
    modified: date(...MODIFIED) ?? readDate(data.modified ?? '') ?? timeOf(times, /dateModified|updated|modified/i),
    description: meta('description', 'og:description', 'dc.description'),
    lang: langOf(document) || meta('language', 'content-language', 'dc.language') || meta('og:locale')?.replace('_', '-') || data.lang,
  };
  return {
    title: titleOf(document) || meta('og:title', 'dc.title') || '',
    metadata: removeUndefined(known),
  };
}

/** Maps each name in lower case to its first content; an element may have several names with spaces between. */
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

/** Whether a value is a name: Facebook asks for the address of a profile instead. */
const isName = (value: string | undefined): value is string =>
  value !== undefined && value.length <= MAX_NAME_LENGTH && !/^https?:/i.test(value);

/** Finds the author that a page marks (HTML 4.6.7.2, schema.org), in its article if it has one; none if there are two names. */
function markedAuthor(document: DomDocument, elements: readonly DomElement[]): string | undefined {
  const [article, ...others] = document.querySelectorAll('article');
  const isOwn = (sign: DomElement): boolean =>
    (!article || others.length > 0 || article.contains(sign)) && sign.closest(ANSWERS) === null && !isElsewhere(sign);
  const names = new Set<string>();
  for (const sign of elements.filter(isSign).slice(0, MAX_SIGNS)) {
    if (!isOwn(sign) || sign.parentElement?.closest(SIGN)) continue;
    const named = sign.querySelector('[itemprop=name]');
    const name = oneLine(named?.getAttribute('content') ?? (named ?? sign).textContent ?? '').replace(/^by\s+/i, '');
    if (name !== '' && isName(name)) names.add(name);
  }
  return names.size === 1 ? [...names][0] : undefined;
}

/** Whether a mark is outside of the text; the footer of an article is part of it. */
function isElsewhere(sign: DomElement): boolean {
  const around = sign.closest(ELSEWHERE);
  return around !== null && !(around.nodeName === 'FOOTER' && around.closest('article') !== null);
}

const isSign = (element: DomElement): boolean =>
  element.nodeName !== 'META' &&
  element.nodeName !== 'LINK' &&
  ['rel', 'itemprop'].some((attribute) => wordsIn(element, attribute).includes('author'));

/** Reads the date of a `time` element that is marked so, or stands in an element that is. */
function timeOf(times: readonly DomElement[], mark: RegExp): string | undefined {
  const isMarked = (element: DomElement | null) =>
    mark.test(
      `${element?.getAttribute('itemprop')} ${element?.getAttribute('class')} ${element?.hasAttribute('pubdate') ? 'pubdate' : ''}`,
    );
  const found = times.find((time) => isMarked(time) || isMarked(time.parentElement));
  return readDate(found?.getAttribute('datetime') ?? found?.textContent ?? '');
}

function langOf({ documentElement: root }: DomDocument): string | undefined {
  return root.getAttribute('lang')?.trim() || root.getAttribute('xml:lang')?.trim();
}

/** Maximum length of an address, about that of browsers and servers: thousands of links might each repeat a base of megabytes. */
const MAX_ADDRESS_LENGTH = 2000;

/** Turns an address on a page into an absolute http(s) one; undefined for others, such as `mailto:`. */
export type ResolveAddress = (address: string) => string | undefined;

/** Returns how addresses on the page of these elements are resolved (`<base href>` first, HTML 2.4.3); undefined for a page in a file. */
export function addressResolver(elements: readonly DomElement[], source: string): ResolveAddress | undefined {
  if (!/^https?:\/\//i.test(source) || !URL.canParse(source)) return undefined;
  const own = relativeTo(source);
  const base = elements.find((element) => element.nodeName === 'BASE' && element.hasAttribute('href'))?.getAttribute('href');
  return relativeTo(own(base ?? '') ?? source);
}

const relativeTo =
  (base: string): ResolveAddress =>
  (address) => {
    const relative = address.trim();
    if (relative.length > MAX_ADDRESS_LENGTH || base.length > MAX_ADDRESS_LENGTH || !URL.canParse(relative, base)) return undefined;
    const { protocol, href } = new URL(relative, base);
    return /^https?:$/.test(protocol) && href.length <= MAX_ADDRESS_LENGTH ? href : undefined;
  };

/** More links than a page for people has. */
const MAX_LINKS = 10_000;
/** Words of links that end a session. */
const LOG_OUT =
  /^(?:(?:log|sign)[ -]?(?:out|off)|abmelden|ausloggen|(?:se )?d[ée]connecter|d[ée]connexion|cerrar sesi[óo]n|salir|uitloggen|logga ut|esci|sair|выйти|выход|ログアウト|退出(?:登录)?|登出|로그아웃)$/iu;
const MAX_WORDS_LENGTH = 40;

/** Reads what a page says about its neighbours and to robots; `elements` are those of the whole page: meta, link, a, area, frame and iframe. */
export function factsOf(document: DomDocument, elements: readonly DomElement[], resolve: ResolveAddress): PageFacts {
  const related = (rel: string): string[] =>
    elements
      .filter((link) => link.nodeName === 'LINK' && wordsIn(link, 'rel').includes(rel))
      .flatMap((link) => documentAddress(link.getAttribute('href') ?? '', resolve) ?? []);
  const robots = new Set(elements.filter((meta) => isMeta(meta, 'name', 'robots')).flatMap((meta) => wordsIn(meta, 'content')));
  const endsSession = elements.filter((link) => link.nodeName === 'A' && LOG_OUT.test(shortWords(link)));
  const frames = elements.filter(({ nodeName }) => nodeName === 'IFRAME');
  return {
    links: linksOf(elements, resolve),
    canonical: related('canonical')[0],
    frames: addressesOf(
      frames.map((frame) => frame.getAttribute('src') ?? ''),
      resolve,
    ),
    routes: routesOf(document, elements, resolve),
    actions: addressesOf(
      endsSession.map((link) => link.getAttribute('href') ?? ''),
      resolve,
    ),
    noindex: robots.has('noindex') || robots.has('none'),
    nofollow: robots.has('nofollow') || robots.has('none'),
  };
}

/** Resolves the addresses of other documents, each once. */
function addressesOf(targets: readonly string[], resolve: ResolveAddress): string[] {
  const others = targets.filter((target) => !target.trim().startsWith('#'));
  return [...new Set(others.flatMap((target) => documentAddress(target, resolve) ?? []).slice(0, MAX_LINKS))];
}

const shortWords = (element: DomElement): string => {
  const words = (element.textContent ?? '').trim();
  return words.length > MAX_WORDS_LENGTH ? '' : oneLine(words);
};

/** Finds the routes that links lead to; a fragment that an element has as its id is a place on the page. */
function routesOf(document: DomDocument, elements: readonly DomElement[], resolve: ResolveAddress): string[] {
  const targets = elements
    .filter(({ nodeName }) => nodeName === 'A')
    .map((link) => (link.getAttribute('href') ?? '').trim())
    .filter((target) => ROUTE.test(target));
  if (targets.length === 0) return [];
  const places = new Set([...document.querySelectorAll('[id]')].map(({ id }) => id));
  const routes = targets.slice(0, MAX_LINKS).flatMap((target) => (places.has(ROUTE.exec(target)![1]!) ? [] : (resolve(target) ?? [])));
  return [...new Set(routes)];
}

const ROUTE = /^[^#]*#(!?\/.+)$/s;

const isMeta = (element: DomElement, attribute: string, name: string): boolean =>
  element.nodeName === 'META' && element.getAttribute(attribute)?.trim().toLowerCase() === name;

const wordsIn = (element: DomElement, attribute: string): string[] => (element.getAttribute(attribute) ?? '').toLowerCase().split(/[\s,]+/);

/** Resolves the address of a document, without the place in it; undefined for an empty one, which is the page itself. */
const documentAddress = (address: string, resolve: ResolveAddress): string | undefined =>
  address.trim() === '' ? undefined : resolve(address)?.replace(/#.*/s, '');

function linksOf(elements: readonly DomElement[], resolve: ResolveAddress): string[] {
  const links = new Set<string>();
  for (const element of elements) {
    const target = targetOf(element).trim();
    const address = target.startsWith('#') ? undefined : documentAddress(target, resolve);
    if (address !== undefined && !wordsIn(element, 'rel').includes('nofollow')) links.add(address);
    if (links.size === MAX_LINKS) break;
  }
  return [...links];
}

/** Returns the address that an element leads to; a refresh names it after its seconds: `0; url=/next` (HTML 4.2.5.3). */
function targetOf(element: DomElement): string {
  if (/^(?:A|AREA)$/.test(element.nodeName)) return element.getAttribute('href') ?? '';
  if (element.nodeName === 'FRAME') return element.getAttribute('src') ?? '';
  if (!isMeta(element, 'http-equiv', 'refresh')) return '';
  return /^[\d.\s]*[;,]\s*url\s*=\s*["']?([^"']+)/i.exec(element.getAttribute('content') ?? '')?.[1] ?? '';
}
