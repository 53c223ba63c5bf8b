import { basename, extname } from 'node:path';
import { stringify } from 'yaml';
import type { Document, SourceKind } from '../../schema/items.ts';
import { cleanDocument, rewriteDocument, type RewriteText } from '../../text/clean-text.ts';
import { KbError } from '../../core/errors.ts';
import { documentId } from '../../core/ids.ts';
import type { ParsedDocument } from '../../ports/reading.ts';
import { pageKindOf } from '../../text/page-kind.ts';
import { basicAuthForms, credentialsIn, createRedactor } from '../../core/secrets.ts';
import { decodeUrlPart } from '../../http/message.ts';
import { isHarmlessHeader } from '../../http/site-headers.ts';
import type { Config } from '../../schema/config.ts';
import { settingsFor } from './api/api-settings.ts';
import type { Extracted, FoundDocument } from './extract.ts';
import { renameReservedKeys } from '../reserved-metadata.ts';
import { addressesIn, type NetworkSources } from './pages/web-addresses.ts';

/** Metadata keys that are not copied into front matter: kb sets them, or they are written separately. */
const OWN_KEYS = new Set(['title', 'source', 'source_kind', 'file_type', 'content_hash', 'description']);

/** Puts a YAML block before the text (title, source, description, further metadata), and moves the marks. The block has no location in the source. */
function withFrontmatter(document: Document): Document {
  const { title, source, metadata, marks } = document;
  const known = Object.fromEntries(Object.entries(metadata).filter(([key, value]) => !OWN_KEYS.has(key) && value !== undefined));
  const description = metadata.description === undefined ? {} : { description: metadata.description };
  const yaml = stringify({ title, source, ...description, ...known }, { lineWidth: 0, aliasDuplicateObjects: false });
  const block = `---\n${yaml}---\n\n`;
  const moved = marks?.map((mark) => ({ ...mark, at: mark.at + block.length }));
  return { ...document, text: block + document.text, ...(moved ? { marks: moved } : {}) };
}

/** The origin of a document, and what the caller says about it. */
export interface Provenance {
  source: string;
  /** The document id, if it is not derived from the source alone. */
  id?: string | undefined;
  source_kind: SourceKind;
  file_type: string;
  /** Hash of the bytes or text that it was made from. */
  content_hash: string;
  /** Given by the caller; it wins over what the file says. */
  title?: string | undefined;
  description?: string | undefined;
  /** Whether the text begins with a YAML block of its metadata. */
  frontmatter?: boolean | undefined;
}

/** Makes a clean document of a parsed file, with its members. Keys of front matter that kb sets itself are renamed. Throws a KbError (`invalid`) if a page has no text. */
export function toDocument(parsed: ParsedDocument, { frontmatter, ...provenance }: Provenance): FoundDocument {
  const members = memberDocuments(parsed, provenance);
  const whole = members.length > 0 && parsed.text.trim() === '' ? [] : [documentOf(parsed, provenance)];
  const [first, ...others] = [...whole, ...members].map((document) => (frontmatter ? withFrontmatter(document) : document));
  return others.length > 0 ? { ...first!, members: others } : first!;
}

/** Drops the documents of the files inside a file, such as those of an archive or the attachments of a mail. */
export const withoutMembers = ({ members: _, ...document }: FoundDocument): Document => document;

/** Makes a document of each member of a file, at any depth. Each has the metadata of the file as well. */
function memberDocuments({ members = [], metadata }: ParsedDocument, { title: _, ...provenance }: Provenance, folder = ''): Document[] {
  const id = provenance.id ?? documentId(provenance.source);
  return members.flatMap(({ path: name, file_type, parsed }) => {
    const path = folder + name;
    const marks = (parsed.marks?.length ? parsed.marks : [{ at: 0 }]).map((mark) => ({ ...mark, member: path }));
    const own = { title: nameOf(path), ...parsed, metadata: { ...metadata, ...parsed.metadata, member: path }, marks };
    const documents = parsed.text.trim() === '' ? [] : [documentOf(own, { ...provenance, id: documentId(`${id}\n${path}`), file_type })];
    return [...documents, ...memberDocuments(parsed, { ...provenance, id }, `${path}/`)];
  });
}

function documentOf(
  parsed: ParsedDocument,
  { id, source, source_kind, file_type, content_hash, title: given, description }: Provenance,
): Document {
  if (parsed.page && parsed.text.trim() === '')
    throw new KbError('invalid', `${source} is a web page without any text.`, {
      hint: 'Add text to it, or leave it out.',
      hasNoText: true,
    });
  const title = given ?? parsed.title ?? nameOf(source);
  const page_kind = isReplaced(parsed, source) ? 'outdated' : pageKindOf(parsed.text, title);
  const known = { ...(page_kind ? { page_kind } : {}), ...renameReservedKeys(parsed.metadata), ...(description ? { description } : {}) };
  const metadata = { ...known, title, source_kind, file_type: parsed.file_type ?? file_type, content_hash };
  const { text, marks } = parsed;
  const document = cleanDocument({ id: id ?? documentId(source), text, source, title, metadata, ...(marks ? { marks } : {}) });
  if (text !== '' && document.text === '')
    throw new KbError('invalid', `${source} contains only control characters.`, { hint: 'Check how it was created, or leave it out.' });
  return document;
}

/** Whether a page that is stored under its own address names another page of its site as the current one; some sites name their start page everywhere. */
function isReplaced({ page }: ParsedDocument, source: string): boolean {
  if (page?.canonical === undefined || !URL.canParse(source)) return false;
  const [canonical, own] = [new URL(page.canonical), new URL(source)];
  const isOther = canonical.pathname.replace(/\/$/, '') !== own.pathname.replace(/\/$/, '');
  return canonical.origin === own.origin && canonical.pathname !== '/' && isOther;
}

/** The default title: the file name without its extension, or the last segment of the address, else its host. */
export function nameOf(source: string): string {
  if (!/^https?:\/\//i.test(source) || !URL.canParse(source)) return basename(source, extname(source)) || source;
  const { pathname, host } = new URL(source);
  return basename(pathname).replace(/(?<=.)\.[a-z]\w{0,9}$/i, '') || host;
}

interface RequestInput extends NetworkSources {
  sites: Config['network']['sites'];
  settings: Config['ingestion']['api'];
}

type Fields = readonly (readonly [string, unknown])[];

const fieldsIn = (value: unknown): Fields =>
  typeof value === 'object' && value !== null
    ? Object.entries(value).flatMap(([name, inner]): Fields => (typeof inner === 'object' ? fieldsIn(inner) : [[name, inner]]))
    : [];

function addressCredentials(address: string): string[] {
  const { username, password, searchParams } = new URL(address);
  const pair = username === '' ? [] : basicAuthForms(`${decodeUrlPart(username)}:${decodeUrlPart(password)}`);
  return [...pair, ...[...searchParams].flatMap(([name, value]) => credentialsIn(name, value))];
}

/** Maximum parameters in all addresses of a run: each is examined before the run begins. */
const MAX_PARAMETERS = 50_000;

function assertFewParameters(addresses: readonly string[]): void {
  let parameters = 0;
  for (const address of addresses) for (let at = address.indexOf('&'); at >= 0; at = address.indexOf('&', at + 1)) parameters++;
  if (parameters <= MAX_PARAMETERS) return;
  throw new KbError('usage', `The addresses have more than ${MAX_PARAMETERS.toLocaleString('en-US')} parameters in all.`, {
    hint: 'Read them in several runs.',
  });
}

/**
 * Creates a function that removes the credentials that a run sends from the texts that it receives; undefined if it sends none. Throws a KbError (`usage`) for
 * addresses with too many parameters or credentials.
 */
export function redactorFor({ docs, urls, api, sites, settings }: RequestInput): RewriteText | undefined {
  const addresses = addressesIn({ docs, urls, api });
  assertFewParameters(addresses);
  const apis = [api ?? []].flat().map((entry) => settingsFor(entry, settings));
  const apiFields = apis.flatMap(({ headers, params, body }) => [headers, params, body].flatMap(fieldsIn));
  const given = sites.flatMap(({ headers = {}, cookies = {} }) => [
    ...Object.entries(headers).filter(([name]) => !isHarmlessHeader(name)),
    ...Object.entries(cookies),
  ]);
  return createRedactor([
    ...sites.flatMap(({ basic_auth }) => (basic_auth === undefined ? [] : basicAuthForms(basic_auth))),
    ...given.flatMap(([name, value]) => credentialsIn(name, value, { isSiteCredential: true })),
    ...apiFields.flatMap(([name, value]) => credentialsIn(name, String(value))),
    ...addresses.flatMap(addressCredentials),
  ]);
}

/** Applies a redactor to the documents, errors and notices of an extractor. */
export async function* redactItems(
  items: AsyncIterable<Extracted>,
  redact: RewriteText | undefined,
): AsyncGenerator<Extracted, void, void> {
  for await (const item of items) yield redact ? redactItem(item, redact) : item;
}

function redactItem(item: Extracted, redact: RewriteText): Extracted {
  if ('error' in item) return { ...item, error: { ...item.error, error: redact(item.error.error) } };
  if ('notice' in item) return { notice: redact(item.notice) };
  if (!('candidate' in item)) return item;
  const { candidate } = item;
  return { candidate: { ...candidate, document: async () => redactDocument(await candidate.document(), redact) } };
}

const redactDocument = ({ members, ...document }: FoundDocument, redact: RewriteText): FoundDocument => ({
  ...rewriteDocument(document, redact),
  ...(members ? { members: members.map((member) => rewriteDocument(member, redact)) } : {}),
});
