import { decodeText } from '../bytes.ts';

// What readers of data see, without the rules of the parsers: all of a text, and the names and values of records.

const JSON_TOKEN = /"(?:[^"\\\n]|\\.)*"|-?\d[\d.eE+-]*/g;

/** The names, texts and numbers of JSON. */
export const visibleJson = async (bytes: Uint8Array): Promise<string> =>
  ((await decodeText(bytes)).match(JSON_TOKEN) ?? []).map((token) => String(parseToken(token))).join('\n');

function parseToken(token: string): unknown {
  try {
    return JSON.parse(token);
  } catch {
    return token;
  }
}

const ENTITIES: Readonly<Record<string, string>> = { lt: '<', gt: '>', amp: '&', quot: '"', apos: "'" };

const isFeed = /<(?:rss|feed|rdf:RDF)\b/;
/** Elements of a feed that people read; others are addresses, identifiers and settings of programs. */
const FEED_TEXT = /<(title|description|summary|content|content:encoded|author|dc:creator|name)\b[^<>]*>[^]*?(?:<\/\1>|$)/g;

/** The text between the tags of XML, of a feed that of its titles and texts. */
export async function visibleXml(bytes: Uint8Array): Promise<string> {
  const [, encoding] = /^[^>]*\bencoding=["']([\w.-]+)/.exec(Buffer.from(bytes.subarray(0, 200)).toString('latin1')) ?? [];
  const source = (await decodeText(bytes, encoding)).replace(
    /<!--[^]*?(?:-->|$)|<\?[^]*?(?:\?>|$)|<!DOCTYPE[^<>[]*(?:\[[^\]]*\]?[^<>]*)?>?/g,
    ' ',
  );
  if (!isFeed.test(source)) return textOfXml(source);
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
export const visibleSubtitles = async (bytes: Uint8Array): Promise<string> =>
  (await decodeText(bytes))
    .replace(/^WEBVTT.*$|^(?:NOTE|STYLE|REGION)\b[^]*?\n\n|^\d+$|^.*-->.*$/gm, '')
    .replace(/<v(?:\.[^\s<>]+)?\s([^<>]*)>/g, '$1 ')
    .replace(/<[^<>]*>/g, '');

interface NotebookCell {
  source?: string | string[];
}

/** The text and code of the cells of a notebook. */
export const visibleCells = async (bytes: Uint8Array): Promise<string> => {
  const { cells = [] } = JSON.parse(await decodeText(bytes)) as { cells?: NotebookCell[] };
  return cells.map(({ source = '' }) => [source].flat().join('')).join('\n');
};
