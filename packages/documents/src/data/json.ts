import type { ParsedDocument } from '../types.ts';
import { escapeLine, heading, oneLine } from '../markdown/write.ts';
import { decodeText } from '../bytes.ts';
import type { ParserRow } from '../parser.ts';
import { MarkedLines } from '../parsed-document.ts';

/** Maximum depth of values within values. */
const MAX_DEPTH = 256;
const MAX_VALUES = 1_000_000;
/** Fields that name a record, in order of preference. */
const NAMES = ['title', 'name', 'headline', 'subject', 'question', 'label', 'id', 'key'];
/** Characters of a name in a heading. */
const MAX_NAME_LENGTH = 120;

/** A value with the line that it begins in. */
interface Leaf {
  path: string;
  value: string;
  line: number;
}

/** JSON, each value on a line with its path; the records of a list under headings of their own. */
export const jsonParser: ParserRow = {
  file_type: 'json',
  name: 'a JSON file',
  kind: 'data',
  extensions: ['.json', '.jsonc', '.geojson', '.jsonld', '.webmanifest'],
  is_text: true,
  async parse(bytes): Promise<ParsedDocument> {
    return recordsDocument(new JsonReader(await decodeText(bytes)).readAll());
  },
};

/** JSON Lines: a record a line. */
export const jsonLinesParser: ParserRow = {
  file_type: 'jsonl',
  name: 'a JSON Lines file',
  kind: 'data',
  extensions: ['.jsonl', '.ndjson'],
  is_text: true,
  async parse(bytes): Promise<ParsedDocument> {
    return recordsDocument(new JsonReader(await decodeText(bytes)).readSequence());
  },
};

/** A record of a list, or all values if there is no list of records. */
interface JsonRecord {
  /** From 1; undefined outside of a list. */
  number: number | undefined;
  leaves: Leaf[];
}

function recordsDocument(records: readonly JsonRecord[]): ParsedDocument {
  const lines = new MarkedLines();
  for (const { number, leaves } of records) {
    if (leaves.length === 0) continue;
    if (lines.length > 0) lines.add('', leaves[0]!.line);
    if (number !== undefined) {
      const name = NAMES.map((key) => leaves.find(({ path }) => path === key)?.value).find(Boolean);
      lines.add(heading(2, `Record ${number}${name ? `: ${escapeLine(oneLine(name).slice(0, MAX_NAME_LENGTH))}` : ''}`), leaves[0]!.line);
      lines.add('', leaves[0]!.line);
    }
    for (const { path, value, line } of leaves)
      lines.add(path === '' ? escapeLine(oneLine(value)) : `- ${oneLine(path)}: ${oneLine(value)}`, line);
  }
  const count = records.filter(({ number }) => number !== undefined).length;
  return { text: lines.text, marks: lines.marks, metadata: count > 0 ? { records: count } : {} };
}

const SPACE = /[\s\ufeff]{1,4096}|\/\/.*|\/\*[^]*?(?:\*\/|$)/y;
const SCALAR = /[^\s,\]}:"/]+/y;

/** Reads JSON with the line of each value; passes over comments, and commas before a closing bracket. */
class JsonReader {
  readonly #text: string;
  #at = 0;
  #line = 1;
  #values = 0;

  constructor(text: string) {
    this.#text = text;
  }

  /** The records of a list, or the one value. */
  readAll(): JsonRecord[] {
    const records: JsonRecord[] = [];
    this.#skip();
    if (this.#text[this.#at] === '[') this.#list(']', () => records.push(this.#record(records.length + 1)));
    else records.push(this.#record(undefined));
    this.#skip();
    if (this.#at < this.#text.length) this.#fail();
    const leaves = records.flatMap((record) => record.leaves);
    return leaves.every(({ path }) => path === '') ? [{ number: undefined, leaves }] : records;
  }

  /** Values one after another. */
  readSequence(): JsonRecord[] {
    const records: JsonRecord[] = [];
    for (this.#skip(); this.#at < this.#text.length; this.#skip()) records.push(this.#record(records.length + 1));
    return records;
  }

  #record(number: number | undefined): JsonRecord {
    const leaves: Leaf[] = [];
    this.#value('', 0, leaves);
    return { number, leaves };
  }

  #value(path: string, depth: number, leaves: Leaf[]): void {
    this.#skip();
    if (depth > MAX_DEPTH) throw new Error(`line ${this.#line}: it is nested too deeply`);
    if (++this.#values > MAX_VALUES) throw new Error(`it holds more than ${MAX_VALUES} values`);
    const start = this.#text[this.#at];
    const line = this.#line;
    if (start === '{' || start === '[') {
      const count = leaves.length;
      if (start === '{') this.#members(path, depth, leaves);
      else this.#items(path, depth, leaves);
      // the name may be all that it says
      if (leaves.length === count && path !== '') leaves.push({ path, value: start === '{' ? '{}' : '[]', line });
      return;
    }
    if (start === '"') return void leaves.push({ path, value: this.#string(), line });
    SCALAR.lastIndex = this.#at;
    const value = SCALAR.exec(this.#text)?.[0] ?? '';
    if (!/^(?:true|false|null|NaN|[-+]?(?:Infinity|[\d.][\w.+-]*))$/.test(value)) this.#fail();
    this.#at += value.length;
    if (value !== 'null' || path !== '') leaves.push({ path, value, line });
  }

  #members(path: string, depth: number, leaves: Leaf[]): void {
    this.#list('}', () => {
      if (this.#text[this.#at] !== '"') this.#fail();
      const key = this.#string();
      this.#skip();
      if (this.#text[this.#at] !== ':') this.#fail();
      this.#at += 1;
      this.#value(path === '' ? key : `${path}.${key}`, depth + 1, leaves);
    });
  }

  #items(path: string, depth: number, leaves: Leaf[]): void {
    const own: Leaf[] = [];
    let count = 0;
    this.#list(']', () => this.#value(`${path}[${++count}]`, depth + 1, own));
    const isShort =
      own.length === count &&
      own.every((leaf, i) => leaf.path === `${path}[${i + 1}]` && leaf.value.length <= 80 && leaf.line === own[0]!.line);
    if (isShort && count > 0) leaves.push({ path, value: own.map(({ value }) => value).join(', '), line: own[0]!.line });
    else for (const leaf of own) leaves.push(leaf);
  }

  /** Reads the items between brackets, with commas between. */
  #list(closing: string, read: () => void): void {
    this.#at += 1;
    for (;;) {
      this.#skip();
      if (this.#text[this.#at] === closing) break;
      read();
      this.#skip();
      if (this.#text[this.#at] === ',') this.#at += 1;
      else if (this.#text[this.#at] !== closing) this.#fail();
    }
    this.#at += 1;
  }

  #string(): string {
    const text = this.#text.slice(this.#at, this.#endOfString());
    try {
      const value = JSON.parse(text.replaceAll('\t', '\\t')) as string;
      this.#at += text.length;
      return value;
    } catch {
      return this.#fail();
    }
  }

  /** Finds the offset behind the quotation mark that ends a string: an even number of backslashes is before it. */
  #endOfString(): number {
    for (let end = this.#text.indexOf('"', this.#at + 1); end >= 0; end = this.#text.indexOf('"', end + 1)) {
      let before = end;
      while (this.#text[before - 1] === '\\') before -= 1;
      if ((end - before) % 2 === 0) return end + 1;
    }
    return this.#text.length;
  }

  /** Passes over white space and comments. */
  #skip(): void {
    for (;;) {
      SPACE.lastIndex = this.#at;
      const space = SPACE.exec(this.#text)?.[0];
      if (space === undefined) return;
      this.#at += space.length;
      this.#line += space.split('\n').length - 1;
    }
  }

  #fail(): never {
    const found =
      this.#at < this.#text.length
        ? `${JSON.stringify(String.fromCodePoint(this.#text.codePointAt(this.#at)!))} is not expected`
        : 'it ends too early';
    throw new Error(`line ${this.#line}: ${found}`);
  }
}
