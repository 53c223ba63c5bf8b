// What a reader of a file sees, told without the parser of its format: what the tests and bench/every-word.ts compare with the Markdown.
// Words are separated by white space; their order does not matter.
import PostalMime from 'postal-mime';
import { decodeText } from '../src/bytes.ts';
import { parsers } from '../src/formats.ts';
import { parseHtml } from '../src/html/dom.ts';
import { shownText } from '../src/html/link-density.ts';
import { openArchive } from '../src/office/archive.ts';
import { annotationsIn, filledText } from '../src/pdf/annotations.ts';
import { type PdfFile, withPdf } from '../src/pdf/file.ts';
import type { PdfItem } from '../src/pdf/lines.ts';

type ShownText = (bytes: Uint8Array) => Promise<string>;

/** Office parsers collect this text from the XML, to report words that are missing. */
const reportedBy =
  (file_type: string): ShownText =>
  async (bytes) =>
    (await parsers.find((row) => row.file_type === file_type)!.parse(bytes, { source: 'file' })).visible ?? '';

const READERS: Readonly<Record<string, ShownText>> = {
  ...Object.fromEntries(['docx', 'odp', 'odt', 'pptx', 'xlsx'].map((file_type) => [file_type, reportedBy(file_type)])),
  calendar: shownEvents,
  code: (bytes) => decodeText(bytes),
  eml: shownMail,
  epub: shownBook,
  html: shownPage,
  ipynb: shownCells,
  json: shownJson,
  jsonl: shownJson,
  pdf: (bytes) => withPdf(bytes, { maxImageSize: 1 }, shownPages),
  subtitles: shownCues,
  xml: shownXml,
};

/** Returns the function that extracts the text that files of a type show; undefined if there is none. */
export const shownTextOf = (file_type: string): ShownText | undefined => READERS[file_type];

/** Elements that a browser does not show, or whose text is no text of the page. */
const UNSEEN =
  'script, style, noscript, template:not([shadowrootmode]), svg, iframe, object, embed, canvas, title, select, textarea, datalist, dialog, input, button, audio, video, progress, slot, annotation, td.linenos';
const HIDDEN = '[hidden], [style*="display:none"], [style*="display: none"], [style*="visibility:hidden"], [style*="visibility: hidden"]';

async function shownPage(bytes: Uint8Array): Promise<string> {
  const { body } = await parseHtml(await decodeText(bytes));
  for (const element of body.querySelectorAll(`${UNSEEN}, ${HIDDEN}`)) element.remove();
  return shownText(body);
}

/** The number of a page, alone or at the end of a running line. */
const LAST_NUMBER = /(?:^|\s)\W{0,4}(?:page\W{1,3})?\d{1,6}(?:\W{1,3}of\W{1,3}\d{1,6})?\W{0,4}$/i;
/** Minimum pages on which a line is a running line, which counts once. */
const MIN_RUNNING = 3;

/** Lists what pdf.js draws, line by line, without copies of running lines and numbers of pages; and what is filled in. */
async function shownPages(file: PdfFile): Promise<string> {
  const pages: string[][] = [];
  for (let number = 1; number <= file.numPages; number++) {
    const page = await file.getPage(number).catch(() => undefined);
    const { items = [] } = (await page?.getTextContent().catch(() => undefined)) ?? {};
    pages.push([...new Set(drawnLines(items.filter((item) => 'str' in item)))]);
  }
  const running = [...Map.groupBy(pages.flat(), (line) => line.replace(/\d+/g, '#')).values()];
  const lines = running.flatMap((copies) =>
    copies.length < MIN_RUNNING ? copies : copies.slice(0, 1).map((line) => line.replace(LAST_NUMBER, '')),
  );
  const filled = (await annotationsIn(file)).flatMap((annotation) => filledText(annotation) ?? []);
  return [...lines, ...filled].join('\n');
}

function drawnLines(items: readonly PdfItem[]): string[] {
  const texts = items.map(({ str, transform, hasEOL }, i) => {
    const previous = items[i - 1];
    const isApart =
      previous !== undefined &&
      (previous.transform[5] !== transform[5] || Math.abs(transform[4]! - previous.transform[4]! - previous.width) > 1);
    return `${isApart ? ' ' : ''}${str}${hasEOL ? '\n' : ''}`;
  });
  return texts
    .join('')
    .split('\n')
    .map((line) => line.trim());
}

async function shownMail(bytes: Uint8Array): Promise<string> {
  const { subject, from, to = [], cc = [], text } = await PostalMime.parse(Buffer.from(bytes));
  const people = [...(from ? [from] : []), ...to, ...cc].map(({ name, address }) => `${name} ${address ?? ''}`);
  return [subject, ...people, text].join('\n');
}

/** Properties of a calendar that people write and programs show. */
const PROPERTY =
  /^(?:SUMMARY|DESCRIPTION|LOCATION|COMMENT|CONTACT|CATEGORIES|RESOURCES|ORGANIZER|ATTENDEE|STATUS|URL|X-WR-CALNAME|X-WR-CALDESC)((?:;[\w-]+=(?:"[^"]*"|[^":;]*))*):(.*)$/gim;

async function shownEvents(bytes: Uint8Array): Promise<string> {
  const source = (await decodeText(bytes)).replace(/^BEGIN:VALARM$[^]*?^END:VALARM$/gm, '').replace(/\n[ \t]/g, '');
  const shown = Array.from(source.matchAll(PROPERTY), ([, parameters = '', value = '']) => {
    const name = /;CN="?([^";]*)/i.exec(parameters)?.[1] ?? '';
    return `${name} ${value.replace(/^mailto:/i, '')}`;
  });
  return shown.join('\n').replace(/\\(.)/g, (_, character: string) => (/n/i.test(character) ? '\n' : character));
}

/** The beginning of the tags of blocks, at which words end. */
const BLOCK = /<(?=\/?(?:blockquote|br|d[dlt]|div|figcaption|h[1-6]|li|[ou]l|p|pre|section|t[dhr]|table)\b)/gi;
const NAVIGATION = /<item\b[^<>]*\bproperties="[^"]*\bnav\b[^<>]*>/i;

/** The pages of a book, without its table of contents. */
async function shownBook(bytes: Uint8Array): Promise<string> {
  const archive = await openArchive(bytes, { source: 'book.epub' });
  const description = (await archive.text(archive.names.find((name) => name.endsWith('.opf')) ?? '')) ?? '';
  const navigation = /\bhref="([^"]*)"/.exec(NAVIGATION.exec(description)?.[0] ?? '')?.[1] ?? '\0';
  const names = archive.names.filter((name) => /\.x?html?$/i.test(name) && !name.endsWith(navigation));
  const contents = await Promise.all(names.map((name) => archive.text(name)));
  const bodies = contents.map((content = '') => /<body\b[^]*/i.exec(content)?.[0].replace(BLOCK, ' <') ?? '');
  return (await Promise.all(bodies.map(async (body) => (await parseHtml(body)).body.textContent ?? ''))).join('\n');
}

const JSON_TOKEN = /"(?:[^"\\\n]|\\.)*"|-?\d[\d.eE+-]*/g;

/** The names, texts and numbers of JSON. */
async function shownJson(bytes: Uint8Array): Promise<string> {
  const tokens = (await decodeText(bytes)).match(JSON_TOKEN) ?? [];
  return tokens.map((token) => String(parseToken(token))).join('\n');
}

function parseToken(token: string): unknown {
  try {
    return JSON.parse(token);
  } catch {
    return token;
  }
}

/** The text and code of the cells of a notebook. */
async function shownCells(bytes: Uint8Array): Promise<string> {
  const { cells = [] } = JSON.parse(await decodeText(bytes)) as { cells?: { source?: string | string[] }[] };
  return cells.map(({ source = '' }) => [source].flat().join('')).join('\n');
}

const ENTITIES: Readonly<Record<string, string>> = { lt: '<', gt: '>', amp: '&', quot: '"', apos: "'" };
const FEED = /<(?:rss|feed|rdf:RDF)\b/;
/** Elements of a feed that people read; others are addresses, identifiers and settings of programs. */
const FEED_TEXT = /<(title|description|summary|content|content:encoded|author|dc:creator|name)\b[^<>]*>[^]*?(?:<\/\1>|$)/g;

/** The text between the tags of XML, of a feed that of its titles and texts. */
async function shownXml(bytes: Uint8Array): Promise<string> {
  const [, encoding] = /^[^>]*\bencoding=["']([\w.-]+)/.exec(Buffer.from(bytes.subarray(0, 200)).toString('latin1')) ?? [];
  const source = (await decodeText(bytes, encoding)).replace(
    /<!--[^]*?(?:-->|$)|<\?[^]*?(?:\?>|$)|<!DOCTYPE[^<>[]*(?:\[[^\]]*\]?[^<>]*)?>?/g,
    ' ',
  );
  if (!FEED.test(source)) return textOfXml(source);
  return textOfXml(textOfXml((source.match(FEED_TEXT) ?? []).join('\n')));
}

/** Removes tags, and then decodes references. */
const textOfXml = (source: string): string =>
  source
    .replace(/<!\[CDATA\[([^]*?)\]\]>/g, (_, text: string) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;'))
    .replace(/<[^<>]*>/g, ' ')
    .replace(/&(\w+);/g, (reference, name: string) => ENTITIES[name] ?? reference)
    .replace(/&#(x?)([\da-f]+);/gi, (_, hex: string, code: string) => String.fromCodePoint(Number.parseInt(code, hex ? 16 : 10)));

/** All lines but the numbers, times and settings of cues. */
async function shownCues(bytes: Uint8Array): Promise<string> {
  return (await decodeText(bytes))
    .replace(/^WEBVTT.*$|^(?:NOTE|STYLE|REGION)\b[^]*?\n\n|^\d+$|^.*-->.*$/gm, '')
    .replace(/<v(?:\.[^\s<>]+)?\s([^<>]*)>/g, '$1 ')
    .replace(/<[^<>]*>/g, '');
}
