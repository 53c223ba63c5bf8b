import type XLSX from 'xlsx';
import type { Address, Email } from 'postal-mime';
import { DocumentError } from '../errors.ts';
import type { ParsedFile, ParserRow } from '../parser.ts';
import { escapeLine, heading, oneLine } from '../markdown/write.ts';
import { calendarParser, readCalendar } from './calendar.ts';
import { parseHtml } from '../html/dom.ts';
import { htmlParser } from '../html/page.ts';
import { toMarkdown } from '../html/to-markdown.ts';
import { distinctNames } from '../distinct-names.ts';
import { factList } from '../parsed-document.ts';
import { compareWords, withoutAddresses } from '../visible-words.ts';
import { createDecoder, decodeText, detectUtf16, hasStream, isCompound } from '../bytes.ts';

const MAX_MESSAGES = 10_000;
/** Maximum depth of parts, and bytes of the headers. */
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

/** A saved web page (RFC 2557): Office also writes it under the extensions of its own formats. */
export const mhtmlParser: ParserRow = {
  file_type: 'mhtml',
  name: 'a saved web page (MHTML)',
  extensions: ['.mhtml', '.mht'],
  media_types: ['multipart/related', 'application/x-mimearchive'],
  is_text: true,
  signature: /^(?:ï»¿)?\s{0,20}(?=(?:[^]*\n)?Content-Type:\s{0,20}multipart\/related)(?=(?:[^]*\n)?MIME-Version:)[!-9;-~]{1,100}:/i,
  async parse(bytes, { source }): Promise<ParsedFile> {
    const mail = await parseMessage(bytes);
    const { html = '', text = '' } = mail;
    if (html.trim() === '') return { text: writePlain(text), metadata: {} };
    const location = mail.headers.find(({ key }) => key === 'snapshot-content-location')?.value.trim();
    const { title = mail.subject, ...document } = await htmlParser.parse(Buffer.from(html), { source: location ?? source });
    return { ...document, title };
  },
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
    const messages = splitMailbox(await toUtf8(bytes));
    if (messages.length > MAX_MESSAGES)
      throw new DocumentError('too_large', `${source} holds ${messages.length} mails; at most ${MAX_MESSAGES} are read.`, {
        hint: 'Split it.',
      });
    const { file_type } = emlParser;
    const files = messages.map((message, i) => ({ path: `message ${i + 1}`, file_type, bytes: () => message }));
    return { text: '', metadata: {}, files };
  },
};

/** A byte order mark, read as Latin-1, and empty lines. */
const BEFORE_FIRST = /^(?:ï»¿)?\s*/;
/** The separator line before a mail, below an empty line: with a time and a year, or only an address, since paragraphs may also begin with "From ". */
const SEPARATOR = /\r?\n\r?\nFrom (?:(?=[^\r\n]{0,300}\d:\d\d)(?=[^\r\n]{0,300}\b(?:19|20)\d\d\b)[^\r\n]*|[^\s@]+@[^\s@]+[ \t]*)\r?\n/;

/** Splits a mailbox, whose first line is `From `, into its mails. */
function splitMailbox(bytes: Uint8Array): Buffer[] {
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('latin1').replace(BEFORE_FIRST, '');
  if (!text.startsWith('From ')) return [];
  return text
    .slice(text.indexOf('\n') + 1)
    .split(SEPARATOR)
    .filter((message) => message.trim() !== '')
    .map((message) => Buffer.from(message.replace(/^>(>*From )/gm, '$1'), 'latin1'));
}

const ENCODED = /^Content-Transfer-Encoding:\s*(?:base64|quoted-printable)/im;

/** Decodes a mail that a program saved as UTF-16. Its parts are declared in the encoding in which they were sent. */
async function toUtf8(bytes: Uint8Array): Promise<Uint8Array> {
  if (!detectUtf16(bytes)) return bytes;
  const text = (await decodeText(bytes)).replace(/^\ufeff/, '');
  return Buffer.from(ENCODED.test(text) ? text : text.replace(/\bcharset="?[\w-]+"?/gi, 'charset=utf-8'));
}

async function parseMessage(bytes: Uint8Array): Promise<Email> {
  const { default: PostalMime } = await import('postal-mime');
  const mail = await PostalMime.parse(await toUtf8(bytes), { ...LIMITS, attachmentEncoding: 'arraybuffer' });
  if (mail.headers.length === 0) throw new Error('it has no header');
  return mail;
}

async function readMail(bytes: Uint8Array): Promise<Mail> {
  const mail = await parseMessage(bytes);
  const attachments = mail.attachments.filter(isDocument);
  const invitations = mail.attachments.filter((attachment) => isCalendar(attachment) && !isDocument(attachment)).map(calendarText);
  return {
    subject: mail.subject ?? '',
    from: formatAddresses(mail.from ? [mail.from] : []),
    to: formatAddresses(mail.to),
    cc: formatAddresses(mail.cc),
    date: mail.date ?? '',
    shown_date: dateHeader(mail) ?? mail.date ?? '',
    message_id: mail.messageId ?? '',
    in_reply_to: mail.inReplyTo ?? '',
    references: mail.references ?? '',
    text: mail.text ?? '',
    html: mail.html ?? '',
    invitations,
    attachments: attachments
      .filter((attachment) => !(isCalendar(attachment) && invitations.includes(calendarText(attachment))))
      .map(({ filename, mimeType, content }) => ({ name: filename ?? '', media_type: mimeType, content: bytesOf(content) })),
  };
}

/** Returns the date of the header, without the comment that may name its time zone. */
const dateHeader = ({ headers }: Email): string | undefined =>
  headers
    .find(({ key }) => key === 'date')
    ?.value.replace(/\([^()]*\)\s*$/, '')
    .trim();

const bytesOf = (content: Email['attachments'][number]['content']): Uint8Array =>
  typeof content === 'string' ? Buffer.from(content) : new Uint8Array(content);

type Attachment = Email['attachments'][number];

const isCalendar = ({ mimeType }: Attachment): boolean => calendarParser.media_types!.includes(mimeType);

const calendarText = ({ content }: Attachment): string => Buffer.from(bytesOf(content)).toString('utf8');

/** Whether a part is a document of its own: it has a name, is marked as an attachment or is text of another kind, and is not embedded in the text. */
const isDocument = (attachment: Attachment): boolean => {
  const { filename, disposition, related, mimeType } = attachment;
  const isText = mimeType.startsWith('text/') && mimeType !== AMP && !isCalendar(attachment);
  return (Boolean(filename) || disposition === 'attachment' || isText) && !related;
};
/** The text of a mail a second time, for programs that show moving parts in it. */
const AMP = 'text/x-amp-html';

const formatAddresses = (list: readonly Address[] = []): string =>
  list
    .flatMap(({ name, address, group }) =>
      group ? formatAddresses(group) : name && address ? `${name} <${address}>` : name || address || '',
    )
    .filter(Boolean)
    .join(', ');

/** A mail in any format. Absent fields are empty. */
interface Mail {
  subject: string;
  from: string;
  to: string;
  cc: string;
  /** As ISO 8601, or as it is written. */
  date: string;
  /** The date for readers, in the sender's time zone if that is known. */
  shown_date: string;
  message_id: string;
  in_reply_to: string;
  /** Addresses of the mails before it in its thread, the first one first. */
  references: string;
  text: string;
  html: string;
  /** Calendars in its text. */
  invitations?: readonly string[];
  attachments: readonly { name: string; media_type?: string; content: Uint8Array }[];
}

/** Maximum number of attachments that are read. */
const MAX_ATTACHMENTS = 100;

/** Writes a mail: its subject, sender, recipients, date and attachments, and its text. The attachments are files of their own. */
async function mailDocument(mail: Mail): Promise<ParsedFile> {
  const { subject, from, to, cc, shown_date, attachments } = mail;
  const names = distinctNames(attachments.map(({ name }, i) => name || `attachment ${i + 1}`));
  const title = oneLine(subject);
  const facts = factList({ From: from, To: to, Cc: cc, Date: shown_date, Attachments: names.join(', ') });
  const events = (mail.invitations ?? []).map((invitation) => readCalendar(invitation).text.replace(/^#/gm, '##'));
  const blocks = [title && heading(1, escapeLine(title)), facts, await writeBody(mail), ...events];
  const { message_id, in_reply_to } = mail;
  const thread = mail.references.trim().split(/\s+/)[0] || in_reply_to || message_id;
  const properties = { author: from, created: mail.date, message_id, in_reply_to, thread };
  return {
    text: blocks.filter(Boolean).join('\n\n'),
    title: title || undefined,
    metadata: Object.fromEntries(Object.entries(properties).filter(([, value]) => value !== '')),
    files: attachments
      .slice(0, MAX_ATTACHMENTS)
      .map(({ media_type, content }, i) => ({ path: names[i]!, ...(media_type && { media_type }), bytes: () => content })),
  };
}

/** Maximum share of the words of the HTML that the plain text may lack: it is a second version of the same text, or only says that there is another. */
const LACKING = 0.02;

/** Returns the plain text, or the HTML if the plain text lacks words of it. */
async function writeBody({ text, html }: Mail): Promise<string> {
  const plain = writePlain(text);
  if (html.trim() === '') return plain;
  const rich = (await toMarkdown((await parseHtml(html)).body)).text.trim();
  const { words, missing } = compareWords(withoutAddresses(rich), text);
  return missing.length <= words * LACKING ? plain : rich;
}

const writePlain = (text: string): string =>
  text
    .replace(/\r\n?/g, '\n')
    .trim()
    .split('\n')
    .map((line) => (line.startsWith('>') ? line : escapeLine(line.trimEnd())))
    .join('\n');

/** The stream of the properties of fixed length (MS-OXMSG, 2.4), and the bytes before its first property in a message. */
const PROPERTIES = '__properties_version1.0';
const HEADER_BYTES = 32;
const PROPERTY_BYTES = 16;
/** Tags of the times when a mail was sent and when it arrived (FILETIME). */
const TIMES = [0x00390040, 0x0e060040];
/** Tags of the code page of text that is not Unicode, in the mail and in its HTML. */
const CODE_PAGES = [0x3ffd0003, 0x3fde0003];
/** The folder of an attached mail. Its properties begin eight bytes earlier. */
const ATTACHED_MAIL = '__substg1.0_3701000D/';
const SHORT_HEADER = 24;
/** The code page of Unicode, which says nothing about other text. */
const UTF_16 = 1200;
/** 100 ns from 1601 to 1970. */
const EPOCH = 116_444_736_000_000_000n;

interface Stream {
  content: ArrayLike<number>;
  size: number;
}

/** A mail of Outlook (MS-OXMSG). */
export const msgParser: ParserRow = {
  file_type: 'msg',
  name: 'a mail of Outlook (MSG)',
  extensions: ['.msg'],
  media_types: ['application/vnd.ms-outlook'],
  recognizes: (bytes) => isCompound(bytes) && hasStream(bytes, PROPERTIES),
  async parse(bytes): Promise<ParsedFile> {
    const { CFB } = await import('xlsx');
    const file = CFB.read(Buffer.from(bytes), { type: 'buffer' }) as { FullPaths: string[]; FileIndex: Stream[] };
    const root = file.FullPaths[0] ?? '';
    const streams = new Map(file.FullPaths.map((path, i) => [path.slice(root.length), file.FileIndex[i]!]));
    const bytesAt = (path: string): Buffer | undefined => bytesOfStream(streams.get(path));
    const [codepage] = CODE_PAGES.flatMap((tag) => findProperty(bytesAt(PROPERTIES), tag)?.readUInt32LE() ?? []);
    const decode = async (narrow: Buffer): Promise<string> =>
      codepage === undefined || codepage === UTF_16
        ? await decodeText(narrow)
        : createDecoder(codepage).decode(narrow).replaceAll('\0', '');
    const textAt = async (tag: string, folder = ''): Promise<string> => {
      const wide = bytesAt(`${folder}__substg1.0_${tag}001F`);
      if (wide) return wide.toString('utf16le').replaceAll('\0', '');
      const narrow = bytesAt(`${folder}__substg1.0_${tag}001E`);
      if (narrow?.length) return decode(narrow);
      const binary = bytesAt(`${folder}__substg1.0_${tag}0102`);
      return binary?.length ? await decodeText(binary) : '';
    };
    const folders = [...streams.keys()].filter((path) => /^__attach_version1\.0_#[\dA-F]{8}\/$/i.test(path));
    const attachments = await Promise.all(
      folders.map(async (folder) => {
        const name = (await textAt('3707', folder)) || (await textAt('3704', folder)) || (await textAt('3001', folder));
        const inner = buildAttachedMail(streams, `${folder}${ATTACHED_MAIL}`, CFB);
        return { name: inner ? `${name || 'mail'}.msg` : name, content: inner ?? bytesAt(`${folder}__substg1.0_37010102`) };
      }),
    );
    const [name, address] = [await textAt('0C1A'), (await textAt('5D01')) || (await textAt('0C1F'))];
    const date = readDate(bytesAt(PROPERTIES));
    const mail = {
      subject: await textAt('0037'),
      from: name && address.includes('@') && name !== address ? `${name} <${address}>` : name || address,
      to: await textAt('0E04'),
      cc: await textAt('0E03'),
      date: date?.toISOString() ?? '',
      shown_date: date?.toUTCString() ?? '',
      message_id: await textAt('1035'),
      in_reply_to: await textAt('1042'),
      references: await textAt('1039'),
      text: await textAt('1000'),
      html: await textAt('1013'),
      attachments: attachments.flatMap(({ name: file_name, content }) => (content ? [{ name: file_name, content }] : [])),
    };
    return mailDocument(mail);
  },
};

const bytesOfStream = (stream: Stream | undefined): Buffer | undefined =>
  stream?.content && Buffer.from(stream.content as Uint8Array).subarray(0, stream.size);

/** Finds the value of a property of fixed length. */
function findProperty(properties: Buffer | undefined, tag: number): Buffer | undefined {
  for (let at = HEADER_BYTES; properties && at + PROPERTY_BYTES <= properties.length; at += PROPERTY_BYTES)
    if (properties.readUInt32LE(at) === tag) return properties.subarray(at + 8, at + PROPERTY_BYTES);
  return undefined;
}

/** Reads when a mail was sent, or else when it arrived; undefined if both are missing. */
function readDate(properties: Buffer | undefined): Date | undefined {
  for (const tag of TIMES) {
    const value = findProperty(properties, tag);
    if (!value) continue;
    const date = new Date(Number((value.readBigUInt64LE() - EPOCH) / 10_000n));
    if (!Number.isNaN(date.getTime())) return date;
  }
  return undefined;
}

/** Makes a file of a mail that is attached as a folder; undefined if there is none. */
function buildAttachedMail(streams: ReadonlyMap<string, Stream>, folder: string, CFB: typeof XLSX.CFB): Buffer | undefined {
  const own = [...streams].filter(([path, { content }]) => path.startsWith(folder) && !path.endsWith('/') && content);
  if (own.length === 0) return undefined;
  const file = CFB.utils.cfb_new();
  const gap = Buffer.alloc(HEADER_BYTES - SHORT_HEADER);
  for (const [path, stream] of own) {
    const name = path.slice(folder.length);
    const bytes = bytesOfStream(stream)!;
    const whole = name === PROPERTIES ? Buffer.concat([bytes.subarray(0, SHORT_HEADER), gap, bytes.subarray(SHORT_HEADER)]) : bytes;
    CFB.utils.cfb_add(file, `/${name}`, whole);
  }
  return Buffer.from(CFB.write(file, { type: 'buffer' }) as Uint8Array);
}
