import { asksListing } from '../../base/asked.ts';
import type { StoredChunk } from '../../ports/stores.ts';
import { cosineOf } from './cosine.ts';
import { inOrder, type Arm, type ArmName, type Candidate, type Rescored } from './fuse.ts';
import { pairScores } from './word-pairs.ts';

// What is chosen here was chosen on the questions of docs/benchmarks.md «Retrieval»: the development halves of two kinds of sets.

type Arms = Partial<Record<ArmName, Arm>>;

/** How much BM25 of word pairs counts beside BM25 of words. */
const PAIRS = 0.4;
/** Candidates that are looked at for word pairs and company: the others are too far behind. */
const LOOKED_AT = 30;

/** How much it counts, beside the cosine to the query, how near a passage is to the middle of the best: what they agree on is what is asked about. */
const COMPANY = 0.4;
const BEST = 5;

/** What a passage loses that lists what there is to read, where no list is asked for. */
const LISTING = 0.1;

/** What the shortest passage loses of a document that has others; from so many bytes on, nothing. Bytes: a letter of an unspaced
 * script says more. With .15 a follow-up finds its passage among the first five in 93 of 100, with .1 in 96. */
const SCRAP = 0.1;
const WHOLE = 400;

/** Candidates in the order of what fusion gave them and of what it can't see. Word pairs count where words were searched, company where vectors were as well. */
export function rescore(query: string, candidates: readonly Candidate[], { text, vector }: Arms): Candidate[] {
  const isAsked = asksListing(query);
  const lowered = inOrder(
    candidates.map((candidate) =>
      changed(candidate, {
        page_kind: typeof candidate.chunk.metadata.page_kind === 'string' && !isAsked ? -LISTING : 0,
        length: -SCRAP * scrapShare(candidate.chunk),
      }),
    ),
  );
  const [first, rest] = [lowered.slice(0, LOOKED_AT), lowered.slice(LOOKED_AT)];
  const paired = text ? inOrder(byPairs(query, first, text)) : first;
  return inOrder([...(text && vector ? byCompany(paired, vector) : paired), ...rest]);
}

function byPairs(query: string, candidates: readonly Candidate[], { hits, weight }: Arm): Candidate[] {
  const best = hits[0]?.score ?? 0;
  if (best <= 0) return [...candidates];
  const scores = pairScores(
    query,
    candidates.map(({ chunk }) => chunk),
  );
  return candidates.map((candidate, i) => changed(candidate, { pairs: (weight * PAIRS * scores[i]!) / best }));
}

/** Candidates, best first, with what they gain by the cosine to the mean vector of the best. */
function byCompany(candidates: readonly Candidate[], { weight, floor = 0 }: Arm): Candidate[] {
  const vectors = candidates.slice(0, BEST).flatMap(({ chunk }) => chunk.vector ?? []);
  if (vectors.length === 0) return [...candidates];
  const middle = vectors[0]!.map((_, axis) => vectors.reduce((sum, vector) => sum + vector[axis]!, 0));
  return candidates.map((candidate) => {
    const near = candidate.chunk.vector ? cosineOf(middle, candidate.chunk.vector) : 0;
    return changed(candidate, { company: weight * COMPANY * Math.max(0, (near - floor) / (1 - floor)) });
  });
}

function changed(candidate: Candidate, changes: Rescored): Candidate {
  const told = Object.entries(changes).filter(([, change]) => change !== 0);
  if (told.length === 0) return candidate;
  const fused = told.reduce((sum, [, change]) => sum + change, candidate.fused);
  return { ...candidate, fused: Math.max(0, fused), rescored: { ...candidate.rescored, ...Object.fromEntries(told) } };
}

const scrapShare = ({ text, siblings = 1 }: StoredChunk): number => (siblings > 1 ? Math.max(0, 1 - Buffer.byteLength(text) / WHOLE) : 0);
