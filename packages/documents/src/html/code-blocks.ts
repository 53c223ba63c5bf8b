import { type DomElement, type DomNode, elementNames, isElement, isTextNode } from './dom.ts';
import { codeFence, oneLine } from '../markdown/write.ts';

/** How far above a block highlighters say its language: Sphinx, Rouge and VitePress wrap it once or twice, a table of line numbers five times more. */
const ABOVE = 7;
/** Beyond these, a class names the language of the text and not of the code. */
const OUTSIDE = /^(?:ARTICLE|BODY|LI|MAIN|SECTION)$/;
/** Prism and highlight.js, GitHub, MediaWiki, SyntaxHighlighter. */
const NAMED = /(?:^|\s)(?:language-|lang-|highlight-source-|mw-highlight-lang-|brush:\s*)([\w+#.-]+)/i;
/** Sphinx: `highlight-python`. */
const WRAPPED = /(?:^|\s)highlight-([\w+#-]+)/i;
/** `hljs python`, and `sourceCode python` of Pandoc. */
const BESIDE = /(?:^|\s)(?:hljs|sourceCode)\s+([\w+#-]+)(?:\s|$)/;
/** Shiki, Hugo and Mintlify. */
const LANGUAGE_ATTRIBUTES = ['data-language', 'data-lang', 'language'];
const NO_LANGUAGE = /^(?:default|none|text|plain|plaintext|txt|undefined|no-?highlight|source|numberSource)$/i;
/** Elements that are a line each, by their kind or by the names that highlighters give them. */
const LINE_ELEMENT = /^(?:DIV|P|LI|TR|OL|UL|TABLE)$/;
const LINE_NAME = /(?:^|\s)(?:line|token-line|ec-line|code-line|code__line|view-line|highlight-line)(?:\s|$)/;
const LINE_NUMBER = /(?:^|[\s_-])(?:linenos?|linenodiv|gutter|lnt?|line-?numbers?|line-?numbers-rows|hljs-ln-n(?:umbers)?|gl)(?:$|[\s_-])/i;

/** The conversion to Markdown takes time with the square of a run of white space: long ones are cut. */
const BLANK = /\s{400,}/g;

const shorten = (blank: string): string => blank.slice(0, 200) + blank.slice(-200);

/** Writes a `pre` as a fenced code block, with its language if a highlighter names it. Empty if it has no code. */
export function codeBlock(node: DomElement): string {
  const code = codeOf(node).replace(/^\n/, '').trimEnd().replace(BLANK, shorten);
  return code === '' ? '' : `\n\n${codeFence(code, languageOf(node))}\n\n`;
}

/** Leaves code within a line its words alone: Markdown has no markup in it. A link around all of it goes around the code. */
export function flattenCode(root: DomElement): void {
  for (const code of root.querySelectorAll('code')) {
    if (code.firstElementChild === null || code.closest('pre') || !root.contains(code)) continue;
    const [only, ...others] = code.childNodes;
    const link = others.length === 0 && only!.nodeName === 'A' ? (only as DomElement) : undefined;
    if (link) {
      code.replaceWith(link);
      code.textContent = link.textContent;
      link.textContent = '';
      link.append(code);
    } else code.textContent = oneLine(code.textContent ?? '');
  }
}

/** Writes a `pre` as inline code, where there is no place for a block. */
export function codeSpan(node: DomElement): string {
  const code = codeLines(node).join('; ');
  const longest = (code.match(/`+/g) ?? []).reduce((most, run) => Math.max(most, run.length), 0);
  const [fence, space] = ['`'.repeat(longest + 1), longest > 0 ? ' ' : ''];
  return code === '' ? '' : ` ${fence}${space}${code}${space}${fence} `;
}

/** The lines of a `pre` that hold something, without white space around them. */
export const codeLines = (node: DomElement): string[] =>
  codeOf(node)
    .split('\n')
    .map((line) => line.trim())
    .filter(Boolean);

function languageOf(node: DomElement): string {
  const inner = node.querySelector('code');
  for (const element of [inner, node]) {
    const found =
      element && (LANGUAGE_ATTRIBUTES.map((name) => element.getAttribute(name)).find(Boolean) ?? languageIn(elementNames(element)));
    if (found) return normalizeLanguage(found);
  }
  let around = node.parentElement;
  for (let i = 0; i < ABOVE && around && !OUTSIDE.test(around.nodeName); i++, around = around.parentElement) {
    const names = elementNames(around);
    const found = around.getAttribute('data-language') ?? NAMED.exec(names)?.[1] ?? WRAPPED.exec(names)?.[1];
    if (found) return normalizeLanguage(found);
  }
  return '';
}

const languageIn = (names: string): string | undefined => NAMED.exec(names)?.[1] ?? BESIDE.exec(names)?.[1];

const normalizeLanguage = (language: string): string =>
  NO_LANGUAGE.test(language) || !/^[\w+#.-]+$/.test(language) ? '' : language.toLowerCase().replace(/^i?python\d?$/, 'python');

/** The code as it is shown: a new line after each line element and for each `br`, no line numbers. */
function codeOf(node: DomElement): string {
  let code = '';
  const visit = (child: DomNode): void => {
    if (isTextNode(child)) code += child.textContent ?? '';
    else if (child.nodeName === 'BR') code += '\n';
    else if (isElement(child) && !isLineNumber(child)) visitElement(child);
  };
  const visitElement = (element: DomElement): void => {
    const begin = code.length;
    for (const child of element.childNodes) visit(child);
    if (!isLine(element)) return;
    const next = element.nextSibling;
    const isBroken = code.length > begin && code.endsWith('\n');
    const isBreakNext = next !== null && isTextNode(next) && /^[ \t]*\n/.test(next.textContent ?? '');
    if (!isBroken && !isBreakNext) code += '\n';
  };
  for (const child of node.childNodes) visit(child);
  return code;
}

const isLine = (element: DomElement): boolean =>
  LINE_ELEMENT.test(element.nodeName) ||
  LINE_NAME.test(element.getAttribute('class') ?? '') ||
  /display:\s*block/.test(element.getAttribute('style') ?? '');

/** The numbers beside the lines, whether in the block or in a cell beside it. */
export const isLineNumber = (element: DomElement): boolean =>
  LINE_NUMBER.test(elementNames(element)) && /^[\d\s]*$/.test(element.textContent ?? '');
