import { dirname } from 'node:path/posix';
import type { ParsedDocument } from '../../../ports/reading.ts';
import { heading, oneLine } from '../../../text/markdown/write.ts';
import { parseHtml } from '../html/dom.ts';
import { toMarkdown } from '../html/to-markdown.ts';
import { type Archive, openArchive } from '../office/archive.ts';
import { allText, elementsIn, findElement, localName, readXml, textNamed, type XmlElement } from '../ordered-xml.ts';
import type { ParserRow } from '../parser-row.ts';
import { givenProperties, firstHeading } from '../parsed-document.ts';

/** A book: its chapters in the order of its spine, without the cover and the table of contents. */
export const epubParser: ParserRow = {
  file_type: 'epub',
  name: 'an EPUB book',
  extensions: ['.epub'],
  media_types: ['application/epub+zip'],
  archive_mimetype: /^application\/epub\+zip/,
  async parse(bytes, { source }): Promise<ParsedDocument> {
    const archive = await openArchive(bytes, { source });
    const { folder, root } = await packageOf(archive);
    const chapters = chaptersOf(root, folder);
    const titles = await chapterTitles(archive, root, folder);
    const texts: string[] = [];
    for (const path of chapters) {
      const html = await archive.text(path);
      if (html === undefined) continue;
      const { document, body } = await parseHtml(html);
      if (document.querySelector('nav[epub\\:type="toc"]')) continue;
      const { text } = await toMarkdown(body);
      const named = titles.get(path);
      if (text.trim() !== '') texts.push(named && !/^#{1,6} /m.test(text.slice(0, 500)) ? `${heading(1, named)}\n\n${text}` : text);
    }
    const text = texts.join('\n\n');
    const facts = findElement(root, 'metadata') ?? root;
    const metadata = givenProperties({
      author: textNamed(facts, 'creator'),
      created: textNamed(facts, 'date'),
      lang: textNamed(facts, 'language'),
      description: textNamed(facts, 'description'),
    });
    return { text, title: textNamed(facts, 'title') ?? firstHeading(text), metadata };
  },
};

/** The package document, which META-INF/container.xml names (EPUB 3.3, 4.2.6.3.1). */
async function packageOf(archive: Archive): Promise<{ folder: string; root: XmlElement }> {
  const container = await archive.text('META-INF/container.xml');
  const file = container === undefined ? undefined : findElement(await readXml(container), 'rootfile');
  const path = file?.attributes['full-path'] ?? archive.names.find((name) => name.endsWith('.opf')) ?? '';
  const content = await archive.text(path);
  if (content === undefined) throw new Error('it names no package document');
  return { folder: dirname(path), root: await readXml(content) };
}

/** The name in the archive that an address in a file of this folder leads to. */
const resolvePart = (folder: string, href: string): string => {
  try {
    return decodeURIComponent(new URL(href, `zip://book/${folder === '.' ? '' : `${folder}/`}`).pathname.slice(1));
  } catch {
    return '';
  }
};

function chaptersOf(root: XmlElement, folder: string): string[] {
  const manifest = elementsIn(findElement(root, 'manifest') ?? root);
  const items = new Map(manifest.map(({ attributes }) => [attributes['id'] ?? '', attributes]));
  const guide = elementsIn(findElement(root, 'guide') ?? { ...root, content: [] });
  const beside = new Set(
    guide
      .filter(({ attributes: { type = '' } }) => /^(?:cover|toc)$/i.test(type))
      .map(({ attributes: { href = '' } }) => resolvePart(folder, href)),
  );
  const spine = elementsIn(findElement(root, 'spine') ?? root).flatMap(({ attributes }): Record<string, string>[] => {
    const item = items.get(attributes['idref'] ?? '');
    return item ? [item] : [];
  });
  const paths = spine
    .filter((item) => !/\bnav\b/.test(item['properties'] ?? '') && /html/.test(item['media-type'] ?? 'html'))
    .map(({ href = '' }) => resolvePart(folder, href));
  const kept = paths.filter((path) => !beside.has(path));
  return [...new Set(kept.length > 0 ? kept : paths)];
}

/** Reads the title of each chapter from the table of contents (the navigation of EPUB 3, or the NCX of EPUB 2). */
async function chapterTitles(archive: Archive, root: XmlElement, folder: string): Promise<Map<string, string>> {
  const titles = new Map<string, string>();
  const add = (path: string, title: string) => void (titles.has(path) || titles.set(path, oneLine(title)));
  const manifest = elementsIn(findElement(root, 'manifest') ?? root).map(({ attributes }) => attributes);
  const nav = manifest.find(({ properties = '' }) => /\bnav\b/.test(properties))?.['href'];
  const page = nav === undefined ? undefined : await archive.text(resolvePart(folder, nav));
  if (page !== undefined) {
    const { body } = await parseHtml(page);
    const base = dirname(resolvePart(folder, nav!));
    for (const link of body.querySelectorAll('nav a[href]')) add(resolvePart(base, link.getAttribute('href')!), link.textContent ?? '');
  }
  const ncx = manifest.find((item) => item['media-type'] === 'application/x-dtbncx+xml')?.['href'];
  const list = ncx === undefined ? undefined : await archive.text(resolvePart(folder, ncx));
  if (list !== undefined) for (const [path, title] of navPoints(await readXml(list), dirname(resolvePart(folder, ncx!)))) add(path, title);
  return titles;
}

const navPoints = (element: XmlElement, base: string): [string, string][] =>
  elementsIn(element).flatMap((child) => {
    if (localName(child) !== 'navPoint') return navPoints(child, base);
    const [label, content] = [findElement(child, 'navLabel'), findElement(child, 'content')];
    const own: [string, string][] = label && content ? [[resolvePart(base, content.attributes['src'] ?? ''), allText(label)]] : [];
    return [...own, ...elementsIn(child).flatMap((inner) => navPoints({ ...child, content: [inner] }, base))];
  });
