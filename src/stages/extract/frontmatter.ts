import { stringify } from 'yaml';
import type { Document } from '../../schema/items.ts';

/** What is true of how a document came here, not of what it says; front matter leaves it out. */
const OURS = new Set(['title', 'source', 'source_kind', 'file_type', 'content_hash', 'description']);

/** The YAML block of a document, `---` lines and the empty line after it included: title, source, description, then what the format knows. */
export function frontmatterBlock({ title, source, metadata }: Document): string {
  const known = Object.fromEntries(Object.entries(metadata).filter(([key, value]) => !OURS.has(key) && value !== undefined));
  const description = metadata.description === undefined ? {} : { description: metadata.description };
  return `---\n${stringify({ title, source, ...description, ...known }, { lineWidth: 0, aliasDuplicateObjects: false })}---\n\n`;
}

/** The document with its YAML block before the text. The marks move along; the block itself stands nowhere in the source. */
export function withFrontmatter(document: Document): Document {
  const block = frontmatterBlock(document);
  const marks = document.marks?.map((mark) => ({ ...mark, at: mark.at + block.length }));
  return { ...document, text: block + document.text, ...(marks ? { marks } : {}) };
}
