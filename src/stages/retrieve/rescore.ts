import { asksListing } from '../../base/asked.ts';
import type { StoredChunk } from '../../ports/stores.ts';
import { inOrder, type Arm, type Candidate, type Rescored } from './fuse.ts';
import { pairScores } from './word-pairs.ts';

// What is chosen here was chosen on the questions of docs/benchmarks.md «Retrieval»: the development halves of two kinds of sets.

/** How much BM25 of word pairs counts beside BM25 of words. */
const PAIRS = 0.4;
/** Candidates whose word pairs are looked for: the others are too far behind for them. */
const LOOKED_AT = 30;

/** What a passage loses that lists what there is to read, where no list is asked for. */
const LISTING = 0.1;

/** What the shortest passage loses of a document that has others; from so many bytes on, nothing. Bytes: a letter of an unspaced script says more. */
const SCRAP = 0.15;
const WHOLE = 400;

/** Candidates in the order of what fusion gave them and of what it can't see; the text arm, where there is one, is the measure of word pairs. */
export function rescore(query: string, candidates: readonly Candidate[], text: Arm | undefined): Candidate[] {
  const isAsked = asksListing(query);
  const lowered = inOrder(
    candidates.map((candidate) =>
      changed(candidate, {
        page_kind: typeof candidate.chunk.metadata.page_kind === 'string' && !isAsked ? -LISTING : 0,
        length: -SCRAP * scrapShare(candidate.chunk),
      }),
    ),
  );
  const best = text?.hits[0]?.score ?? 0;
  if (!text || best <= 0) return lowered;
  const first = lowered.slice(0, LOOKED_AT);
  const scores = pairScores(
    query,
    first.map(({ chunk }) => chunk),
  );
  const lifted = first.map((candidate, i) => changed(candidate, { pairs: (text.weight * PAIRS * scores[i]!) / best }));
  return inOrder([...lifted, ...lowered.slice(LOOKED_AT)]);
}

function changed(candidate: Candidate, changes: Rescored): Candidate {
  const told = Object.entries(changes).filter(([, change]) => change !== 0);
  if (told.length === 0) return candidate;
  const fused = told.reduce((sum, [, change]) => sum + change, candidate.fused);
  return { ...candidate, fused: Math.max(0, fused), rescored: { ...candidate.rescored, ...Object.fromEntries(told) } };
}

const scrapShare = ({ text, siblings = 1 }: StoredChunk): number => (siblings > 1 ? Math.max(0, 1 - Buffer.byteLength(text) / WHOLE) : 0);
