import type { Metadata } from '../../../schema/items.ts';
import type { ParsedDocument } from '../../../ports/reading.ts';
import { escapeLine, heading, oneLine, tableLines } from '../../../text/markdown/write.ts';
import { createDecoder } from '../bytes.ts';
import type { ParserRow } from '../parser-row.ts';
import { firstHeading } from '../parsed-document.ts';

/** Groups within groups, at most. */
const DEEPEST = 1_000;
/** A control word with its number, a character by its code, a control symbol, a bracket, or text (RTF 1.9.1). */
const TOKEN = /\\([a-z]{1,32})(-?\d{1,10})? ?|\\'([\da-f]{2})|\\([^a-z])|([{}])|([^\\{}]+)/giy;
/** Groups whose text is not that of the document. */
const SKIPPED = new Set(
  'colortbl stylesheet listtable listoverridetable rsidtbl generator pict object header headerl headerr headerf footer footerl footerr footerf fldinst themedata colorschememapping latentstyles datastore xmlnstbl mmathPr filetbl revtbl bkmkstart bkmkend annotation atnid atnauthor nonshppict shpinst'.split(
    ' ',
  ),
);
const CHARACTERS: Readonly<Record<string, string>> = {
  tab: ' ',
  line: '\n',
  emdash: '—',
  endash: '–',
  lquote: '‘',
  rquote: '’',
  ldblquote: '“',
  rdblquote: '”',
  bullet: '•',
  emspace: ' ',
  enspace: ' ',
};
const ITEM = /^ *(?:-|\d+\.) /;
const DEEPEST_ITEM = 8;
const PROPERTIES: Readonly<Record<string, string>> = { title: 'title', author: 'author', subject: 'description' };

/** Code pages by the character sets of fonts (`\fcharset`). */
const CODE_PAGES: Readonly<Record<number, number>> = {
  128: 932,
  129: 949,
  134: 936,
  136: 950,
  161: 1253,
  162: 1254,
  163: 1258,
  177: 1255,
  178: 1256,
  186: 1257,
  204: 1251,
  222: 874,
  238: 1250,
};

interface Group {
  /** Its text goes nowhere, into the notes, into a property, or into the document. */
  goes: 'nowhere' | 'note' | 'text' | 'style' | 'item' | 'font' | { property: string };
  /** The font of its text, by its number. */
  font: string;
  /** Characters that stand for one that `\u` named (`\uc`). */
  fallback: number;
  isStarred: boolean;
}

/** Rich text: paragraphs, headings by their style or level, lists, tables, notes; pictures are left out. */
export const rtfParser: ParserRow = {
  file_type: 'rtf',
  name: 'a rich text file (RTF)',
  extensions: ['.rtf'],
  media_types: ['application/rtf', 'text/rtf'],
  signature: /^\{\\rtf/,
  recognizes: (bytes) => Buffer.from(bytes.subarray(0, 5)).toString('latin1') === '{\\rtf',
  async parse(bytes): Promise<ParsedDocument> {
    const writer = new RtfWriter();
    writer.read(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('latin1'));
    const { title, ...metadata } = writer.properties;
    const text = writer.text;
    return { text, title: (title as string | undefined) ?? firstHeading(text), metadata };
  },
};

class RtfWriter {
  readonly properties: Metadata = {};
  readonly #blocks: string[] = [];
  readonly #notes: string[] = [];
  readonly #groups: Group[] = [{ goes: 'text', font: '', fallback: 1, isStarred: false }];
  /** Levels of headings by the numbers of their styles. */
  readonly #styles = new Map<string, number>();
  #decoder: InstanceType<typeof TextDecoder> = new TextDecoder('windows-1252');
  /** Decoders of fonts whose characters are others. */
  readonly #fonts = new Map<string, InstanceType<typeof TextDecoder>>();
  #font = '0';
  #bytes: number[] = [];
  #skip = 0;
  #paragraph = '';
  #item = '';
  #note = '';
  #style = '';
  #styleName = '';
  #level = 0;
  #isCell = false;
  /** Of an item, in the lists around it. */
  #depth = 0;
  #cells: string[] = [];
  #rows: string[][] = [];

  read(source: string): void {
    TOKEN.lastIndex = 0;
    for (let match = TOKEN.exec(source); match; match = TOKEN.exec(source)) {
      const [, word, number, code, symbol, bracket, text] = match;
      if (code !== undefined) {
        if (this.#skip > 0) this.#skip -= 1;
        else this.#bytes.push(parseInt(code, 16));
        continue;
      }
      this.#flush();
      if (bracket === '{') this.#open();
      else if (bracket === '}') this.#close();
      else if (word !== undefined) {
        if (word === 'bin') TOKEN.lastIndex += Math.max(0, Number(number ?? 0));
        else this.#control(word.toLowerCase(), number);
      } else if (symbol !== undefined) this.#symbol(symbol);
      else if (text !== undefined) this.#plain(text.replace(/[\r\n]/g, ''));
    }
    this.#flush();
    this.#endParagraph();
    this.#endRow(); // some programs end no row
    this.#endTable();
  }

  get text(): string {
    const notes = this.#notes.map((note, i) => `${i + 1}. ${note}`).join('\n');
    const body = this.#blocks.reduce((text, block, i) => {
      const isList = ITEM.test(block) && ITEM.test(this.#blocks[i - 1] ?? '');
      return `${text}${i === 0 ? '' : isList ? '\n' : '\n\n'}${block}`;
    }, '');
    return [body, notes].filter(Boolean).join('\n\n');
  }

  get #group(): Group {
    return this.#groups.at(-1)!;
  }

  #open(): void {
    if (this.#groups.length > DEEPEST) throw new RangeError('it is nested too deeply');
    this.#groups.push({ ...this.#group, isStarred: false });
  }

  #close(): void {
    const { goes } = this.#groups.length > 1 ? this.#groups.pop()! : this.#group;
    if (goes === 'note' && this.#group.goes !== 'note') {
      const note = oneLine(this.#note);
      this.#note = '';
      if (note !== '') this.#add(`[${this.#notes.push(escapeLine(note))}]`);
    }
    if (goes === 'style') {
      const level = /^(?:heading|titre|überschrift|título) (\d)/i.exec(this.#styleName)?.[1];
      const isTitle = /^title;?$/i.test(this.#styleName.trim());
      if (level !== undefined || isTitle) this.#styles.set(this.#style, Number(level ?? 1));
      this.#styleName = '';
    }
  }

  #symbol(symbol: string): void {
    if (symbol === '*') this.#group.isStarred = true;
    else if (symbol === '~') this.#plain('\u00a0');
    else if (symbol === '_') this.#plain('-');
    else if (/[\\{}]/.test(symbol)) this.#plain(symbol);
    else if (symbol === '\n' || symbol === '\r') this.#endParagraph();
  }

  #control(word: string, number: string | undefined): void {
    const group = this.#group;
    const character = CHARACTERS[word];
    if (character !== undefined) return this.#plain(character);
    if (word === 'stylesheet') group.goes = 'style';
    else if (word === 'fonttbl') group.goes = 'font';
    else if (word === 'f') group.font = number ?? '0';
    else if (word === 'plain' || word === 'deff') group.font = word === 'deff' ? (this.#font = number ?? '0') : this.#font;
    else if (word === 'fcharset') this.#fontOf(group.font, Number(number ?? 0));
    else if (group.goes === 'style' && word === 's') this.#style = number ?? '0';
    else if (SKIPPED.has(word) || (group.isStarred && !/^(?:pn|shppict|shptxt)$/.test(word) && word !== 'footnote')) group.goes = 'nowhere';
    else if (word === 'info') group.goes = 'nowhere';
    else if (PROPERTIES[word] !== undefined) group.goes = { property: PROPERTIES[word] };
    else if (word === 'footnote') group.goes = 'note';
    else if (word === 'listtext' || word === 'pntext') group.goes = 'item';
    else this.#format(word, number);
  }

  #fontOf(font: string, charset: number): void {
    const codepage = CODE_PAGES[charset];
    if (codepage !== undefined) this.#fonts.set(font, createDecoder(codepage));
  }

  #format(word: string, number: string | undefined): void {
    const value = Number(number ?? 0);
    if (word === 'ansicpg') this.#decoder = createDecoder(value);
    else if (word === 'uc') this.#group.fallback = value;
    else if (word === 'u') {
      this.#plain(String.fromCharCode(value & 0xffff));
      this.#skip = this.#group.fallback;
    } else if (this.#group.goes !== 'text') return;
    else if (word === 'par' || word === 'sect' || word === 'page') this.#endParagraph();
    else if (word === 'pard') [this.#level, this.#isCell, this.#depth] = [0, false, 0];
    else if (word === 'ilvl') this.#depth = Math.min(DEEPEST_ITEM, value);
    else if (word === 'intbl') this.#isCell = true;
    else if (word === 'outlinelevel') this.#level = value < 9 ? value + 1 : 0;
    else if (word === 's') this.#level = this.#styles.get(number ?? '0') ?? this.#level;
    else if (word === 'cell') this.#endCell();
    else if (word === 'row') this.#endRow();
  }

  #plain(text: string): void {
    if (this.#skip > 0) {
      const skipped = Math.min(this.#skip, text.length);
      this.#skip -= skipped;
      return this.#add(text.slice(skipped));
    }
    this.#add(text);
  }

  #flush(): void {
    if (this.#bytes.length === 0) return;
    const text = (this.#fonts.get(this.#group.font) ?? this.#decoder).decode(Uint8Array.from(this.#bytes));
    this.#bytes = [];
    this.#add(text);
  }

  #add(text: string): void {
    const { goes } = this.#group;
    if (goes === 'text') this.#paragraph += text;
    else if (goes === 'note') this.#note += text;
    else if (goes === 'item') this.#item += text;
    else if (goes === 'style') this.#styleName += text;
    else if (typeof goes === 'object') {
      const before = (this.properties[goes.property] as string | undefined) ?? '';
      this.properties[goes.property] = before + text;
    }
  }

  #endParagraph(): void {
    const [text, item] = [this.#paragraph.trim(), this.#item.trim()];
    if (this.#isCell) {
      this.#paragraph += this.#paragraph === '' ? '' : '\n';
      return;
    }
    [this.#paragraph, this.#item] = ['', ''];
    if (text === '') return;
    this.#endTable();
    const lines = text.split('\n').map((line) => escapeLine(oneLine(line)));
    if (this.#level > 0) this.#blocks.push(heading(this.#level, escapeLine(text)));
    else if (item !== '') this.#blocks.push(itemBlock(item, lines, this.#depth));
    else this.#blocks.push(lines.join('\n'));
  }

  #endCell(): void {
    this.#cells.push(oneLine(this.#paragraph));
    [this.#paragraph, this.#item] = ['', ''];
  }

  #endRow(): void {
    if (this.#cells.length > 0) this.#rows.push(this.#cells);
    this.#cells = [];
    this.#isCell = false;
  }

  #endTable(): void {
    if (this.#rows.length > 0) this.#blocks.push(tableLines(this.#rows).join('\n'));
    this.#rows = [];
  }
}

/** An item, with its number where it has one. */
function itemBlock(item: string, lines: readonly string[], depth: number): string {
  const number = /^\(?(\d{1,9})[.)]$/.exec(item)?.[1];
  const marker = number === undefined ? `- ${/^[\w(]+[.)]/.test(item) ? `${item} ` : ''}` : `${number}. `;
  const indent = '   '.repeat(depth);
  return `${indent}${marker}${lines.join(`\n${indent}${' '.repeat(marker.length)}`)}`;
}
