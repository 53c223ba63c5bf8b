import type { ParsedDocument } from '../types.ts';
import { codeFence } from '../markdown/write.ts';
import type { ParserRow } from '../parser.ts';
import { firstHeading } from '../parsed-document.ts';

/** Characters of the output of a cell that are kept. */
const MAX_OUTPUT_LENGTH = 4_000;

interface Output {
  text?: unknown;
  data?: Record<string, unknown>;
  ename?: unknown;
  evalue?: unknown;
}

interface Cell {
  cell_type?: string;
  source?: unknown;
  input?: unknown;
  outputs?: unknown;
}

interface Worksheet {
  cells?: Cell[];
}

interface Notebook {
  cells?: unknown;
  /** In notebooks of an old format. */
  worksheets?: unknown;
  metadata?: { title?: unknown; language_info?: { name?: unknown }; kernelspec?: { language?: unknown } } | null;
}

/** A Jupyter notebook: its texts, its code with the language, and its output as text. */
export const notebookParser: ParserRow = {
  file_type: 'ipynb',
  name: 'a Jupyter notebook',
  extensions: ['.ipynb'],
  media_types: ['application/x-ipynb+json'],
  is_text: true,
  async parse(bytes): Promise<ParsedDocument> {
    const book = parseBook(bytes);
    const cells = book?.cells ?? objectsIn<Worksheet>(book?.worksheets).flatMap((sheet) => sheet.cells ?? []);
    if (!Array.isArray(cells) || cells.length === 0) throw new Error('it has no cells');
    const metadata = book?.metadata;
    const language = textOf(metadata?.language_info?.name ?? metadata?.kernelspec?.language).slice(0, 30);
    const text = objectsIn<Cell>(cells)
      .map((cell) => cellText(cell, language))
      .filter(Boolean)
      .join('\n\n');
    return { text, title: textOf(metadata?.title) || firstHeading(text), metadata: language ? { language } : {} };
  },
};

function parseBook(bytes: Uint8Array): Notebook | null {
  const text = new TextDecoder().decode(bytes);
  try {
    return JSON.parse(text) as Notebook | null;
  } catch (cause) {
    throw new Error(`it ${explainJsonError(text, cause)}`, { cause });
  }
}

/** The objects in a list; what else is in it is damaged. */
const objectsIn = <Item extends object>(list: unknown): Item[] =>
  Array.isArray(list) ? list.filter((item): item is Item => typeof item === 'object' && item !== null) : [];

const textOf = (value: unknown): string => (Array.isArray(value) ? value.join('') : typeof value === 'string' ? value : '');

function cellText(cell: Cell, language: string): string {
  const source = textOf(cell.source ?? cell.input).trim();
  if (cell.cell_type !== 'code') return cell.cell_type === 'raw' && source ? codeFence(source, '') : source;
  const outputs = objectsIn<Output>(cell.outputs).map(outputText).filter(Boolean);
  return [...(source ? [codeFence(source, language)] : []), ...outputs.map((output) => codeFence(output, 'output'))].join('\n\n');
}

/** Returns the output of a cell as text, without the codes of terminals; pictures and pages are left out. */
function outputText({ text, data, ename, evalue }: Output): string {
  const output =
    textOf(text) ||
    textOf(data?.['text/markdown']) ||
    textOf(data?.['text/plain']) ||
    [textOf(ename), textOf(evalue)].filter(Boolean).join(': ');
  // oxlint-disable-next-line no-control-regex -- it is what has to be found
  const plain = output
    .slice(0, 4 * MAX_OUTPUT_LENGTH)
    .replace(/\u001b\[[0-9;]*m/g, '')
    .trim();
  return plain.length > MAX_OUTPUT_LENGTH ? `${plain.slice(0, MAX_OUTPUT_LENGTH)}\n…` : plain;
}

/** Says in words where a text stops being JSON; the message of `JSON.parse` is for programmers. */
function explainJsonError(text: string, cause: unknown): string {
  const { message } = cause as Error;
  const position = /position (\d+)/.exec(message)?.[1];
  if (/end of JSON|Unterminated/.test(message) || Number(position) >= text.length) return 'is not JSON: it ends too early';
  return position === undefined ? 'is not JSON' : `is not JSON at character ${Number(position) + 1}`;
}
