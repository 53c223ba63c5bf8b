import { KbError } from '../../../core/errors.ts';
import { hash } from '../../../core/ids.ts';
import type { ParsedDocument } from '../../../ports/reading.ts';
import type { Document } from '../../../schema/items.ts';
import { type ApiSettings, apiSource, markedSource } from './api-settings.ts';
import type { ApiPage } from './api-page.ts';
import { type Candidate, contentHash } from '../extract.ts';
import { toDocument, withFrontmatter } from '../document.ts';
import { withoutMarkup } from './markup.ts';
import { inUtf8 } from '../../../http/message.ts';
import type { NetworkParts } from '../pages/network.ts';
import { asMarkdown, datesIn, idIn, recordMarkdown, titleIn } from './records.ts';

/** The documents of a page: one for each record at `items_path`, else the page as one. `met` holds the sources and hashes of the records before, of all pages. */
export function documentsOf(page: ApiPage, api: ApiSettings, parts: NetworkParts & { met: Map<string, string> }): Candidate[] {
  return page.records
    ? page.records.flatMap((record, i) => recordCandidate(record, { page, index: i + 1, api, parts }))
    : [pageCandidate(page, api, parts)];
}

interface RecordPlace {
  page: ApiPage;
  /** 1 for the first of the page. */
  index: number;
  api: ApiSettings;
  parts: NetworkParts & { met: Map<string, string> };
}

/** None for a record that came before; one whose id another record has is told apart by its place. */
function recordCandidate(record: unknown, { page, index, api, parts }: RecordPlace): Candidate[] {
  const { met, reader, signal } = parts;
  const { title_field } = api;
  const id = idIn(record);
  const content_hash = contentHash(`${JSON.stringify(record)}${title_field ?? ''}`, api);
  const placed = markedSource(page.source, `record=${index}`);
  let source = id === undefined ? placed : markedSource(apiSource(api), `record=${encodeURIComponent(id)}`);
  if (met.get(source) === content_hash) return [];
  if (met.has(source)) source = markedSource(page.source, `place=${index}`);
  met.set(source, content_hash);
  const parse = async (): Promise<ParsedDocument> => {
    const readable = await withoutMarkup(record, { reader, source, signal });
    const title = titleIn(readable, title_field) ?? (api.title && `${api.title} ${id ?? index}`) ?? id ?? `Record ${index}`;
    return { text: recordMarkdown(readable, 1, title_field), title, metadata: datesIn(record) };
  };
  return [candidateOf({ source, content_hash, file_type: page.structure!.file_type, parse }, { ...api, title: undefined })];
}

function pageCandidate(page: ApiPage, api: ApiSettings, { reader, signal }: NetworkParts): Candidate {
  const { source, answer, structure, number } = page;
  const numbered = (title: string | undefined) => (title && number > 1 ? `${title} (page ${number})` : title);
  const given = { ...api, title: numbered(api.title) };
  if (structure) {
    const { title_field } = api;
    const parse = async () => {
      const value = await withoutMarkup(structure.value, { reader, source, signal });
      return { text: asMarkdown(value, title_field), title: numbered(titleIn(value, title_field)), metadata: datesIn(value) };
    };
    const content_hash = contentHash(`${page.digest}${title_field ?? ''}`, given);
    return candidateOf({ source, content_hash, file_type: structure.file_type, parse }, given);
  }
  const file_type = reader.fileTypeOf(answer);
  if (file_type === undefined)
    throw new KbError('invalid', `${source} answered with «${answer.content_type || 'no named type'}», which kb cannot read.`, {
      hint: `It reads JSON, XML, text, web pages and ${reader.extensions.join(', ')}.`,
    });
  const bytes = inUtf8(answer);
  const parse = () => reader.read(bytes, { source, file_type, signal });
  return candidateOf({ source, content_hash: contentHash(bytes, given), file_type, parse }, given);
}

interface Unparsed {
  source: string;
  content_hash: string;
  file_type: string;
  parse(): Promise<ParsedDocument>;
}

function candidateOf(
  { source, content_hash, file_type, parse }: Unparsed,
  { title, description, frontmatter }: Omit<ApiSettings, 'url'>,
): Candidate {
  const document = async (): Promise<Document> => {
    const parsed = await parse();
    const made = toDocument(parsed, { source, source_kind: 'api', file_type, content_hash: hash(parsed.text), title, description });
    return frontmatter ? withFrontmatter(made) : made;
  };
  return { source, source_kind: 'api', content_hash, document };
}
