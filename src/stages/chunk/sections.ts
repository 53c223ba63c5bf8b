import type { Block } from './block.ts';

/** A heading and what stands under it up to the next heading; also the text before the first heading. Holds the blocks `first` to `last` (exclusive). */
export interface Section {
  first: number;
  last: number;
  start: number;
  end: number;
  /** The path of headings, outermost first. */
  headings: string[];
  /** The path, made distinct where an earlier section has the same one: what ids are derived from. */
  key: string[];
  /** Nothing but headings, rules and comments. */
  isEmpty: boolean;
}

/** Blocks as sections, in order. `pageOf` (the page or sheet at an offset) makes a section of each page, so that no passage is cited under the page before it. */
export function toSections(blocks: readonly Block[], startsPage: (index: number) => boolean): Section[] {
  const sections: Section[] = [];
  const above: Block[] = [];
  const seen = new Map<string, number>();
  let open: Section | undefined;
  for (const [index, block] of blocks.entries()) {
    if (block.kind === 'heading') {
      while (above.length > 0 && above.at(-1)!.level >= block.level) above.pop();
      above.push(block);
    }
    if (!open || block.kind === 'heading' || startsPage(index)) {
      const headings = above.map(({ title }) => title);
      open = { first: index, last: index, start: block.start, end: block.end, headings, key: distinct(headings, seen), isEmpty: true };
      sections.push(open);
    }
    open.last = index + 1;
    open.end = block.end;
    open.isEmpty &&= block.kind === 'heading' || block.kind === 'rule' || block.kind === 'comment';
  }
  return sections;
}

/** The second section of a path is told from the first by its number, the way it would be by a reader; no heading holds the zero character. */
function distinct(path: string[], seen: Map<string, number>): string[] {
  const name = path.join('\0');
  const earlier = seen.get(name) ?? 0;
  seen.set(name, earlier + 1);
  return earlier === 0 ? path : [...path, `\0${earlier}`];
}
