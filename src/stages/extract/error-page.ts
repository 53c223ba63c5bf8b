import type { HttpAnswer } from '../../base/http-message.ts';

/** Bytes of a page that is looked at: one about an error is small. */
const LARGEST = 20_000;

const HTML_TYPE = /^(text\/html|application\/xhtml\+xml|text\/plain|)$/;

const FAILURE =
  '(bad gateway|bad request|(service |site |page )?(is )?(temporarily )?unavailable|(gateway |request )?time-?out|(internal )?server error|' +
  'access denied|forbidden|unauthori[sz]ed|((page|file|resource) )?not found|too many requests|error)';

/** What stands in the title of a page that nobody asked an API for: a failure, alone, with its status or with the name of the site, or a wish to know who is asking. */
const ERROR = new RegExp(
  `^((error|http)[: ]*)?([45]\\d\\d\\W*)?${FAILURE}\\W*([|–—·-].*)?$|^((error|http)[: ]*)?[45]\\d\\d(\\W+${FAILURE}.*)?\\W*$|` +
    `^(just a moment|attention required)\\b.*|^(please )?(sign|log) ?in\\b.*|^(down for |under |scheduled )?maintenance( mode)?\\W*$`,
  'i',
);

/** What a web page says in its title, or its first heading, where that is an error or a wish for credentials; undefined for any other answer. */
export function saysError({ bytes, content_type }: Pick<HttpAnswer, 'bytes' | 'content_type'>): string | undefined {
  if (bytes.length > LARGEST || !HTML_TYPE.test(content_type)) return undefined;
  const html = new TextDecoder().decode(bytes);
  if (!/<(!doctype|html|head|body|title)\b/i.test(html)) return undefined;
  const [title, heading] = [/<title[^>]*>([^<]*)</i, /<h1[^>]*>([^<]*)</i].map((place) =>
    place.exec(html)?.[1]?.replace(/\s+/g, ' ').trim(),
  );
  return [title || heading].find((text) => text !== undefined && text.length <= 100 && ERROR.test(text));
}
