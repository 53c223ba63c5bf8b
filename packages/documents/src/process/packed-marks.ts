import { setImmediate as nextTurn } from 'node:timers/promises';
import { deserialize, serialize } from 'node:v8';
import type { Mark } from '../types.ts';

// A document may have a million marks. To copy them between threads or processes in one go would keep a server from everything else for a second.

/** Marks that are copied in one go: some milliseconds of work. */
const MARKS_AT_ONCE = 10_000;

/** The marks of a document and of each document in it, in order, as serialized slices. */
export type PackedMarks = readonly (readonly Uint8Array[])[];

interface Marked {
  marks?: Mark[] | undefined;
  members?: readonly (Marked | { parsed: Marked })[] | undefined;
}

/** Replaces the marks of a document and of each document in it, in order. */
function mapMarks<Document extends Marked>(document: Document, change: (marks: Mark[]) => Mark[]): Document {
  const { marks, members } = document;
  return {
    ...document,
    ...(marks ? { marks: change(marks) } : {}),
    ...(members
      ? {
          members: members.map((member) =>
            'parsed' in member ? { ...member, parsed: mapMarks(member.parsed, change) } : mapMarks(member, change),
          ),
        }
      : {}),
  };
}

/** Takes the marks out of a document, in slices between which others have their turn. The document itself does not change. */
export async function packMarks<Document extends Marked>(document: Document): Promise<{ bare: Document; marks: PackedMarks }> {
  const lists: Mark[][] = [];
  const bare = mapMarks(document, (marks) => {
    lists.push(marks);
    return [];
  });
  const packed: Uint8Array[][] = [];
  for (const list of lists) {
    const slices: Uint8Array[] = [];
    for (let at = 0; at < list.length; at += MARKS_AT_ONCE) {
      if (at > 0) await nextTurn();
      slices.push(serialize(list.slice(at, at + MARKS_AT_ONCE)));
    }
    packed.push(slices);
  }
  return { bare, marks: packed };
}

/** Puts the marks back that `packMarks` took out, in the same way. */
export async function unpackMarks<Document extends Marked>(bare: Document, marks: PackedMarks): Promise<Document> {
  const lists: Mark[][] = [];
  for (const slices of marks) {
    const list: Mark[] = [];
    for (const [i, slice] of slices.entries()) {
      if (i > 0) await nextTurn();
      for (const mark of deserialize(slice) as Mark[]) list.push(mark);
    }
    lists.push(list);
  }
  let next = 0;
  return mapMarks(bare, () => lists[next++]!);
}
