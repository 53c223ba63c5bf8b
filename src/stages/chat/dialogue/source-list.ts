import type { Language } from '../../../languages/language.ts';

/** A stored document, for people. */
export interface ListedSource {
  source: string;
  title: string;
}

/** The first stored documents, and the number of all. */
export interface SourceList {
  sources: readonly ListedSource[];
  total: number;
}

/** Documents that an answer lists. */
export const MAX_LISTED = 50;

/** Writes a title as text, and a source as code: documents must not bring links, pictures and markup into an answer. */
const asText = (title: string): string => title.replace(/\s+/g, ' ').replace(/[\\`*[\]<]/g, String.raw`\$&`);
const asCode = (source: string): string => `\`${source.replace(/\s+/g, ' ').replaceAll('`', "'")}\``;

/** Writes the answer to a question for the stored documents: their titles and sources. */
export function writeSourceList({ sources, total }: SourceList, { sourceList: { heading, more, empty } }: Language): string {
  if (total === 0) return empty;
  const lines = sources.map(({ source, title }) => `- ${title === source ? '' : `${asText(title)}: `}${asCode(source)}`);
  const unlisted = total - sources.length;
  return [
    heading.replace('{count}', String(total)),
    '',
    ...lines,
    ...(unlisted > 0 ? ['', more.replace('{count}', String(unlisted))] : []),
  ].join('\n');
}
