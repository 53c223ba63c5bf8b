import type { ParsedDocument } from '../types.ts';
import { escapeTags, oneLine } from '../markdown/write.ts';
import { createDecoder } from '../bytes.ts';
import type { ParserRow } from '../parser.ts';
import { firstHeading } from '../parsed-document.ts';
import { type Block, type BlockCell, escapeLines, heading, item, Notes, paragraph, table, writeBlocks } from './blocks.ts';

/** Maximum nesting of groups. */
const MAX_DEPTH = 1_000;
/** A control word with its number, the code of a character, a control symbol, a bracket, or text (RTF 1.9.1). */
const TOKEN = /\\([a-z]{1,32})(-?\d{1,10})? ?|\\'([\da-f]{2})|\\([^a-z])|([{}])|([^\\{}]+)/giy;
/** Destinations whose text is not part of the document. */
const SKIPPED = new Set(
  'info colortbl stylesheet listtable listoverridetable rsidtbl generator pict object header headerl headerr headerf footer footerl footerr footerf fldinst themedata colorschememapping latentstyles datastore xmlnstbl mmathPr filetbl revtbl bkmkstart bkmkend annotation atnid atnauthor nonshppict shpinst'.split(
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
/** The number or letter of an item; other labels are bullets. */
const NUMBER = /^[\w(]+[.)]/;
const MAX_ITEM_DEPTH = 8;
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
  destination: 'skipped' | 'note' | 'text' | 'style' | 'item' | 'font' | { property: string };
  /** Number of its font. */
  font: string;
  /** Characters that replace one named by `\u` for older readers (`\uc`). */
  fallback: number;
  isStarred: boolean;
}

/** RTF: paragraphs, headings (by style or level), lists, tables and notes, without pictures. */
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
    const { text } = writer;
    return { text, title: title ?? firstHeading(text), metadata };
  },
};

class RtfWriter {
  readonly properties: Record<string, string> = {};
  readonly #blocks: Block[] = [];
  readonly #notes = new Notes();
  readonly #groups: Group[] = [{ destination: 'text', font: '', fallback: 1, isStarred: false }];
  /** Levels of headings by the number of their style. */
  readonly #styles = new Map<string, number>();
  #decoder = new TextDecoder('windows-1252');
  /** Decoders of fonts with character sets of their own. */
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
  /** Nesting depth of an item. */
  #depth = 0;
  #cells: BlockCell[] = [];
  #rows: BlockCell[][] = [];

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
    return writeBlocks([...this.#blocks, ...this.#notes.take()]);
  }

  get #group(): Group {
    return this.#groups.at(-1)!;
  }

  #open(): void {
    if (this.#groups.length > MAX_DEPTH) throw new RangeError('it is nested too deeply');
    this.#groups.push({ ...this.#group, isStarred: false });
  }

  #close(): void {
    const { destination } = this.#groups.length > 1 ? this.#groups.pop()! : this.#group;
    if (destination === 'note' && this.#group.destination !== 'note') {
      this.#add(this.#notes.add(escapeTags(oneLine(this.#note))));
      this.#note = '';
    }
    if (destination === 'style') {
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
    if (word === 'stylesheet') group.destination = 'style';
    else if (word === 'fonttbl') group.destination = 'font';
    else if (word === 'f') group.font = number ?? '0';
    else if (word === 'plain' || word === 'deff') group.font = word === 'deff' ? (this.#font = number ?? '0') : this.#font;
    else if (word === 'fcharset') {
      const codepage = CODE_PAGES[Number(number ?? 0)];
      if (codepage !== undefined) this.#fonts.set(group.font, createDecoder(codepage));
    } else if (group.destination === 'style' && word === 's') this.#style = number ?? '0';
    else if (SKIPPED.has(word) || (group.isStarred && !/^(?:pn|shppict|shptxt|footnote)$/.test(word))) group.destination = 'skipped';
    else if (PROPERTIES[word] !== undefined) group.destination = { property: PROPERTIES[word] };
    else if (word === 'footnote') group.destination = 'note';
    else if (word === 'listtext' || word === 'pntext') group.destination = 'item';
    else this.#format(word, number);
  }

  #format(word: string, number: string | undefined): void {
    const value = Number(number ?? 0);
    if (word === 'ansicpg') this.#decoder = createDecoder(value);
    else if (word === 'uc') this.#group.fallback = value;
    else if (word === 'u') {
      this.#plain(String.fromCharCode(value & 0xffff));
      this.#skip = this.#group.fallback;
    } else if (this.#group.destination !== 'text') return;
    else if (word === 'par' || word === 'sect' || word === 'page') this.#endParagraph();
    else if (word === 'pard') [this.#level, this.#isCell, this.#depth] = [0, false, 0];
    else if (word === 'ilvl') this.#depth = Math.min(MAX_ITEM_DEPTH, value);
    else if (word === 'intbl') this.#isCell = true;
    else if (word === 'outlinelevel') this.#level = value < 9 ? value + 1 : 0;
    else if (word === 's') this.#level = this.#styles.get(number ?? '0') ?? this.#level;
    else if (word === 'cell') this.#endCell();
    else if (word === 'row') this.#endRow();
  }

  #plain(text: string): void {
    const skipped = Math.min(this.#skip, text.length);
    this.#skip -= skipped;
    this.#add(text.slice(skipped));
  }

  #flush(): void {
    if (this.#bytes.length === 0) return;
    const text = (this.#fonts.get(this.#group.font) ?? this.#decoder).decode(Uint8Array.from(this.#bytes));
    this.#bytes = [];
    this.#add(text);
  }

  #add(text: string): void {
    const { destination } = this.#group;
    if (destination === 'text') this.#paragraph += text;
    else if (destination === 'note') this.#note += text;
    else if (destination === 'item') this.#item += text;
    else if (destination === 'style') this.#styleName += text;
    else if (typeof destination === 'object') {
      const { property } = destination;
      this.properties[property] = (this.properties[property] ?? '') + text;
    }
  }

  #endParagraph(): void {
    if (this.#isCell) {
      this.#paragraph += this.#paragraph === '' ? '' : '\n';
      return;
    }
    const [text, label] = [this.#paragraph.trim(), this.#item.trim()];
    [this.#paragraph, this.#item] = ['', ''];
    if (text === '') return;
    this.#endTable();
    const lines = escapeTags(text).split('\n').map(oneLine).join('\n');
    if (this.#level > 0) this.#blocks.push(heading(this.#level, lines));
    else if (label === '') this.#blocks.push(paragraph(escapeLines(lines)));
    else this.#blocks.push(item(lines, { depth: this.#depth, label: NUMBER.test(label) ? `${label} ` : '' }));
  }

  #endCell(): void {
    this.#cells.push({ blocks: [paragraph(escapeTags(this.#paragraph.trim()))] });
    [this.#paragraph, this.#item] = ['', ''];
  }

  #endRow(): void {
    if (this.#cells.length > 0) this.#rows.push(this.#cells);
    this.#cells = [];
    this.#isCell = false;
  }

  #endTable(): void {
    this.#blocks.push(...table(this.#rows));
    this.#rows = [];
  }
}
