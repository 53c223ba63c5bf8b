/** comment: an HTML comment; rule: a line of dashes. Both say nothing by themselves. */
export type BlockKind = 'heading' | 'paragraph' | 'list' | 'table' | 'fence' | 'comment' | 'rule';

/** A block of Markdown by its offsets, `end` exclusive, without the white space around it. */
export interface Block {
  kind: BlockKind;
  start: number;
  end: number;
  /** Where the first row of a table (after its separator line) or the code of a fence begins; `start` for the others. */
  body: number;
  /** 1 to 6 for a heading, else 0. */
  level: number;
  /** The words of a heading, without markup; empty for the others. */
  title: string;
}
