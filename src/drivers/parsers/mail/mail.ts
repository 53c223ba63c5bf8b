import type { Address, Email } from 'postal-mime';
import { KbError } from '../../../core/errors.ts';
import type { ParsedFile, ParserRow } from '../parser-row.ts';
import type { Metadata } from '../../../schema/items.ts';
import { escapeLine, heading, oneLine } from '../../../text/markdown/write.ts';
import { parseHtml } from '../html/dom.ts';
import { toMarkdown } from '../html/to-markdown.ts';
import type { ParsedDocument } from '../../../ports/reading.ts';
import { distinctNames } from '../distinct-names.ts';
import { factList } from '../parsed-document.ts';

const MOST_MESSAGES = 10_000;
/** Parts within parts, and bytes of the headers, at most. */
const LIMITS = { maxNestingDepth: 32, maxHeadersSize: 2 ** 20 };

/** A mail as it is sent (RFC 5322). */
export const emlParser: ParserRow = {
  file_type: 'eml',
  name: 'a mail (EML)',
  extensions: ['.eml'],
  media_types: ['message/rfc822'],
  is_text: true,
  parse: async (bytes) => mailDocument(await readMail(bytes)),
};

/** A mailbox (RFC 4155): each of its mails as a document of its own. */
export const mboxParser: ParserRow = {
  file_type: 'mbox',
  name: 'a mailbox (MBOX)',
  extensions: ['.mbox', '.mbx'],
  media_types: ['application/mbox'],
  is_text: true,
  signature: /^From \S+.{0,100}\d{4}\r?\n/,
  async parse(bytes, { source }): Promise<ParsedFile> {
    const messages = messagesIn(bytes);
    if (messages.length > MOST_MESSAGES)
      throw new KbError('too_large', `${source} holds ${messages.length} mails; at most ${MOST_MESSAGES} are read.`, { hint: 'Split it.' });
    const { file_type } = emlParser;
    const files = messages.map((message, i) => ({ path: `message ${i + 1}`, file_type, bytes: () => message }));
    return { text: '', metadata: {}, files };
  },
};

/** A byte order mark, in Latin letters, and empty lines. */
const BEFORE_FIRST = /^(?:ï»¿)?\s*/;
/** A line that begins a mail, behind an empty one: it has the time and the year of its arrival, or nothing but an address. Paragraphs, too, begin with «From ». */
const SEPARATOR = /\r?\n\r?\nFrom (?:(?=[^\r\n]{0,300}\d:\d\d)(?=[^\r\n]{0,300}\b(?:19|20)\d\d\b)[^\r\n]*|[^\s@]+@[^\s@]+[ \t]*)\r?\n/;

/** The mails of a mailbox, whose first line is `From `. */
function messagesIn(bytes: Uint8Array): Buffer[] {
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('latin1').replace(BEFORE_FIRST, '');
  if (!text.startsWith('From ')) return [];
  return text
    .slice(text.indexOf('\n') + 1)
    .split(SEPARATOR)
    .filter((message) => message.trim() !== '')
    .map((message) => Buffer.from(message.replace(/^>(>*From )/gm, '$1'), 'latin1'));
}

async function readMail(bytes: Uint8Array): Promise<Mail> {
  const { default: PostalMime } = await import('postal-mime');
  const mail = await PostalMime.parse(bytes, { ...LIMITS, attachmentEncoding: 'arraybuffer' });
  if (mail.headers.length === 0) throw new Error('it has no header');
  return {
    subject: mail.subject ?? '',
    from: addresses(mail.from ? [mail.from] : []),
    to: addresses(mail.to),
    cc: addresses(mail.cc),
    date: mail.date ?? '',
    shown_date: dateHeader(mail) ?? mail.date ?? '',
    message_id: mail.messageId ?? '',
    in_reply_to: mail.inReplyTo ?? '',
    references: mail.references ?? '',
    text: mail.text ?? '',
    html: mail.html ?? '',
    attachments: mail.attachments
      .filter(isForPeople)
      .map(({ filename, mimeType, content }) => ({ name: filename ?? '', media_type: mimeType, content: bytesOf(content) })),
  };
}

/** The date as the header has it, without the comment that may name its time zone. */
const dateHeader = ({ headers }: Email): string | undefined =>
  headers
    .find(({ key }) => key === 'date')
    ?.value.replace(/\([^()]*\)\s*$/, '')
    .trim();

const bytesOf = (content: Email['attachments'][number]['content']): Uint8Array =>
  typeof content === 'string' ? Buffer.from(content) : new Uint8Array(content);

/** Pictures within the text are no documents, nor are parts that have no name and are not called attachments. */
const isForPeople = ({ filename, disposition, related }: Email['attachments'][number]): boolean =>
  (Boolean(filename) || disposition === 'attachment') && !related;

const addresses = (list: readonly Address[] = []): string =>
  list
    .flatMap(({ name, address, group }) => (group ? addresses(group) : name && address ? `${name} <${address}>` : name || address || ''))
    .filter(Boolean)
    .join(', ');

/** A mail, whatever format it was kept in. Absent fields are empty. */
export interface Mail {
  subject: string;
  from: string;
  to: string;
  cc: string;
  /** As ISO 8601, or as it is written. */
  date: string;
  /** The date as a reader is shown it, in the sender's own time zone where that is known. */
  shown_date: string;
  message_id: string;
  in_reply_to: string;
  /** Addresses of the mails before it in its thread, the first one first. */
  references: string;
  text: string;
  html: string;
  attachments: readonly { name: string; media_type?: string; content: Uint8Array }[];
}

interface MailDocument extends ParsedDocument {
  files: { path: string; media_type?: string; bytes(): Uint8Array }[];
}

/** Attachments of a mail that are read. */
const MOST_ATTACHMENTS = 100;

/** A mail under its subject: who wrote it to whom and when, its text, the names of its attachments. Those that can be read are documents of their own. */
export async function mailDocument(mail: Mail): Promise<MailDocument> {
  const { subject, from, to, cc, shown_date, attachments } = mail;
  const names = distinctNames(attachments.map(({ name }, i) => name || `attachment ${i + 1}`));
  const title = oneLine(subject);
  const facts = factList({ From: from, To: to, Cc: cc, Date: shown_date, Attachments: names.join(', ') });
  const blocks = [title && heading(1, escapeLine(title)), facts, await bodyOf(mail)];
  const files = attachments.slice(0, MOST_ATTACHMENTS).map(({ media_type, content }, i) => ({
    path: names[i]!,
    ...(media_type && { media_type }),
    bytes: () => content,
  }));
  return {
    text: blocks.filter(Boolean).join('\n\n'),
    title: title || undefined,
    metadata: metadataOf(mail),
    files,
  };
}

function metadataOf({ from, date, message_id, in_reply_to, references }: Mail): Metadata {
  const thread = references.trim().split(/\s+/)[0] || in_reply_to || message_id;
  const known = { author: from, created: date, message_id, in_reply_to, thread };
  return Object.fromEntries(Object.entries(known).filter(([, value]) => value !== ''));
}

/** The plain text, or the HTML where that says much more. */
async function bodyOf({ text, html }: Mail): Promise<string> {
  const plain = text
    .replace(/\r\n?/g, '\n')
    .trim()
    .split('\n')
    .map((line) => (line.startsWith('>') ? line : escapeLine(line.trimEnd())))
    .join('\n');
  if (html.trim() === '') return plain;
  const rich = (await toMarkdown((await parseHtml(html)).body)).text.trim();
  return plain.length * 2 > rich.length ? plain : rich;
}
