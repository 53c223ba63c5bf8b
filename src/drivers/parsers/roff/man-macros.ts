import type { RoffWriter } from './roff-writer.ts';
import { removeEscapes, type RoffLine } from './roff-lines.ts';

/** Handles a macro with its arguments, which hold no escapes. */
type Macro = (page: RoffWriter, args: readonly string[], line: number) => void;

const writeInFont: Macro = (page, args, line) => {
  // without arguments it applies to the next line
  if (args.length > 0) page.text(args.join(' '), line);
};
const writeInFonts: Macro = (page, args, line) => {
  if (args.length > 0) page.text(args.join(''), line);
};
const beginParagraph: Macro = (page) => page.paragraph({ isIndented: false });
const endLink: Macro = (page, [text = ''], line) => {
  page.text(`${page.address === '' ? '' : `⟨${page.address}⟩`}${text}`, line);
  page.address = '';
};
const beginLink: Macro = (page, [address = '']) => void (page.address = address);
const writeLink: Macro = (page, [address = '', text = '', suffix = ''], line) =>
  page.text(`${text && `${text} `}⟨${address}⟩${suffix}`, line);

/** The macros of man(7), and those that DocBook, Asciidoctor and others add. */
const MACROS = new Map<string, Macro>([
  ['TH', (page, [name, section]) => page.setTitle(name, section)],
  ['SH', (page, args, line) => page.heading(2, args.join(' '), line)],
  ['SS', (page, args, line) => page.heading(3, args.join(' '), line)],
  ...['PP', 'P', 'LP'].map((name) => [name, beginParagraph] as const),
  ...['B', 'I', 'R', 'SM', 'SB', 'CW'].map((name) => [name, writeInFont] as const),
  ...['BI', 'BR', 'IB', 'IR', 'RB', 'RI', 'CB', 'CI', 'CR'].map((name) => [name, writeInFonts] as const),
  ['TP', (page) => page.nextIsTerm()],
  ['TQ', (page) => page.nextIsTerm()],
  ['IP', (page, [tag = ''], line) => (tag.trim() ? page.term(tag, line, { isTag: true }) : page.paragraph())],
  ['HP', (page) => page.paragraph()],
  ['RS', (page) => page.indent()],
  ['RE', (page) => page.outdent()],
  ['EX', (page) => page.code()],
  ['EE', (page) => page.fill()],
  ['UR', beginLink],
  ['MT', beginLink],
  ['UE', endLink],
  ['ME', endLink],
  ['URL', writeLink],
  ['MTO', writeLink],
  [
    'SY',
    (page, [command = ''], line) => {
      page.paragraph();
      page.text(command, line);
    },
  ],
  ['YS', (page) => page.paragraph()],
  ['OP', (page, args, line) => page.text(`[${args.join(' ')}]`, line)],
  ['MR', (page, [name = '', section = '', suffix = ''], line) => page.text(`${name}(${section})${suffix}`, line)],
]);

/** Whether a macro belongs to man(7). */
export const isManMacro = (macro: string): boolean => MACROS.has(macro);

/** Runs a macro; returns false for an unknown one. */
export function writeManMacro(page: RoffWriter, { macro, args, line }: RoffLine): boolean {
  const known = MACROS.get(macro!);
  known?.(
    page,
    args.map((argument) => removeEscapes(argument, page.defined)),
    line,
  );
  return known !== undefined;
}
