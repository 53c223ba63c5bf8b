import { MORE } from './links.ts';

/** Letters within which code inside a line ends, and its marks: an answer is not held back for longer. */
const LONGEST_SPAN = 500;

/** Letters behind the marks of a fence, on its line. */
const LONGEST_INFO = 100;

/** What may stand before a fence on its line: blanks, marks of quotations and of a list. */
const BEFORE_A_FENCE = /^[\s>]*(?:(?:[-*+]|\d{1,3}[.)])\s+)?$/;

/** The marks, of code or of anything else, that a text begins with. */
export const marksAt = (text: string): string => new RegExp(`^(?:\`{1,${LONGEST_SPAN}}|~{1,${LONGEST_SPAN}})`).exec(text)?.[0] ?? '';

/**
 * The length of the code within a line that a text begins with, marks included (CommonMark 6.1); 0 where these never close, in their paragraph and in time:
 * then they are text, and so is what follows.
 */
export function spanAt(text: string, isEnd: boolean): number | typeof MORE {
  const marks = marksAt(text);
  const reach = text.slice(0, LONGEST_SPAN);
  const blank = reach.search(/\n[ \t]*\n/);
  const isOver = isEnd || reach.length === LONGEST_SPAN || blank >= 0;
  if (marks.length === reach.length) return isOver ? 0 : MORE;
  for (const { 0: run, index } of reach.slice(0, blank < 0 ? undefined : blank).matchAll(/`+/g)) {
    const end = index + run.length;
    if (index === 0 || run.length !== marks.length) continue;
    // what is at the end of what is looked at may go on
    if (end < reach.length || (isEnd && end < LONGEST_SPAN)) return end;
  }
  return isOver ? 0 : MORE;
}

/** Whether a text begins with the marks of a fence, behind `line` (CommonMark 4.5). */
export function isFenceAt(text: string, line: string, isEnd: boolean): boolean | typeof MORE {
  const marks = marksAt(text);
  if (!BEFORE_A_FENCE.test(line)) return false;
  if (marks.length === text.length && !isEnd && marks.length < LONGEST_SPAN) return MORE;
  if (marks.length < 3) return false;
  const [info = ''] = /^[^\n]*/.exec(text.slice(marks.length, marks.length + LONGEST_INFO + 1)) ?? [];
  if (info.length > LONGEST_INFO || (marks.startsWith('`') && info.includes('`'))) return false;
  return isEnd || text[marks.length + info.length] === '\n' || MORE;
}

const FENCE_ALONE = /^[\s>]*(?:(`+|~+)[ \t]*)?$/;

/** Whether the beginning of a line may become the end of a code block. */
export const mayCloseFence = (beginning: string): boolean => FENCE_ALONE.test(beginning);

/** Whether a line closes the fence that these marks opened. */
export function closesFence(line: string, marks: string): boolean {
  const [, run = ''] = FENCE_ALONE.exec(line) ?? [];
  return run.length >= marks.length && run[0] === marks[0];
}

/** Where in Markdown code a text stands, letter by letter. */
interface CodeTracker {
  /** Takes the next letter, and tells whether it stands in code. */
  step(letter: string): boolean;
  /** Whether it would, were it the next one. */
  at(letter: string): boolean;
}

interface State {
  /** Marks that opened the code that the text is in; 0 outside of code. */
  open: number;
  mark: string;
  /** Marks just seen. */
  run: number;
  before: string;
}

const isMark = (letter: string): boolean => letter === '`' || letter === '~';

/** Once a run of marks is over: it opened code or closed it. Waves do that as a fence alone. */
function afterRun({ open, mark, run, before }: State): Pick<State, 'open' | 'mark'> {
  if (run === 0 || (before === '~' && run < 3)) return { open, mark };
  if (open === 0) return { open: run, mark: before };
  return run === open && before === mark ? { open: 0, mark } : { open, mark };
}

function after(state: State, letter: string): State {
  if (state.open === 0 && state.before === '\\' && (letter === '\\' || isMark(letter))) return { ...state, run: 0, before: '' };
  if (isMark(letter) && letter === state.before && state.run > 0) return { ...state, run: state.run + 1 };
  const { open, mark } = afterRun(state);
  // Code within a line ends with its paragraph: a stray backtick must not make code of all that follows.
  const isOver = letter === '\n' && state.before === '\n' && open < 3;
  return { open: isOver ? 0 : open, mark, run: isMark(letter) ? 1 : 0, before: letter };
}

/** A tracker at the beginning of a text. */
export function codeTracker(): CodeTracker {
  let state: State = { open: 0, mark: '', run: 0, before: '' };
  return {
    step: (letter) => (state = after(state, letter)).open > 0,
    at: (letter) => after(state, letter).open > 0,
  };
}
