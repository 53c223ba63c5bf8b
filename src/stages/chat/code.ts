/** Where in Markdown code a text stands, letter by letter. */
export interface CodeTracker {
  /** Takes the next letter, and tells whether it stands in code. */
  step(letter: string): boolean;
  /** Whether it would, were it the next one. */
  at(letter: string): boolean;
}

interface State {
  /** Backticks that opened the code that the text is in; 0 outside of code. */
  open: number;
  /** Backticks just seen. */
  run: number;
  before: string;
}

function after({ open, run, before }: State, letter: string): State {
  if (letter === '`') return { open, run: run + 1, before: letter };
  if (run > 0) open = open === 0 ? run : run === open ? 0 : open;
  // Code within a line ends with its paragraph: a stray backtick must not hide every later citation.
  if (letter === '\n' && before === '\n' && open < 3) open = 0;
  return { open, run: 0, before: letter };
}

/** A tracker at the beginning of a text. */
export function codeTracker(): CodeTracker {
  let state: State = { open: 0, run: 0, before: '' };
  return {
    step: (letter) => (state = after(state, letter)).open > 0,
    at: (letter) => after(state, letter).open > 0,
  };
}
