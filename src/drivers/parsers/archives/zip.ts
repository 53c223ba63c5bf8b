import { openArchive } from '../office/archive.ts';
import type { ParsedFile, ParserRow } from '../parser-row.ts';

/** Files that systems and programs put beside those of people. */
const BESIDE = /(?:^|\/)(?:__MACOSX\/|\.(?!\.?\/)|Thumbs\.db$|desktop\.ini$)|\/$/i;

/** The files of an archive, in the order of their names. No name becomes a path on this machine. */
export const zipParser: ParserRow = {
  file_type: 'zip',
  name: 'a ZIP archive',
  kind: 'archives',
  extensions: ['.zip'],
  is_archive: true,
  async parse(bytes, { source }): Promise<ParsedFile> {
    const archive = await openArchive(bytes, { source });
    const names = archive.names.filter((name) => !BESIDE.test(name)).toSorted();
    return { text: '', metadata: {}, files: names.map((path) => ({ path, bytes: async () => (await archive.content(path))! })) };
  },
};
