import { codeFence, escapeLine, heading, oneLine, tableLines } from '../../../text/markdown/write.ts';
import { MarkedBlocks } from '../parsed-document.ts';
import { JOINER, type Definitions } from './roff-lines.ts';

/** The marker of an item: a bullet, a number or a letter. Other signs are bullets only in tags: alone, they may be options. */
const NUMBER = /^(?:[•·○□]|\(?\w{1,3}[.)])$/;
const BULLET = /^[*+o–—-]$/;

/** Writes the blocks of a manual page: headings, terms above their definitions, items, code, tables, paragraphs. */
export class RoffWriter {
  #title: string | undefined;
  /** The address of the link whose text is being read. */
  address = '';
  /** The strings and numbers that the page defines. */
  readonly defined: Definitions;
  readonly #blocks = new MarkedBlocks();
  #lines: string[] = [];
  #line = 0;
  #isCode = false;
  #marker = '';
  #terms: string[] = [];
  /** For each indentation, whether it is inside an item of a list. */
  readonly #indents: boolean[] = [];
  #isItem = false;
  #isTermNext = false;

  constructor(defined: Definitions) {
    this.defined = defined;
  }

  get title(): string | undefined {
    return this.#title;
  }

  setTitle(name = '', section = ''): void {
    this.#title = manualPageTitle(`${name}${section && `(${section})`}`) || undefined;
  }

  /** Adds text without escapes at a line of the source. */
  text(text: string, line: number): void {
    if (this.#isTermNext) {
      this.#isTermNext = text === '';
      return this.term(text, line);
    }
    const last = this.#lines.at(-1);
    if (this.#lines.length === 0) this.#line = line;
    if (last !== undefined && (last.endsWith(JOINER) || text.startsWith(JOINER))) this.#lines[this.#lines.length - 1] = last + text;
    else this.#lines.push(text);
  }

  heading(level: number, text: string, line: number): void {
    this.fill();
    this.#isTermNext = false;
    this.#indents.length = 0;
    this.#isItem = false;
    this.#blocks.add(heading(level, escapeLine(removeJoiners(text))), { line });
  }

  /** Adds a term, which the text behind it defines, or the bullet before that. */
  term(text: string, line: number, { isTag = false } = {}): void {
    const term = oneLine(removeJoiners(text));
    if (NUMBER.test(term) || (isTag && BULLET.test(term))) return this.item(term, line);
    this.paragraph();
    this.#isItem = false;
    if (term === '') return;
    if (this.#terms.length === 0) this.#line = line;
    this.#terms.push(term.includes('`') ? escapeLine(term) : `\`${term}\``);
  }

  /** Makes the next text a term, which the text behind it defines. */
  nextIsTerm(): void {
    this.paragraph();
    this.#isTermNext = true;
  }

  /** Begins an item of a list: `•`, `-`, `1.`. */
  item(marker: string, line: number): void {
    this.paragraph();
    this.#line = line;
    const number = /^\(?(\d{1,3})[.)]$/.exec(marker)?.[1];
    this.#marker = number !== undefined ? `${number}. ` : /\w/.test(marker) && marker !== 'o' ? `- ${marker} ` : '- ';
    this.#isItem = true;
  }

  /** Ends a paragraph: an item goes on, or else ends with it. */
  paragraph({ isIndented = true } = {}): void {
    if (this.#isCode) {
      if (this.#lines.length > 0) this.#lines.push('');
      return;
    }
    this.#flush();
    if (!isIndented) this.#isItem = false;
  }

  lineBreak(): void {
    const last = this.#lines.at(-1);
    if (!this.#isCode && last !== undefined && !last.endsWith('  \n')) this.#lines[this.#lines.length - 1] = `${last}  \n`;
  }

  indent(): void {
    // DocBook and Asciidoctor write a term as a paragraph of its own
    const [text, ...others] = this.#lines;
    if (!this.#isCode && text !== undefined && others.length === 0 && this.#marker === '' && isTerm(text)) {
      this.#lines = [];
      this.term(text, this.#line);
    } else if (!this.#isCode) this.#flush();
    this.#indents.push(this.#isItem);
    this.#isItem = false;
  }

  outdent(): void {
    if (!this.#isCode) this.#flush();
    this.#isItem = this.#indents.pop() ?? false;
  }

  /** From here lines stay as they are. */
  code(): void {
    if (this.#isCode) return;
    this.#flush();
    this.#isCode = true;
  }

  /** From here lines are joined. */
  fill(): void {
    this.#flush();
    this.#isCode = false;
  }

  get isCode(): boolean {
    return this.#isCode;
  }

  table(rows: readonly (readonly string[])[], line: number): void {
    this.fill();
    if (rows.length > 0)
      this.#blocks.add(tableLines(rows.map((row) => row.map((cell) => escapeLine(removeJoiners(cell))))).join('\n'), { line });
  }

  end(): MarkedBlocks {
    this.fill();
    return this.#blocks;
  }

  #takeMarker(): void {
    const [all, marker] = LEADING_MARKER.exec(this.#lines[0] ?? '') ?? [];
    if (all === undefined || this.#marker !== '') return;
    const [first, ...others] = this.#lines;
    this.#lines = [];
    this.item(marker!, this.#line);
    this.#lines = [first!.slice(all.length), ...others];
  }

  #flush(): void {
    if (!this.#isCode) this.#takeMarker();
    const lines = this.#lines.map(removeJoiners);
    this.#lines = [];
    const body = this.#isCode ? writeCode(lines) : joinLines(lines);
    // terms without a definition wait for that of the next term
    if (body === '') return;
    const level = this.#indents.filter(Boolean).length + (this.#isItem && this.#marker === '' ? 1 : 0);
    if (this.#terms.length > 0) this.#blocks.add(this.#terms.join('  \n'), { line: this.#line });
    const block = `${this.#marker}${body}`.replace(/^(?=.)/gm, '  '.repeat(level));
    this.#blocks.add(this.#marker ? block.replace(/\n(?=.)/g, '\n  ') : block, { line: this.#line });
    this.#terms = [];
    this.#marker = '';
  }
}

/** A bullet or number that DocBook sets before the text of an item, with motions between. */
const LEADING_MARKER = new RegExp(`^\\s*([•·○□]|\\d{1,3}\\.)\\s*${JOINER}`);

/** Writes the title of a manual page, such as `TAR(1)`, in small letters where its name has none. */
export const manualPageTitle = (title: string): string => (/\p{Ll}/u.test(title.split('(')[0]!) ? title : title.toLowerCase());

const MAX_TERM_WORDS = 16;

/** Whether a line may be a term that the lines below it define. */
export const isTerm = (text: string): boolean => text.split(' ').length <= MAX_TERM_WORDS && !/[`.,;:]$/.test(text);

const removeJoiners = (text: string): string => text.replaceAll(JOINER, '');

/** Lines joined; those that are broken stay so. */
function joinLines(lines: readonly string[]): string {
  const text = lines.reduce(
    (joined, line) => (joined === '' || joined.endsWith('\n') ? joined + line.trimStart() : `${joined} ${line}`),
    '',
  );
  return text
    .split('  \n')
    .map((line) => escapeLine(oneLine(line)))
    .filter(Boolean)
    .join('  \n');
}

function writeCode(lines: readonly string[]): string {
  const code = lines
    .join('\n')
    .trimEnd()
    .replace(/^\s*\n/, '');
  return code === '' ? '' : codeFence(code, '');
}
