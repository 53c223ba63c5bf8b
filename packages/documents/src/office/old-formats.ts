import { extensionOf } from '../archives/compressed-files.ts';
import { hasStream, isCompound } from '../bytes.ts';
import { officeCommand, oldFormatError, shellWord } from '../errors.ts';
import type { ParserRow } from '../parser.ts';

/** Makes a parser that refuses files of an old format. Its extensions are also those of files in other formats, which are read. */
function oldFormat(row: Omit<ParserRow, 'parse'>, target: string): ParserRow {
  return {
    ...row,
    async parse(_, { source }) {
      throw oldFormatError(source, row, target);
    },
  };
}

/** DOC: Word until 2003. Programs also export web pages, RTF, MHTML and plain text under its extension. */
export const docParser = oldFormat(
  {
    file_type: 'doc',
    name: 'a Word document of an old version (DOC)',
    extensions: ['.doc', '.dot'],
    media_types: ['application/msword'],
    text_type: 'text',
    recognizes: (bytes) => isCompound(bytes) && hasStream(bytes, 'WordDocument'),
  },
  'docx',
);

/** PPT: PowerPoint until 2003. */
export const pptParser = oldFormat(
  {
    file_type: 'ppt',
    name: 'a PowerPoint presentation of an old version (PPT)',
    extensions: ['.ppt', '.pps', '.pot'],
    media_types: ['application/vnd.ms-powerpoint'],
    recognizes: (bytes) => isCompound(bytes) && hasStream(bytes, 'PowerPoint Document'),
  },
  'pptx',
);

/** Formats that are not read: the type that LibreOffice converts their files to. */
const CONVERTED_TO: Readonly<Record<string, string>> = { '.pages': 'docx', '.hwp': 'docx', '.numbers': 'xlsx', '.key': 'pptx' };
/** Extensions of manual pages in roff, and of their compressed files. */
const MANUAL_PAGE = /^\.(?:[1-8](?:const|edit|head|m|ncurses|p|perl|pm|posix|ssl|t|tcl|tk|type|x)?|man|mdoc|roff)$/;

/** Returns the command that converts a file of a kind that is not read; undefined if none is known. */
export function conversionOf(path: string): string | undefined {
  const extension = extensionOf(path);
  const target = CONVERTED_TO[extension];
  if (target) return officeCommand(path, target);
  return MANUAL_PAGE.test(extension) ? `mandoc -T markdown ${shellWord(path)} > ${shellWord(`${path}.md`)}` : undefined;
}
