import { decodeText } from '../encoding.ts';
import type { ParserRow } from '../parser-row.ts';
import { markHeadings } from '../light-markup/plain-headings.ts';
import { readRoff } from './roff-page.ts';

/** A title, a heading or a reference to another page, as macros of man(7) and mdoc(7). */
const ROFF = /^[.'][ \t]*(?:TH|SH|Sh|Dd|Dt|so)\b/m;
/** Characters in which that stands, if anywhere: licences and definitions come before it. */
const HEAD = 65_536;

/** A manual page in the markup of roff; a file with such a number for an extension may be any text, too. */
export const roffParser: ParserRow = {
  file_type: 'roff',
  name: 'a manual page (roff)',
  extensions: ['.1', '.2', '.3', '.4', '.5', '.6', '.7', '.8', '.man', '.mdoc', '.roff'],
  // not any letters: a .7z is an archive, a .3gp a film
  more_extensions: /^\.[1-8](?:const|edit|head|m|ncurses|p|perl|pm|posix|ssl|t|tcl|tk|type|x)$/,
  media_types: ['text/troff', 'application/x-troff-man', 'application/x-troff'],
  is_text: true,
  is_quick: true,
  async parse(bytes) {
    const text = await decodeText(bytes);
    return ROFF.test(text.slice(0, HEAD)) ? readRoff(text) : { ...markHeadings(text), metadata: {}, marks: [{ at: 0, line: 1 }] };
  },
};
