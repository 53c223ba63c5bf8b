/** Where in Markdown code a text stands, letter by letter. */
export interface CodeTracker {
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
