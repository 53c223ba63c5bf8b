import { extname } from 'node:path';
import type { ParsedDocument } from '../types.ts';
import { codeFence, heading, oneLine } from '../markdown/write.ts';
import { decodeText } from '../bytes.ts';
import { MarkedBlocks } from '../parsed-document.ts';
import type { ParserRow } from '../parser.ts';

/** Languages by the extensions of their files. */
const LANGUAGES: Readonly<Record<string, string>> = {
  ts: '.ts .mts .cts',
  tsx: '.tsx',
  js: '.js .mjs .cjs',
  jsx: '.jsx',
  python: '.py .pyi',
  java: '.java',
  kotlin: '.kt .kts',
  scala: '.scala',
  go: '.go',
  rust: '.rs',
  c: '.c .h',
  cpp: '.cc .cpp .cxx .hh .hpp .hxx',
  csharp: '.cs',
  swift: '.swift',
  ruby: '.rb',
  php: '.php',
  perl: '.pl .pm',
  lua: '.lua',
  r: '.r',
  sh: '.sh .bash .zsh',
  powershell: '.ps1 .psm1',
  sql: '.sql',
  css: '.css .scss .less',
  vue: '.vue .svelte',
  graphql: '.graphql .gql',
  protobuf: '.proto',
  hcl: '.tf .hcl',
  yaml: '.yaml .yml',
  toml: '.toml',
  ini: '.ini .cfg .conf .properties',
};

const languageOf = new Map(
  Object.entries(LANGUAGES).flatMap(([name, extensions]) => extensions.split(' ').map((extension) => [extension, name])),
);

/** Source code: each function, class or statement of SQL under its name, with the comments before it and its lines. */
export const codeParser: ParserRow = {
  file_type: 'code',
  name: 'a file of source code',
  kind: 'code',
  extensions: [...languageOf.keys()],
  is_text: true,
  async parse(bytes, { source }): Promise<ParsedDocument> {
    const language = languageOf.get(extname(source).toLowerCase()) ?? '';
    const lines = (await decodeText(bytes)).trimEnd().split('\n');
    const { text, marks } = writeSections(lines, sectionsOf(lines, language), language);
    return { text, marks, metadata: { language } };
  },
};

/** A part of a file, with its name and level, which are empty and 0 before the first declaration. Lines from 0. */
interface Section {
  name: string;
  level: number;
  from: number;
  to: number;
}

/** Modifiers before the keyword of a declaration. */
const MODIFIERS = String.raw`(?:(?:export|default|declare|public|private|protected|internal|static|abstract|final|sealed|partial|virtual|override|async|unsafe|extern(?: "C")?|inline|const|open|data|suspend|pub(?:\([a-z ]+\))?|local|readonly|get|set|synchronized|native)\s+)*`;
/** A declaration by its keyword. Longer lines are no code that people wrote. */
const KEYWORD = new RegExp(
  String.raw`^${MODIFIERS}(?:(class|interface|struct|enum|trait|record|object|namespace|module|impl|protocol|extension|union|service|message)\b(?:\s{0,8}<[^>]{0,80}>)?\s{1,8}([\w.$:<>][\w.$:<>, ]{0,80}?)(?=\s{0,8}(?:[({:;]|$|extends\b|implements\b|for\b|where\b))|(function\*?|def|fn|func|fun|sub|proc|type|macro_rules!)\s{0,8}(?:\([^)]{0,120}\)\s{0,8})?([\w.$?!]+(?:::\w+)*))`,
);
/** A function that is the value of a name (JavaScript), or a method: a name, its parameters, an opening brace. */
const VALUE =
  /^(?:export\s+)?(?:const|let|var)\s+([\w$]+)[^=;]{0,200}=\s*(?:async\s*)?(?:function\b|(?:<[^>]{0,80}>)?\([^;]{0,400}$|[\w$]+\s*=>)/;
const METHOD = /^(?:[\w$<>[\]?,.:*&~@]+\s+){0,6}[*&]*(~?[\w$:#]+)\s*\([^;]{0,400}$/;
const STATEMENT =
  /^(?:create|alter)\s+(?:or\s+replace\s+)?(?:(?:temp(?:orary)?|unique|materialized|unlogged)\s+)*(table|view|index|function|procedure|trigger|type|schema|sequence)\s+(?:if\s+not\s+exists\s+)?([\w."`[\]]+)/i;
/** Keywords and calls that look like a declaration. */
const NO_NAME =
  /^(?:if|for|while|switch|catch|return|else|do|try|with|foreach|using|lock|new|throw|await|yield|super|case|elif|except|match|sizeof|typeof|assert|print|describe|it|test|expect)$/;
const BRACED = new Set(['ts', 'tsx', 'js', 'jsx', 'java', 'kotlin', 'scala', 'c', 'cpp', 'csharp', 'php', 'swift', 'vue']);
const CONTAINER = /^(?:class|interface|struct|enum|trait|record|object|namespace|module|impl|protocol|extension)$/;
/** A comment, an attribute or a decorator, which belongs to the declaration below it. */
const BEFORE = /^\s*(?:\/\/|\/\*|\*|#(?!include|define|if|endif|pragma)|--|@|\[\w)/;
const MAX_LINE_LENGTH = 500;

/** Splits a file at the declarations at its margin, and at those directly inside of them. */
function sectionsOf(lines: readonly string[], language: string): Section[] {
  const sections: Section[] = [{ name: '', level: 0, from: 0, to: lines.length }];
  /** The margin of the open container, and that of its members. */
  let outer: { margin: number; inner: number | undefined } | undefined;
  for (const [i, line] of lines.entries()) {
    if (line.length > MAX_LINE_LENGTH || line.trim() === '') continue;
    const margin = /^[ \t]*/.exec(line)![0].replaceAll('\t', '    ').length;
    if (outer && margin <= outer.margin && !/^\s*(?:[})\]]|end\b|\/\/|#|\*|{)/.test(line)) outer = undefined;
    if (outer && margin > outer.margin) outer.inner ??= BEFORE.test(line) ? undefined : margin;
    const level = outer === undefined ? (margin === 0 ? 1 : 0) : margin === outer.inner ? 2 : 0;
    const found = level === 0 ? undefined : declarationIn(line.trim(), { language, isInside: level === 2 });
    if (!found) continue;
    const from = leadOf(lines, i, sections.at(-1)!.from);
    sections.at(-1)!.to = from;
    sections.push({ name: found.name, level, from, to: lines.length });
    if (level === 1 && found.isContainer) outer = { margin, inner: undefined };
  }
  return sections.filter(({ from, to }) => lines.slice(from, to).some((line) => line.trim() !== ''));
}

function declarationIn(
  line: string,
  { language, isInside }: { language: string; isInside: boolean },
): { name: string; isContainer: boolean } | undefined {
  if (language === 'sql') {
    const [, what, name] = STATEMENT.exec(line) ?? [];
    return name === undefined ? undefined : { name: `${what!.toLowerCase()} ${name}`, isContainer: false };
  }
  const [, container, named, , own] = KEYWORD.exec(line) ?? [];
  if (container !== undefined) return { name: `${container} ${oneLine(named!)}`, isContainer: CONTAINER.test(container) };
  const name =
    own ??
    VALUE.exec(line)?.[1] ??
    (BRACED.has(language) && /[{(,]$/.test(line) ? METHOD.exec(line)?.[1] : undefined) ??
    shellFunction(line);
  if (name === undefined || NO_NAME.test(name)) return undefined;
  return { name: isInside ? `${name}()` : name, isContainer: false };
}

const shellFunction = (line: string): string | undefined => /^([\w-]+)\s*\(\)\s*\{/.exec(line)?.[1];

/** Finds the first line of the comments and attributes directly before a line. */
function leadOf(lines: readonly string[], at: number, after: number): number {
  let from = at;
  while (from > after && BEFORE.test(lines[from - 1]!) && lines[from - 1]!.length <= MAX_LINE_LENGTH) from -= 1;
  return from;
}

/** Writes each section as a block of code under its name. Marks before the fence, in it and at its end keep the lines right. */
function writeSections(lines: readonly string[], sections: readonly Section[], language: string): MarkedBlocks {
  const blocks = new MarkedBlocks();
  for (const { name, level, from, to } of sections) {
    const own = lines.slice(from, to);
    const blank = own.findIndex((line) => line.trim() !== '');
    const code = own.slice(blank).join('\n').trimEnd();
    const [line, count] = [from + blank + 1, code.split('\n').length];
    const title = level > 0 ? `${heading(level + 1, name)}\n\n` : '';
    const fence = codeFence(code, language);
    const begin = title.length + fence.indexOf('\n') + 1;
    const end = { at: begin + code.length + 1, line: line + count - 1 };
    blocks.addMarked(title + fence, [{ at: 0, line }, { at: title.length, line }, { at: begin, line }, end]);
  }
  return blocks;
}
