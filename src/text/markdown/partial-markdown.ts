/** Returned if the text ends before its meaning is clear. */
export const NEED_MORE = Symbol('more');

/** Maximum length of a link text that is held back. A longer one is shown, and its address is checked when it arrives. */
const MAX_TEXT_LENGTH = 400;

/** Maximum characters of an address with its closing parenthesis: no more of an answer is held back. */
export const MAX_ADDRESS_LENGTH = 2000;

/** The target of a link, with its length in the text. */
export interface LinkTarget {
  address: string;
  length: number;
  isDefinition?: boolean;
  /** The address is longer than `MAX_ADDRESS_LENGTH`, so that it cannot be known. */
  isTooLong?: boolean;
}

/** Extracts the text between the brackets that open at `at`, with nested brackets; undefined if they do not close. */
export function bracketsAt(text: string, at: number, isEnd: boolean): string | undefined | typeof NEED_MORE {
  let depth = 0;
  for (let i = at; i < text.length; i++) {
    if (i - at > MAX_TEXT_LENGTH || text.startsWith('\n\n', i)) return undefined;
    if (text[i] === '\\') i++;
    else if (text[i] === '[') depth++;
    else if (text[i] === ']' && --depth === 0) return text.slice(at + 1, i);
  }
  return isEnd ? undefined : NEED_MORE;
}

/** Finds where the parenthesis at the beginning of a text closes; undefined if a blank line comes first, NEED_MORE if the text ends first. */
function closingParenthesis(text: string): number | undefined | typeof NEED_MORE {
  const blank = /\n[ \t]*\n/y;
  let depth = 0;
  for (let i = 0; i < text.length; i++) {
    blank.lastIndex = i;
    if (text[i] === '\n' && blank.test(text)) return undefined;
    if (text[i] === '\\') i++;
    else if (text[i] === '(') depth++;
    else if (text[i] === ')' && --depth === 0) return i;
  }
  return NEED_MORE;
}

/**
 * Parses the address in the parentheses that open at `at` (CommonMark 6.3), with or without a title; undefined if they hold something else.
 * An address with a scheme counts whatever follows it, because some renderers are lenient. If the parenthesis does not close within the
 * longest address, the target ends with the address, and the rest is text.
 */
export function destinationAt(text: string, at: number, isEnd: boolean): LinkTarget | undefined | typeof NEED_MORE {
  const reach = text.slice(at, at + MAX_ADDRESS_LENGTH);
  const begun = /^\(\s*([^\s()<]+)\s+(?!["'(\s])[^)]/.exec(reach);
  if (begun && !/^(?:[a-z][a-z0-9+.-]*:|[\\/]{2})/i.test(begun[1]!)) return undefined;
  const end = closingParenthesis(reach);
  if (end === undefined) return undefined;
  if (end === NEED_MORE && reach.length < MAX_ADDRESS_LENGTH) return isEnd ? undefined : NEED_MORE;
  const inner = end === NEED_MORE ? reach : reach.slice(0, end);
  const [whole = '', angled, raw = ''] = /^\(\s*(?:<([^<>\n]*)>?|(\S*))/.exec(inner) ?? [];
  const address = angled ?? raw;
  if (end !== NEED_MORE) return { address, length: end + 1 };
  return { address, length: whole.length, isTooLong: whole.length === reach.length };
}

/**
 * Parses the address of a definition (`[label]: address`) whose colon is at `at`. Undefined for a plain word, which could only be a relative
 * address: a list of sources looks like that.
 */
export function definitionAt(text: string, at: number, isEnd: boolean): LinkTarget | undefined | typeof NEED_MORE {
  const reach = text.slice(at, at + MAX_ADDRESS_LENGTH);
  const isOpen = /^:[ \t]*(?:\n[ \t]*)?(?:<[^<>\n]*|\S*)$/.test(reach);
  const isTooLong = isOpen && reach.length === MAX_ADDRESS_LENGTH;
  if (isOpen && !isTooLong && !isEnd) return NEED_MORE;
  const [whole = '', angled, raw = ''] = /^:[ \t]*(?:\n[ \t]*)?(?:<([^<>\n]*)>|(\S*))/.exec(reach) ?? [];
  const address = isTooLong ? reach.slice(1).trim() : (angled ?? raw);
  // An address may still follow a long run of blanks.
  const isHidden = isTooLong && address === '';
  if (!isHidden && !/^[\\/]|[:&].|^(?:javascript|vbscript|data):/i.test(address)) return undefined;
  return { address, length: isTooLong ? reach.length : whole.length, isDefinition: true, isTooLong };
}

/** What begins at `<`: a tag to be removed, a tag that never ends (`dangling`), or text. */
type Tag = { kind: 'opening' | 'closing'; length: number } | { kind: 'dangling' } | { kind: 'text' };

/** Maximum characters of a tag or of an address in angle brackets; anything longer is text. */
export const MAX_TAG_LENGTH = 1000;

/** Elements that load, link or send something if they have attributes. */
const ACTIVE_ELEMENTS = new Set(
  'a applet area audio body button embed form frame frameset head html iframe image img input link map meta object picture portal source table td th track video'.split(
    ' ',
  ),
);

/** Elements that change how the text after them is parsed, also without attributes. */
const CONTEXT_ELEMENTS = new Set('base iframe math noembed noframes noscript plaintext script style svg template textarea xmp'.split(' '));

/** A list of attributes. An unquoted value extends to the next blank: otherwise `a=b/c` had two readings, and matching took exponential time. */
const ATTRIBUTES = /^(?:[\s/]+[a-z_:@][\w:.@-]*(?:\s*=\s*(?:"[^"]*"|'[^']*'|[^\s"'=<>`][^\s<>`]*(?=\s|$)))?)*[\s/]*$/i;

/** Attributes that load, link or run something on any element. */
const ACTIVE_ATTRIBUTES = /[\s/"'](?:on[a-z]+|style|src|srcset|srcdoc|href|action|formaction|background|poster|ping|xlink:href)\s*=(?!=)/i;

function tagEnd(text: string): number {
  if (!text.includes('>')) return -1;
  let quote = '';
  let before = '';
  for (let i = 1; i < text.length; i++) {
    const letter = text[i]!;
    if (quote) quote = letter === quote ? '' : quote;
    else if ((letter === '"' || letter === "'") && before === '=') quote = letter;
    else if (letter === '>') return i;
    if (letter.trim() !== '') before = letter;
  }
  return -1;
}

/** The beginning of a text that a tag may span: up to a blank line, at most `MAX_TAG_LENGTH` characters. */
function tagReach(text: string): string {
  const reach = text.slice(0, MAX_TAG_LENGTH + 1);
  const blank = reach.search(/\n[ \t]*\n/);
  return blank < 0 ? reach : reach.slice(0, blank + 1);
}

/**
 * Classifies the tag at the beginning of a text that begins with `<`. Names without attributes (`Array<string>`, `<br>`) are text, and so is
 * anything that a browser does not read as a tag.
 */
export function tagAt(text: string, isEnd: boolean): Tag | typeof NEED_MORE {
  const plain: Tag = { kind: 'text' };
  if (/^<\/?$/.test(text)) return isEnd ? plain : NEED_MORE;
  const [, slash, name = ''] = /^<(\/?)([a-z][a-z0-9-]*)/i.exec(text) ?? [];
  if (!name) return plain;
  const reach = tagReach(text);
  const end = tagEnd(reach);
  const isOver = isEnd || text.length > MAX_TAG_LENGTH || reach.length < text.length;
  if (end < 0 && !isOver) return NEED_MORE;
  const element = name.toLowerCase();
  const attributes = reach.slice(name.length + 1 + slash!.length, end < 0 ? undefined : end);
  const isTag = /^[\s/]|^$/.test(attributes);
  const isLeading =
    (ACTIVE_ELEMENTS.has(element) && attributes.trim() !== '') ||
    (ATTRIBUTES.test(attributes) && attributes.includes('=')) ||
    ACTIVE_ATTRIBUTES.test(attributes);
  if (end < 0) {
    const isMeant = attributes.includes('=') || (attributes !== '' && (ACTIVE_ELEMENTS.has(element) || CONTEXT_ELEMENTS.has(element)));
    return isTag && isMeant ? { kind: 'dangling' } : plain;
  }
  if (!isTag) return plain;
  if (slash) return ACTIVE_ELEMENTS.has(element) || CONTEXT_ELEMENTS.has(element) ? { kind: 'closing', length: end + 1 } : plain;
  return isLeading || CONTEXT_ELEMENTS.has(element) ? { kind: 'opening', length: end + 1 } : plain;
}

/** Maximum characters of inline code with its marks: no more of an answer is held back. */
const MAX_SPAN = 500;

/** Maximum characters after the marks of a fence on its line. */
const MAX_INFO_LENGTH = 100;

/** Text before a fence on its line: blanks, blockquote markers, a list marker. */
const BEFORE_A_FENCE = /^[\s>]*(?:(?:[-*+]|\d{1,3}[.)])\s+)?$/;

/** The run of backticks or tildes at the beginning of a text. */
export const marksAt = (text: string): string => new RegExp(`^(?:\`{1,${MAX_SPAN}}|~{1,${MAX_SPAN}})`).exec(text)?.[0] ?? '';

/**
 * The length of the inline code at the beginning of a text, including its marks (CommonMark 6.1); 0 if the marks do not close in their
 * paragraph and within `MAX_SPAN`, so that they are text.
 */
export function spanAt(text: string, isEnd: boolean): number | typeof NEED_MORE {
  const marks = marksAt(text);
  const reach = text.slice(0, MAX_SPAN);
  const blank = reach.search(/\n[ \t]*\n/);
  const isOver = isEnd || reach.length === MAX_SPAN || blank >= 0;
  if (marks.length === reach.length) return isOver ? 0 : NEED_MORE;
  for (const { 0: run, index } of reach.slice(0, blank < 0 ? undefined : blank).matchAll(/`+/g)) {
    const end = index + run.length;
    if (index === 0 || run.length !== marks.length) continue;
    // a run at the end of the examined text may continue
    if (end < reach.length || (isEnd && end < MAX_SPAN)) return end;
  }
  return isOver ? 0 : NEED_MORE;
}

/** Whether a text begins with the marks of a fence; `line` is the text before it on its line (CommonMark 4.5). */
export function isFenceAt(text: string, line: string, isEnd: boolean): boolean | typeof NEED_MORE {
  const marks = marksAt(text);
  if (!BEFORE_A_FENCE.test(line)) return false;
  if (marks.length === text.length && !isEnd && marks.length < MAX_SPAN) return NEED_MORE;
  if (marks.length < 3) return false;
  const [info = ''] = /^[^\n]*/.exec(text.slice(marks.length, marks.length + MAX_INFO_LENGTH + 1)) ?? [];
  if (info.length > MAX_INFO_LENGTH || (marks.startsWith('`') && info.includes('`'))) return false;
  return isEnd || text[marks.length + info.length] === '\n' || NEED_MORE;
}

const FENCE_ALONE = /^[\s>]*(?:(`+|~+)[ \t]*)?$/;

/** Whether the beginning of a line may become the end of a code block. */
export const mayCloseFence = (beginning: string): boolean => FENCE_ALONE.test(beginning);

/** Whether a line closes the fence that these marks opened. */
export function closesFence(line: string, marks: string): boolean {
  const [, run = ''] = FENCE_ALONE.exec(line) ?? [];
  return run.length >= marks.length && run[0] === marks[0];
}

/** Tracks, letter by letter, whether a position is inside Markdown code. */
interface CodeTracker {
  /** Reads the next letter; returns whether it is in code. */
  step(letter: string): boolean;
  /** Whether this letter would be in code if it came next. */
  at(letter: string): boolean;
}

interface CodeState {
  /** Number of marks that opened the current code; 0 outside of code. */
  open: number;
  mark: string;
  /** Length of the current run of marks. */
  run: number;
  before: string;
}

const isMark = (letter: string): boolean => letter === '`' || letter === '~';

/** The state after a run of marks, which opens or closes code. Tildes do so only as a fence (three or more). */
function afterRun({ open, mark, run, before }: CodeState): Pick<CodeState, 'open' | 'mark'> {
  if (run === 0 || (before === '~' && run < 3)) return { open, mark };
  if (open === 0) return { open: run, mark: before };
  return run === open && before === mark ? { open: 0, mark } : { open, mark };
}

function nextState(state: CodeState, letter: string): CodeState {
  if (state.open === 0 && state.before === '\\' && (letter === '\\' || isMark(letter))) return { ...state, run: 0, before: '' };
  if (isMark(letter) && letter === state.before && state.run > 0) return { ...state, run: state.run + 1 };
  const { open, mark } = afterRun(state);
  // Inline code ends with its paragraph, so that a stray backtick does not turn the rest into code.
  const isOver = letter === '\n' && state.before === '\n' && open < 3;
  return { open: isOver ? 0 : open, mark, run: isMark(letter) ? 1 : 0, before: letter };
}

/** Creates a tracker at the beginning of a text. */
export function codeTracker(): CodeTracker {
  let state: CodeState = { open: 0, mark: '', run: 0, before: '' };
  return {
    step: (letter) => (state = nextState(state, letter)).open > 0,
    at: (letter) => nextState(state, letter).open > 0,
  };
}
