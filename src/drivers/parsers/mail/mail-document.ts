import type { Metadata } from '../../../schema/items.ts';
import { escapeLine, heading, oneLine } from '../../../text/markdown/write.ts';
import { parseHtml } from '../html/dom.ts';
import { toMarkdown } from '../html/to-markdown.ts';
import type { ParsedDocument } from '../../../ports/reading.ts';
import { distinctNames } from '../distinct-names.ts';

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
  const facts = [
    ['From', from],
    ['To', to],
    ['Cc', cc],
    ['Date', shown_date],
    ['Attachments', names.join(', ')],
  ].flatMap(([name, value]) => (value ? [`- ${name}: ${escapeLine(oneLine(value))}`] : []));
  const title = oneLine(subject);
  const blocks = [...(title ? [heading(1, escapeLine(title))] : []), ...(facts.length > 0 ? [facts.join('\n')] : []), await bodyOf(mail)];
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
