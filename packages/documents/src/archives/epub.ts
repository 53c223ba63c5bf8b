import { dirname } from 'node:path/posix';
import type { ParsedDocument } from '../types.ts';
import { heading, oneLine } from '../markdown/write.ts';
import { parseHtml } from '../html/dom.ts';
import { toMarkdown } from '../html/to-markdown.ts';
import { type Archive, openArchive } from '../office/archive.ts';
import { allText, childElementsOf, findElement, findText, localName, readXml, type XmlElement } from '../xml.ts';
import type { ParserRow } from '../parser.ts';
import { removeUndefined, firstHeading } from '../parsed-document.ts';

/** A book: the documents of its spine in their order. Only the navigation is left out, if readers do not come to it by turning pages. */
export const epubParser: ParserRow = {
  file_type: 'epub',
  name: 'an EPUB book',
  extensions: ['.epub'],
  media_types: ['application/epub+zip'],
  archive_mimetype: /^application\/epub\+zip/,
  async parse(bytes, { source }): Promise<ParsedDocument> {
    const archive = await openArchive(bytes, { source });
    const book = await readPackage(archive);
    const titles = await chapterTitles(archive, book);
    const texts: string[] = [];
    for (const path of chapterPaths(book)) {
      const html = await archive.text(path);
      if (html === undefined) continue;
      const { text } = await toMarkdown((await parseHtml(html)).body);
      const named = titles.get(path);
      if (text.trim() !== '') texts.push(named && !/^#{1,6} /m.test(text.slice(0, 500)) ? `${heading(1, named)}\n\n${text}` : text);
    }
    const text = texts.join('\n\n');
    const facts = findElement(book.root, 'metadata') ?? book.root;
    const metadata = removeUndefined({
      author: findText(facts, 'creator'),
      created: findText(facts, 'date'),
      lang: findText(facts, 'language'),
      description: findText(facts, 'description'),
    });
    return { text, title: findText(facts, 'title') ?? firstHeading(text), metadata };
  },
};

/** The package document of a book, the folder that its addresses are relative to, and the files that it lists. */
interface Package {
  root: XmlElement;
  folder: string;
  items: readonly XmlElement['attributes'][];
}

/** Reads the package document, which META-INF/container.xml names (EPUB 3.3, 4.2.6.3.1). */
async function readPackage(archive: Archive): Promise<Package> {
  const container = await archive.text('META-INF/container.xml');
  const file = container === undefined ? undefined : findElement(readXml(container), 'rootfile');
  const path = file?.attributes['full-path'] ?? archive.names.find((name) => name.endsWith('.opf')) ?? '';
  const content = await archive.text(path);
  if (content === undefined) throw new Error('it names no package document');
  const root = readXml(content);
  const items = childElementsOf(findElement(root, 'manifest') ?? root).map(({ attributes }) => attributes);
  return { root, folder: dirname(path), items };
}

/** Resolves an address in a file of this folder to a name in the archive. */
function resolvePart(folder: string, href: string): string {
  try {
    return decodeURIComponent(new URL(href, `zip://book/${folder === '.' ? '' : `${folder}/`}`).pathname.slice(1));
  } catch {
    return '';
  }
}

/** Lists the documents of the spine in order, without a navigation document that is outside the linear order of reading. */
function chapterPaths({ root, folder, items }: Package): string[] {
  const named = new Map(items.map((item) => [item['id'], item]));
  const paths = childElementsOf(findElement(root, 'spine') ?? root).flatMap(({ attributes: { idref = '', linear } }) => {
    const item = named.get(idref);
    if (!item || !/html/.test(item['media-type'] ?? 'html')) return [];
    return linear === 'no' && isNavigation(item) ? [] : [resolvePart(folder, item['href'] ?? '')];
  });
  return [...new Set(paths)];
}

const isNavigation = ({ properties = '' }: XmlElement['attributes']): boolean => /\bnav\b/.test(properties);

/** Reads the title of each chapter from the table of contents (the navigation of EPUB 3, or the NCX of EPUB 2). */
async function chapterTitles(archive: Archive, { folder, items }: Package): Promise<Map<string, string>> {
  const titles = new Map<string, string>();
  const add = (path: string, title: string) => void (titles.has(path) || titles.set(path, oneLine(title)));
  const readItem = async (isItem: (item: XmlElement['attributes']) => boolean) => {
    const path = resolvePart(folder, items.find(isItem)?.['href'] ?? '');
    return { base: dirname(path), content: path.endsWith('/') ? undefined : await archive.text(path) };
  };
  const nav = await readItem(isNavigation);
  const links = nav.content === undefined ? [] : (await parseHtml(nav.content)).body.querySelectorAll('nav a[href]');
  for (const link of links) add(resolvePart(nav.base, link.getAttribute('href')!), link.textContent ?? '');
  const ncx = await readItem((item) => item['media-type'] === 'application/x-dtbncx+xml');
  if (ncx.content !== undefined) for (const [path, title] of navPoints(readXml(ncx.content), ncx.base)) add(path, title);
  return titles;
}

const navPoints = (element: XmlElement, base: string): [string, string][] =>
  childElementsOf(element).flatMap((child) => {
    const [label, content] = localName(child) === 'navPoint' ? [findElement(child, 'navLabel'), findElement(child, 'content')] : [];
    const own: [string, string][] = label && content ? [[resolvePart(base, content.attributes['src'] ?? ''), allText(label)]] : [];
    return [...own, ...navPoints(child, base)];
  });
