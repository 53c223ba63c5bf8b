import { fileTypes } from '../../packages/documents/src/file-types.ts';
import type { DocumentReader } from '../../src/ports/reading.ts';
import type { DocsInput } from '../../src/schema/source-entries.ts';
import type { Candidate, Extracted, Scope } from '../../src/stages/extract/extract.ts';
import { extractDocs } from '../../src/stages/extract/files/documents.ts';
import type { Authorize } from '../../src/stages/extract/files/local-path.ts';

/** Reads Markdown and text as they are: parsing is not what is tested here. */
export const reader: DocumentReader = {
  ...fileTypes(),
  extensions: ['.md', '.txt'],
  fileType: (path) => (path.endsWith('.md') ? 'markdown' : path.endsWith('.txt') ? 'text' : undefined),
  read: async (bytes) => ({ text: Buffer.from(bytes).toString(), metadata: {} }),
  close: async () => {},
};

/** All that is extracted from documents, by what it is. */
export async function extracted(
  docs: DocsInput,
  cwd: string,
  rest: {
    home?: string;
    authorize?: Authorize;
    reader?: DocumentReader;
    signal?: AbortSignal;
    follow_links?: boolean;
    gitignore?: boolean;
    link?: (url: string) => AsyncGenerator<Extracted>;
  } = {},
) {
  const items: Extracted[] = [];
  const link = async function* (url: string): AsyncGenerator<Extracted> {
    yield { passed_over: url };
  };
  for await (const item of extractDocs(docs, {
    reader,
    cwd,
    home: cwd,
    frontmatter: false,
    follow_links: false,
    gitignore: true,
    ocr: 'report',
    kinds: ['documents'],
    link,
    ...rest,
  }))
    items.push(item);
  const pick = <T>(key: string) => items.flatMap((item) => (key in item ? [(item as unknown as Record<string, T>)[key]!] : []));
  const candidates = pick<Candidate>('candidate');
  return {
    candidates,
    sources: candidates.map(({ source }) => source),
    errors: pick<{ source: string; source_kind: string; error: string; stage: string; isRetryable: boolean }>('error'),
    passed: pick<string>('passed_over'),
    scopes: pick<Scope>('scope'),
    notices: pick<string>('notice'),
    expected: pick<number>('expected').reduce((sum, count) => sum + count, 0),
  };
}
