import { NO_ANSWER } from '../../ports/models.ts';
import { codeTracker } from './code.ts';

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

const OPENING = /^[[【［]$/;
const CLOSING = /^[\]】］]$/;

/** What may stand in a citation while it is open; behind `†` some models name what they cite. */
const goesOn = (open: string, letter: string): boolean =>
  open.length < LONGEST &&
  (/[\d,; –-]/.test(letter) || (open.length === 1 && letter === '^') || (open.startsWith('【') && /[†:\p{L}]/u.test(letter)));

/** The citation as it is written here, `[1]`, whatever brackets and marks a model gave it: `【1】`, `【1†source】`, `[^1]`, `［1］`. */
const spelled = (group: string): string =>
  /^\[[^^]/.test(group)
    ? group
    : `[${group
        .slice(1, -1)
        .replace(/^\^/, '')
        .replace(/[†:].*$/, '')}]`;

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
  const code = codeTracker();
  const parts = joiner();
  let declined = false;
  let group = '';

  const resolve = (written: string): string => {
    const text = spelled(written);
    const numbers = numbersIn(text);
    if (!numbers) return parts.show(written);
    if (!parts.started && text === NO_ANSWER) {
      declined = true;
      return parts.takeOut();
    }
    const known = numbers.filter((number) => number >= 1 && number <= count);
    for (const number of numbers) (known.includes(number) ? cited : unknown).add(number);
    if (known.length === numbers.length) return parts.show(text);
    return known.length > 0 ? parts.show(`[${known.join(', ')}]`) : parts.takeOut();
  };
  const step = (letter: string, isCode: boolean): string => {
    const open = group;
    group = '';
    if (open && CLOSING.test(letter)) return resolve(open + letter);
    if (open && !goesOn(open, letter)) return parts.show(open) + step(letter, isCode);
    if (open || (OPENING.test(letter) && !isCode)) {
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
    push: (piece) => piece.replace(/[^]/g, (letter) => step(letter, code.step(letter))),
    end: () => (group ? parts.show(group) : ''),
  };
}
