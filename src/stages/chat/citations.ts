import { NO_ANSWER } from '../../ports.ts';

/** Looks at an answer while it is written: what it cites, and what it cites that is not there. */
export interface CitationFilter {
  /** What of the answer so far may be shown now. However the answer is cut into pieces, the same comes out. */
  push(piece: string): string;
  /** What was held back until the end. */
  end(): string;
  /** Numbers of sources that the answer cites. */
  readonly cited: ReadonlySet<number>;
  /** Numbers that cite nothing; they were taken out. */
  readonly unknown: ReadonlySet<number>;
  /** The answer began with the number of no source: it says that the sources do not answer. */
  readonly declined: boolean;
}

/** Longest citation that is looked at: twelve numbers of two digits. What is longer is text. */
const LONGEST = 50;

/** The numbers of `[1]`, `[1, 3]`, `[1; 3]` or `[2-4]`; undefined where it is something else in brackets. */
function numbersIn(group: string): number[] | undefined {
  const parts = group.slice(1, -1).split(/[,;]/);
  const numbers: number[] = [];
  for (const part of parts) {
    const [, first, last = first] = /^\s*(\d{1,6})\s*(?:[-–]\s*(\d{1,6})\s*)?$/.exec(part) ?? [];
    if (first === undefined || last === undefined || Number(last) - Number(first) > LONGEST) return undefined;
    for (let number = Number(first); number <= Number(last); number++) numbers.push(number);
  }
  return numbers.length > 0 ? numbers : undefined;
}

/** Where in Markdown code the text stands: brackets in code cite nothing. */
function codeTracker(): (letter: string) => boolean {
  let open = 0;
  let run = 0;
  let before = '';
  return (letter) => {
    if (letter === '`') {
      run++;
    } else {
      if (run > 0) open = open === 0 ? run : run === open ? 0 : open;
      run = 0;
      // Code within a line ends with its paragraph: a stray backtick must not hide every later citation.
      if (letter === '\n' && before === '\n' && open < 3) open = 0;
    }
    before = letter;
    return open > 0;
  };
}

/** Puts the shown parts of an answer together: a blank waits until it is known what follows, and goes with a part that is taken out. */
function joiner() {
  let started = false;
  let blanks = '';
  /** Blanks in front of what was taken out. */
  let before = '';
  return {
    get started() {
      return started;
    },
    wait(blank: string): string {
      blanks += blank;
      return '';
    },
    takeOut(): string {
      before = before.includes('\n') ? before : blanks || before;
      blanks = '';
      return '';
    },
    show(text: string): string {
      const closing = /^[.,;:!?)\]]/.test(text) && blanks === '';
      const gap = before.includes('\n') && !blanks.includes('\n') ? before : blanks || (closing ? '' : before);
      const shown = started ? gap + text : text;
      [blanks, before, started] = ['', '', true];
      return shown;
    },
  };
}

/**
 * A filter for an answer beside `count` sources, numbered from 1. A number that cites none of them is taken out, with the blank before it, before it
 * can be shown; blanks at both ends of the answer are dropped.
 */
export function citationFilter(count: number): CitationFilter {
  const cited = new Set<number>();
  const unknown = new Set<number>();
  const inCode = codeTracker();
  const parts = joiner();
  let declined = false;
  let group = '';

  const resolve = (text: string): string => {
    const numbers = numbersIn(text);
    if (!numbers) return parts.show(text);
    if (!parts.started && text === NO_ANSWER) {
      declined = true;
      return parts.takeOut();
    }
    const known = numbers.filter((number) => number >= 1 && number <= count);
    for (const number of numbers) (known.includes(number) ? cited : unknown).add(number);
    if (known.length === numbers.length) return parts.show(text);
    return known.length > 0 ? parts.show(`[${known.join(', ')}]`) : parts.takeOut();
  };
  const step = (letter: string, code: boolean): string => {
    const open = group;
    group = '';
    if (open && letter === ']') return resolve(open + letter);
    if (open && !(/[\d,; –-]/.test(letter) && open.length < LONGEST)) return parts.show(open) + step(letter, code);
    if (open || (letter === '[' && !code)) {
      group = open + letter;
      return '';
    }
    return /\s/.test(letter) ? parts.wait(letter) : parts.show(letter);
  };

  return {
    cited,
    unknown,
    get declined() {
      return declined;
    },
    push: (piece) => piece.replace(/[^]/g, (letter) => step(letter, inCode(letter))),
    end: () => (group ? parts.show(group) : ''),
  };
}
