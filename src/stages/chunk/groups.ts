import type { Section } from './sections.ts';

/** Sections that are cut into chunks together: one that is long enough, with the short ones that join it, or short ones that join each other. */
export interface Group {
  first: number;
  last: number;
  start: number;
  end: number;
  /** Whose headings and ids the chunks have: the long section, else the first that holds more than a heading. */
  host: Section;
}

interface Lengths {
  /** Characters under which a section joins a neighbour. */
  shortest: number;
  /** Characters of a chunk. */
  longest: number;
}

/**
 * Joins sections that are shorter than a chunk may be. Short neighbours stand together as soon as they are long enough; what is left of them joins
 * the section before, at the beginning of a document the section after. A heading with nothing below goes with what follows.
 * Nothing depends on sections further away than that, so that an edit moves no id elsewhere.
 */
export function joinShort(sections: readonly Section[], { shortest, longest }: Lengths): Group[] {
  const groups: Group[] = [];
  let run: Section[] = [];
  for (const section of sections) {
    const isLong = !section.isEmpty && section.end - section.start >= shortest;
    if (isLong) {
      groups.push(groupOf([...settle(run, groups), section], section));
      run = [];
      continue;
    }
    run.push(section);
    const length = section.end - run[0]!.start;
    if (length >= shortest && (!section.isEmpty || length > longest / 2)) {
      groups.push(groupOf(run));
      run = [];
    }
  }
  if (run.length > 0) join(run, groups);
  return groups;
}

/** Puts a run that stayed short with the group before it, and gives back what goes with the section that follows. */
function settle(run: Section[], groups: Group[]): Section[] {
  if (groups.length === 0) return run;
  const told = run.findLastIndex((section) => !section.isEmpty) + 1;
  if (told > 0) join(run.slice(0, told), groups);
  return run.slice(told);
}

function join(run: Section[], groups: Group[]): void {
  const before = groups.at(-1);
  if (!before) {
    groups.push(groupOf(run));
    return;
  }
  before.last = run.at(-1)!.last;
  before.end = run.at(-1)!.end;
}

function groupOf(sections: Section[], host = sections.find((section) => !section.isEmpty) ?? sections[0]!): Group {
  const [first, last] = [sections[0]!, sections.at(-1)!];
  return { first: first.first, last: last.last, start: first.start, end: last.end, host };
}
