import type { GroundingSource } from '../../../ports/models.ts';
import { blocksOf } from './blocks.ts';
import { headingOf, quotables, type Quotable } from './quotables.ts';

/** The least that can be quoted by itself: a sentence, a row of a table, an item of a list, a block of code. */
export interface Passage extends Quotable {
  /** Which of the sources, from 0. */
  source: number;
  /** Its place among the passages of its source, from 0. */
  at: number;
  /** Which block of the source it stands in: what is quoted from one block reads on. */
  block: number;
  /** The heading next above it. */
  heading: string;
  /** Title and heading, and for an item of a list the words that lead in: what is matched, though not quoted. */
  context: string;
  /** The passage that leads in to a list, where there is one: its place in the source. */
  lead?: number | undefined;
  /** Its words. */
  leadText?: string;
}

/** What nobody asks for: no words, the small print around a text. */
const BOILERPLATE =
  /^[^\p{L}\p{N}]*$|^(?:table of contents|contents|back to top|skip to (?:main )?content|all rights reserved|(?:©|\(c\)|copyright)\s.*|share this|read more|previous|next|advertisement)\W*$/iu;

/** Longest line that heads a list without a mark of it, in characters. */
export const LONGEST_HEAD = 80;

/** Whether a passage leads in to a list or a table behind it: with a colon, or as a short line that is no sentence. */
const leadsIn = ({ kind, text }: Passage): boolean =>
  text.endsWith(':') || (kind === 'sentence' && text.length <= LONGEST_HEAD && /[\p{L}\p{N}]$/u.test(text));

/** Everything in a source that can be quoted, in reading order. */
export function passagesOf(whole: GroundingSource, source: number): Passage[] {
  const passages: Passage[] = [];
  const above = whole.title.split(' › ').at(-1)!;
  let heading = '';
  let before: Passage | undefined;
  for (const [block, found] of blocksOf(whole).entries()) {
    if (found.kind === 'heading') {
      heading = headingOf(found);
      before = undefined;
      if (found.bare === undefined) continue;
    }
    const parts = quotables(found.bare ? { ...found, kind: 'paragraph' } : found);
    const lead = found.kind !== 'paragraph' && before && leadsIn(before) ? before : undefined;
    const context = [whole.title, heading, lead?.text ?? ''].filter((part) => part !== '').join(' ');
    for (const part of parts.filter(({ text }) => !BOILERPLATE.test(text))) {
      passages.push({
        source,
        at: passages.length,
        block,
        ...part,
        heading: heading || above,
        context,
        ...(lead ? { lead: lead.at, leadText: lead.text } : {}),
      });
    }
    before = passages.at(-1);
  }
  return passages;
}
